package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"
)

// text formats ops for the tests: "i0" is an Insert of name 0, "r0 g0 m0" are the other ops of a
// name, "p" is a Pass and "f" a Frame; after "1:", those of track 1.
func text(ops []Op) string {
	letters := map[Kind]string{Insert: "i", Remove: "r", Get: "g", Miss: "m", Pass: "p", Frame: "f"}
	var words []string
	for _, op := range ops {
		w := letters[op.Kind]
		if op.Kind != Pass && op.Kind != Frame {
			w += fmt.Sprint(op.Value)
		}
		if op.Track != 0 {
			w = fmt.Sprint(op.Track, ":") + w
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// readAll is readFrom of bytes.
func readAll(data []byte, l Limits) ([]Op, []TrackInfo, error) {
	ops, r, err := readFrom(bytes.NewReader(data), l)
	if r == nil {
		return nil, nil, err
	}
	return ops, r.Tracks(), err
}

// readFrom reads a stream to its end, and checks each op against a naive model.
func readFrom(src io.Reader, l Limits) (ops []Op, r *Reader, err error) {
	if r, err = NewReaderLimits(src, l); err != nil {
		return nil, nil, err
	}
	var n naive
	for {
		op, err := r.Next()
		if err != nil {
			if _, again := r.Next(); again != err {
				panic(fmt.Sprintf("Next fails with %v, and then with %v", err, again))
			}
			return ops, r, err
		}
		if op.Track >= len(r.Tracks()) && op.Kind != Frame {
			panic(fmt.Sprintf("op %v of %d tracks", op, len(r.Tracks())))
		}
		if bad := n.do(op); bad != "" {
			panic(fmt.Sprintf("op %d: %v: %s", len(ops), op, bad))
		}
		ops = append(ops, op)
	}
}

// mustRead is readAll of a valid stream.
func mustRead(t testing.TB, data []byte) []Op {
	t.Helper()
	ops, _, err := readAll(data, Limits{})
	if err != io.EOF {
		t.Fatalf("after %d ops: %v, want EOF", len(ops), err)
	}
	return ops
}

// naive is a naive model of the names in use and their order.
type naive []struct {
	live, gone map[uint32]bool
	vacant     []uint32
	names      uint32
}

// do applies op, or returns its error.
func (n *naive) do(op Op) string {
	if op.Kind == Frame {
		if op.Track != 0 || op.Value != 0 {
			return "a frame of a track or value"
		}
		return ""
	}
	for op.Track >= len(*n) {
		*n = append(*n, naive{{live: map[uint32]bool{}, gone: map[uint32]bool{}}}...)
	}
	t := &(*n)[op.Track]
	switch op.Kind {
	case Insert:
		want := t.names
		if k := len(t.vacant); k > 0 {
			want = t.vacant[k-1]
			t.vacant = t.vacant[:k-1]
		} else {
			t.names++
		}
		t.live[op.Value] = true
		if op.Value != want {
			return fmt.Sprintf("the next name is %d", want)
		}
	case Remove:
		if !t.live[op.Value] {
			return "does not live"
		}
		delete(t.live, op.Value)
		t.gone[op.Value] = true
		t.vacant = append(t.vacant, op.Value)
	case Get:
		if !t.live[op.Value] {
			return "does not live"
		}
	case Miss:
		if !t.gone[op.Value] {
			return "has no past"
		}
	case Pass:
		if op.Value != 0 {
			return "a pass of a value"
		}
	default:
		return "unknown kind"
	}
	return ""
}

// seal makes a stream of blocks with these contents, with valid sums, and an end mark.
func seal(contents ...[]byte) []byte {
	b := append([]byte(magic), version, 0, 0, 0)
	sum := crc32.Checksum(b, castagnoli)
	for _, raw := range append(contents, nil) {
		var head [8]byte
		binary.LittleEndian.PutUint32(head[:], uint32(len(raw)))
		binary.LittleEndian.PutUint32(head[4:], uint32(len(raw)))
		sum = crc32.Update(crc32.Update(sum, castagnoli, head[:]), castagnoli, raw)
		b = binary.LittleEndian.AppendUint32(append(b, head[:]...), sum)
		b = append(b, raw...)
	}
	return b
}

// contents makes the contents of a block from pairs of code and argument, after a track.
func contents(pairs ...uint64) []byte {
	b := appendOp(nil, codeDeclare, 1)
	b = append(b, 'x', 8)
	for i := 0; i < len(pairs); i += 2 {
		b = appendOp(b, uint8(pairs[i]), pairs[i+1])
		if pairs[i] == codeSeed {
			b = binary.LittleEndian.AppendUint64(b, 42)
		}
	}
	return b
}

// small returns a stream of three blocks with all kinds of ops, and the ops.
func small(t *testing.T) ([]byte, []Op) {
	t.Helper()
	var b bytes.Buffer
	r, err := NewRecorder(&b)
	must(err)
	a, c := r.Track("enemies", 48), r.Track("", 0)
	var vs []Value
	for range 20 {
		vs = append(vs, a.Insert())
	}
	old := c.Insert()
	c.Remove(old)
	for i, v := range vs {
		a.Get(v)
		if i%3 == 0 {
			a.Remove(v)
			c.Get(c.Insert())
		}
		if i%8 == 7 {
			a.Pass()
			must(errors.Join(r.Frame(), r.Flush()))
		}
	}
	a.Get(vs[0])
	a.GetRandom(10)
	a.MissRandom(5)
	c.Get(old)
	must(r.Close())
	return b.Bytes(), mustRead(t, b.Bytes())
}

// isPrefix reports whether ops begin with part.
func isPrefix(part, ops []Op) bool {
	return len(part) <= len(ops) && slices.Equal(part, ops[:len(part)])
}

// resum corrects the sums of a stream of one block and an end mark.
func resum(s []byte) {
	n := int(binary.LittleEndian.Uint32(s[headBytes+4:]))
	sum := crc32.Checksum(s[:headBytes+8], castagnoli)
	sum = crc32.Update(sum, castagnoli, s[headBytes+blockHead:][:n])
	binary.LittleEndian.PutUint32(s[headBytes+8:], sum)
	end := headBytes + blockHead + n
	sum = crc32.Update(sum, castagnoli, s[end:end+8])
	binary.LittleEndian.PutUint32(s[end+8:], sum)
}

// must panics if there is an error.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
