package arena_test

import (
	"fmt"
	"testing"

	"github.com/seed505807e1/berth/arena"
	"github.com/seed505807e1/berth/internal/long"
)

// tenants are the containers that an input chooses from. Committed fuzz inputs depend on their
// order: add new ones at the end.
var tenants = []struct {
	name string
	make func(w *world) tenant
}{
	{"Vec int", func(w *world) tenant { return newVecTenant(w, func(x uint64) int { return int(x) }) }},
	{"Vec bytes3", func(w *world) tenant { return newVecTenant(w, bytes3Of) }},
	{"Deque int/4", func(w *world) tenant { return newDequeTenant(w, func(x uint64) int { return int(x) }, 4) }},
	{"Deque int/1", func(w *world) tenant { return newDequeTenant(w, func(x uint64) int { return int(x) }, 1) }},
	{"Pool int", func(w *world) tenant { return newPoolTenant(w, func(x uint64) int { return int(x) }) }},
	{"Pool mixed", func(w *world) tenant { return newPoolTenant(w, mixedOf) }},
	{"Map byte", func(w *world) tenant { return newMapTenant(w, func(x uint64) byte { return byte(x) }) }},
	{"Map mixed", func(w *world) tenant { return newMapTenant(w, mixedOf) }},
	{"Handles32", func(w *world) tenant { return newHandlesTenant[arena.Handle32[int]](w) }},
	{"Handles64", func(w *world) tenant { return newHandlesTenant[arena.Handle64[int]](w) }},
	{"Nested uint32", newNestedTenant},
	{"Bump wide", func(w *world) tenant { return newBumpTenant(w) }},
}

// bytes3Of and mixedOf make values that are distinct for x below 2^24 and 2^40.
func bytes3Of(x uint64) bytes3 { return bytes3{byte(x), byte(x >> 8), byte(x >> 16)} }

func mixedOf(x uint64) mixed { return mixed{A: byte(x >> 32), B: uint32(x)} }

// playContainers performs the operations in data on an arena with up to eight containers, all of
// the given kind unless it is negative.
func playContainers(t testing.TB, kind int, data []byte) {
	t.Helper()
	w := newWorld(t, data)
	for range 1 + w.next()%8 {
		k := kind
		if kind < 0 {
			k = w.next() % len(tenants)
		}
		w.tenants = append(w.tenants, &tenancy{tenant: tenants[k].make(w)})
	}
	for len(w.data) > 0 {
		w.step()
	}
	w.end()
}

func TestContainersModel(t *testing.T) {
	seeds := uint64(12)
	if !long.On {
		seeds = 4
	}
	for kind := range tenants {
		t.Run(tenants[kind].name, func(t *testing.T) {
			for seed := range seeds {
				data := randomData(seed+uint64(kind)*100, 1000)
				data[0] = byte(seed % kinds)
				if seed%4 == 1 { // much room
					data[1], data[2] = 255, 255
				}
				if seed%2 == 0 { // by itself
					data[3] = 0
				}
				playContainers(t, kind, data)
			}
		})
	}
	for seed := range 5 * seeds {
		t.Run(fmt.Sprintf("all/%d", seed), func(t *testing.T) {
			data := randomData(seed, 1500)
			if seed%2 == 1 { // much room
				data[1], data[2] = 255, 255
			}
			playContainers(t, -1, data)
		})
	}
}

func FuzzContainers(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		playContainers(t, -1, data[:min(len(data), 2000)]) // the rest would only repeat
	})
}
