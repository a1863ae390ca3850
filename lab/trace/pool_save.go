package trace

import (
	"io"

	"github.com/seed505807e1/berth"
)

// replaced calls f, which replaces the state of p, and records the values that are gone and new.
func (p *Pool[T]) replaced(f func() error) error {
	if p.book == nil {
		return f()
	}
	return replacing(p.book, &p.pool, f)
}

// CopyFrom is [berth.Pool.CopyFrom]. It records a Remove for each value of p whose handle is no
// longer live, and then an Insert for each handle that was not live before.
func (p *Pool[T]) CopyFrom(q *Pool[T]) {
	_ = p.replaced(func() error { p.pool.CopyFrom(&q.pool); return nil })
}

// UnmarshalBinary is [berth.Pool.UnmarshalBinary]. It records what [Pool.CopyFrom] does, unless
// there is an error.
func (p *Pool[T]) UnmarshalBinary(data []byte) error {
	return p.replaced(func() error { return p.pool.UnmarshalBinary(data) })
}

// AppendBinary is [berth.AppendBinary]. It records nothing.
func (p *Pool[T]) AppendBinary(b []byte) ([]byte, error) { return berth.AppendBinary(&p.pool, b) }

// Encode is [berth.Encode]. It records nothing.
func (p *Pool[T]) Encode(w io.Writer, value func([]byte, *T) ([]byte, error)) error {
	return berth.Encode(&p.pool, w, value)
}

// Decode is [berth.Decode]. It records what [Pool.CopyFrom] does, unless there is an error.
func (p *Pool[T]) Decode(r io.Reader, value func([]byte, *T) error) error {
	return p.replaced(func() error { return berth.Decode(&p.pool, r, value) })
}

// UnmarshalJSON is [berth.Pool.UnmarshalJSON]. It records what [Pool.CopyFrom] does, unless there
// is an error.
func (p *Pool[T]) UnmarshalJSON(data []byte) error {
	return p.replaced(func() error { return p.pool.UnmarshalJSON(data) })
}
