package slots

import (
	"encoding/json"
	"strings"
	"testing"
)

// marshaler is marshalled as a Pool, and unmarshalled as a Dense.
type marshaler struct {
	core  Core
	dense Dense
}

func (m *marshaler) MarshalJSON() ([]byte, error) { return m.core.SaveJSON((*Block[int])(nil)) }
func (m *marshaler) UnmarshalJSON(b []byte) error {
	return m.dense.LoadJSON((*Block[int])(nil), b)
}

// A program without package save gets an error that names it, and null changes nothing.
func TestJSONNeedsSave(t *testing.T) {
	const want = `needs encoding/json: import _ "github.com/seed505807e1/berth/save"`
	var m struct{ P *marshaler }
	m.P = new(marshaler)
	if _, err := json.Marshal(&m); err == nil || !strings.Contains(err.Error(), "Pool.MarshalJSON "+want) {
		t.Errorf("Marshal: %v", err)
	}
	err := json.Unmarshal([]byte(`{"P":{"seed":1,"slots":"","values":{}}}`), &m)
	if err == nil || !strings.Contains(err.Error(), "Dense.UnmarshalJSON "+want) {
		t.Errorf("Unmarshal: %v", err)
	}
	if err := m.P.UnmarshalJSON([]byte("null")); err != nil {
		t.Errorf("null: %v", err)
	}
}
