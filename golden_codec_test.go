package berth

import (
	"bytes"
	"encoding"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// goldenSaver has all methods that save and load a Pool and a Dense, and what the test below uses.
type goldenSaver interface {
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	json.Marshaler
	json.Unmarshaler
	Len() int
	checkInvariants()
}

// The files in testdata/saved are what version 1 of the format was when it was published. Every
// later version reads them, and this one writes them, on every machine. To add a file, run the test
// with BERTH_GOLDEN=1.
func TestGoldenFiles(t *testing.T) {
	pools, denses := poolShapes(paddedOf), denseShapes(paddedOf)
	for name, s := range map[string]struct{ from, to goldenSaver }{
		"pool-one":        {pools["one"], new(Pool[padded])},
		"pool-some":       {pools["some"], new(Pool[padded])},
		"pool-far":        {pools["far"], new(Pool[padded])},
		"pool-never":      {pools["never"], new(Pool[padded])},
		"pool-retired":    {pools["retired"], new(Pool[padded])},
		"dense-some":      {denses["some"], new(Dense[padded])},
		"dense-manual":    {denses["manual"], NewDense[padded](DenseConfig{Defrag: DefragManual})},
		"dense-immediate": {denses["immediate"], new(Dense[padded])},
		"dense-retired":   {denses["retired"], new(Dense[padded])},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "saved", "v1-"+name+".bin")
			data, err := s.from.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if os.Getenv("BERTH_GOLDEN") != "" {
				if err := os.WriteFile(file, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(data, golden) {
				t.Errorf("%d bytes, and the file has %d, or others", len(data), len(golden))
			}
			if err := s.to.UnmarshalBinary(golden); err != nil || s.to.Len() != s.from.Len() {
				t.Error(s.to.Len(), s.from.Len(), err)
			}
			s.to.checkInvariants()
			if again, _ := s.to.MarshalBinary(); !bytes.Equal(again, golden) {
				t.Error("the loaded container has other bytes")
			}
		})
	}
}
