package berth_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed505807e1/berth"
)

// saver is what the tests below use of a Pool and a Dense of numbers.
type saver interface {
	Insert(int) berth.Handle[int]
	Delete(berth.Handle[int]) bool
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
	Clear()
	Clip()
	CheckInvariants()
}

// loads are all ways to change a saver as a whole. Each reports an error or panics if it fails.
var loads = map[string]func(to, from saver) error{
	"UnmarshalBinary": func(to, from saver) error {
		b, _ := from.MarshalBinary()
		return to.UnmarshalBinary(b)
	},
	"Decode, plain": func(to, from saver) error {
		b, _ := from.MarshalBinary()
		return berth.DecodeAny[int](to, bytes.NewReader(b), nil)
	},
	"Decode": func(to, from saver) error {
		var buf bytes.Buffer
		_ = berth.EncodeAny(from, &buf, func(b []byte, _ *int) ([]byte, error) { return b, nil })
		return berth.DecodeAny(to, &buf, func([]byte, *int) error { return nil })
	},
	"Decode, panic": func(to, from saver) error {
		var buf bytes.Buffer
		_ = berth.EncodeAny(from, &buf, func(b []byte, _ *int) ([]byte, error) { return b, nil })
		n := 0
		return berth.DecodeAny(to, &buf, func([]byte, *int) error {
			if n++; n == 300 {
				panic("Memory has refused, or so")
			}
			return nil
		})
	},
	"CopyFrom": func(to, from saver) error {
		switch to := to.(type) {
		case *berth.Pool[int]:
			to.CopyFrom(from.(*berth.Pool[int]))
		case *berth.Dense[int]:
			to.CopyFrom(from.(*berth.Dense[int]))
		}
		return nil
	},
	"InsertAt": func(to, _ saver) error {
		h := to.Insert(5)
		if h.IsZero() {
			return berth.ErrFull
		}
		to.Delete(h)
		far := berth.HandleFromUint64[int](h.Uint64() + 20_000)
		return berth.InsertAtAny(to, far, 1)
	},
}

// A load that Memory refuses, at any of its calls, leaves the container as it was. All pieces are
// given back in the end.
func TestMemoryLoads(t *testing.T) {
	churn := func(s saver, seed uint64, n int) {
		r := rand.New(rand.NewPCG(seed, 1))
		var hs []berth.Handle[int]
		for range n {
			hs = append(hs, s.Insert(int(r.Uint64())))
			if r.IntN(2) == 0 {
				s.Delete(hs[r.IntN(len(hs))])
			}
		}
		for _, h := range hs[:len(hs)/3] {
			s.Delete(h)
		}
	}
	kinds := map[string]func(seed uint32, m berth.Memory) saver{
		"Pool": func(seed uint32, m berth.Memory) saver {
			return berth.NewPool[int](berth.Config{Seed: seed, Memory: m})
		},
		"Dense": func(seed uint32, m berth.Memory) saver {
			return berth.NewDense[int](berth.DenseConfig{Seed: seed, Memory: m})
		},
	}
	for kind, make := range kinds {
		for name, load := range loads {
			t.Run(kind+"/"+name, func(t *testing.T) {
				refusals, done := 0, 0
				for call := range 12 {
					for _, old := range []int{0, 100, 3000} {
						from := make(7, nil)
						churn(from, 1, 1500)
						l := newLedger()
						to := make(3, l)
						churn(to, 2, old)
						was, _ := to.MarshalBinary()
						calls := l.calls
						l.refuse = func(n, _ int) bool { return n == calls+call }
						err := try(func() error { return load(to, from) })
						l.refuse = nil
						to.CheckInvariants()
						switch now, _ := to.MarshalBinary(); {
						case err == nil:
							done++
						case name != "InsertAt" && !bytes.Equal(now, was):
							t.Fatalf("call %d: %v, but the container has changed", call, err)
						default:
							refusals++
						}
						churn(to, 3, 200)
						to.CheckInvariants()
						to.Clear()
						to.Clip()
						l.allBack(t, "after Clear and Clip")
					}
				}
				if refusals == 0 || done == 0 && name != "Decode, panic" {
					t.Errorf("%d refused, %d done", refusals, done)
				}
			})
		}
	}
}

// try calls f, and returns its error or its panic.
func try(f func() error) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = errors.New(fmt.Sprint(e))
		}
	}()
	return f()
}
