package migrating

import (
	"testing"

	"github.com/seed505807e1/berth"
	after "github.com/seed505807e1/berth/examples/migrating/fromlist/after"
	before "github.com/seed505807e1/berth/examples/migrating/fromlist/before"
)

// contacts is what both do. C refers to a contact.
type contacts[C any] interface {
	Touch(a, b int) C
	Step(oldest int) int
	Sum() int
}

const oldest = 20 // steps that a contact lasts, longer or shorter by chance

// settle has n contacts come at each step, for some steps, and returns how many ended.
func settle[C any](c contacts[C], steps, n int) (ended int) {
	rng := newRand()
	for range steps {
		for range n {
			c.Touch(rng.IntN(1000), rng.IntN(1000))
		}
		ended += c.Step(oldest/2 + rng.IntN(oldest))
	}
	return ended
}

func TestFromList(t *testing.T) {
	b, a := new(before.Contacts), new(after.Contacts)
	for i, n := range []int{10, 100, 1000, 0, 5} {
		want, got := settle(b, 30, n), settle(a, 30, n)
		if got != want || a.Sum() != b.Sum() {
			t.Errorf("round %d: %d ended, sum %d; before: %d, %d", i, got, a.Sum(), want, b.Sum())
		}
		if want == 0 && n > 0 {
			t.Errorf("round %d: none ended", i)
		}
	}
}

func BenchmarkFromList(b *testing.B) {
	benchContacts(b, "before", func() contacts[*before.Contact] { return new(before.Contacts) })
	benchContacts(b, "after",
		func() contacts[berth.Handle[after.Contact]] { return new(after.Contacts) })
}

func benchContacts[C any](b *testing.B, impl string, empty func() contacts[C]) {
	const each = many / oldest // contacts that come, and later end, at each step
	b.Run("op=step/impl="+impl, func(b *testing.B) {
		c := empty()
		settle(c, 200, each)
		for range 2 * oldest {
			for i := range each {
				c.Touch(i, i)
			}
			c.Step(oldest)
		}
		ended := 0
		b.ReportAllocs()
		for b.Loop() {
			for i := range each {
				c.Touch(i, i)
			}
			ended += c.Step(oldest)
		}
		if want := b.N * each; ended != want {
			b.Fatalf("checksum %d, want %d", ended, want)
		}
	})
	b.Run("op=few/impl="+impl, func(b *testing.B) {
		size := heap()
		c, ended := empty(), 0
		settle(c, 1, burst)
		c.Step(-1)
		for i := range few {
			c.Touch(i, i)
		}
		for b.Loop() {
			ended += c.Step(1 << 30)
		}
		if want := b.N*few + (few-1)*few*(2*few-1)/6; c.Sum()+ended != want {
			b.Fatalf("checksum %d, want %d", c.Sum()+ended, want)
		}
		held(b, size, c)
	})
	b.Run("op=collect/impl="+impl, func(b *testing.B) {
		c := empty()
		settle(c, 1, burst)
		c.Step(-1)
		collect(b, c)
	})
}
