package berth

import (
	"reflect"

	"github.com/seed505807e1/berth/internal/inside"
	"github.com/seed505807e1/berth/internal/slots"
)

func init() {
	inside.NextBlock = func(pool any, k int) (int, uint64, int) {
		return lookAny(pool).NextBlock(k)
	}
	inside.SetOrigin = func(pool any, index, gen uint32) { lookAny(pool).SetOrigin(index, gen) }
}

// lookAny is look for pool, a *Pool of any type of values.
func lookAny(pool any) *slots.Core { return (*slots.Core)(reflect.ValueOf(pool).UnsafePointer()) }
