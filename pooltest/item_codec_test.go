package pooltest

import (
	"slices"
	"testing"
)

func TestItemCodec(t *testing.T) {
	t.Run("Plain", checkItemCodec[Plain])
	t.Run("Value", checkItemCodec[Value])
	t.Run("Wide", checkItemCodec[Wide])
}

// checkItemCodec encodes and decodes values, and damages each bit and the length of one.
func checkItemCodec[V Item](t *testing.T) {
	var zero, got V
	head := []byte{1, 2}
	for _, v := range []V{makeItem[V](3), makeItem[V](1 << 40), zero} {
		b, err := AppendItem(slices.Clone(head), &v)
		if err != nil || !slices.Equal(b[:2], head) {
			t.Fatalf("AppendItem(%+v) = %v, %v", v, b, err)
		}
		got = makeItem[V](9)
		if err := ReadItem(b[2:], &got); err != nil {
			t.Fatalf("ReadItem of %+v: %v", v, err)
		}
		wantID, _ := v.ident()
		if id, sound := got.ident(); id != wantID || sound != (v != zero) {
			t.Errorf("ReadItem = %+v, sound %v, want %+v", got, sound, v)
		}
		was, hasObject := v.object()
		if now, _ := got.object(); hasObject && v != zero && now == was {
			t.Error("ReadItem returns the object that was encoded, want a new one")
		}
	}
	v := makeItem[V](3)
	b, _ := AppendItem(nil, &v)
	got = zero
	refused := func(b []byte, what string) {
		t.Helper()
		if ReadItem(b, &got) == nil || got != zero {
			t.Errorf("ReadItem of %s: no error, or a value: %+v", what, got)
		}
	}
	for i := range b {
		refused(b[:i], "a part")
	}
	refused(append(b, 0), "too much")
	for i := range 8 * len(b) {
		b[i/8] ^= 1 << (i % 8)
		refused(b, "flipped bits")
		b[i/8] ^= 1 << (i % 8)
	}
	plain, object, pad := parts(&v)
	for what, p := range map[string]*uint64{"ID": &plain.ID, "Sum": &plain.Sum} {
		*p ^= 1
		if b, err := AppendItem(head, &v); err == nil || len(b) != 2 {
			t.Errorf("AppendItem with a wrong %s = %v, %v", what, b, err)
		}
		*p ^= 1
	}
	if object != nil {
		o := *object
		*object = nil
		if _, err := AppendItem(head, &v); err == nil {
			t.Error("AppendItem without the object: no error")
		}
		*object = o
	}
	for i := range pad {
		pad[i]++
		if _, err := AppendItem(head, &v); err == nil {
			t.Errorf("AppendItem with a wrong word %d: no error", i)
		}
		pad[i]--
	}
}

func TestItemCodecAllocates(t *testing.T) {
	v := makeItem[Wide](5)
	b, _ := AppendItem(nil, &v)
	if n := testing.AllocsPerRun(10, func() { b, _ = AppendItem(b[:0], &v) }); n != 0 {
		t.Errorf("AppendItem with room: %v allocations, want 0", n)
	}
	if n := testing.AllocsPerRun(10, func() { _ = ReadItem(b, &v) }); n != 1 {
		t.Errorf("ReadItem: %v allocations, want 1, the Object", n)
	}
}
