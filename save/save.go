// Package save is imported for its effects by programs that save a [berth.Pool] or a [berth.Dense]:
//
//	import _ "github.com/seed505807e1/berth/save"
//
// With it, encoding/json can marshal and unmarshal them: see [berth.Pool.MarshalJSON]. And all ways
// to save and load take a fifth of the time, since instructions of the processor compute the
// checksums.
//
// Package berth has neither encoding/json nor hash/crc32, since these would add 20 KB to each
// program, also if it saves nothing. Packages arena and stable have the latter.
package save

import (
	"encoding/json"

	_ "github.com/seed505807e1/berth/internal/crc"
	"github.com/seed505807e1/berth/internal/slots"
)

func init() { slots.JSON.Marshal, slots.JSON.Unmarshal = json.Marshal, json.Unmarshal }
