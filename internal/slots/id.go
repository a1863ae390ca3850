package slots

import (
	"strconv"

	"github.com/seed505807e1/berth/internal/wire"
)

// ID is a Handle without its type, for code that does not know it. It has no methods: each method
// of an embedded field is compiled eight times for each T.
type ID struct{ Index, Gen uint32 }

// IsZero reports whether h is the zero handle.
func IsZero(h ID) bool { return h.Index|h.Gen == 0 }

// TextOf is String of a Handle.
//
//go:noinline
func TextOf(h ID) string {
	if IsZero(h) {
		return "none"
	}
	return string(AppendHandle(nil, h))
}

// AppendHandle appends the text of h to b.
func AppendHandle(b []byte, h ID) []byte {
	if IsZero(h) {
		return b
	}
	return strconv.AppendUint(wire.AppendHandle(b, uint64(h.Index)), uint64(h.Gen), 10)
}
