package berth

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"log/slog"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/seed505807e1/berth/internal/slots"
)

// Every verb prints the text, and those for integers the numbers in their base.
func TestHandleFormat(t *testing.T) {
	h := Handle[int]{id: slots.ID{Index: 26, Gen: 11}}
	for verb, want := range map[string]string{
		"%v": "26:11", "%s": "26:11", "%d": "26:11", "%+v": "26:11", "%q": `"26:11"`, "%x": "1a:b",
		"%X": "1A:B", "%b": "11010:1011", "%8d|": "   26:11|", "%-8s|": "26:11   |", "%8x": "    1a:b",
	} {
		if got := fmt.Sprintf(verb, h); got != want {
			t.Errorf("%s prints %q, want %q", verb, got, want)
		}
	}
	if got := fmt.Sprintf("%d %x", Handle[int]{}, struct{ H []Handle[int] }{[]Handle[int]{h}}); got != "none {[1a:b]}" {
		t.Errorf("%q", got)
	}
}

func TestHandleShape(t *testing.T) {
	if n := unsafe.Sizeof(Handle[*[64]*int]{}); n != 8 {
		t.Errorf("a Handle has %d bytes, want 8", n)
	}
	if n := unsafe.Sizeof(Entry[int]{}); n != 8+unsafe.Sizeof(uintptr(0)) {
		t.Errorf("an Entry has %d bytes", n)
	}
	if (Handle[int]{}) != HandleFromUint64[int](0) || !HandleFromUint64[int](0).IsZero() {
		t.Error("0 is not the zero Handle")
	}
}

// Compact and Expand are inverse as long as the number of lives fits.
func TestCompact(t *testing.T) {
	p := NewPool[int](Config{Seed: 7})
	for i := range 2000 {
		p.Insert(i)
	}
	for bits := 1; bits <= 32; bits++ {
		for h := range p.All() {
			c, ok := Compact(p, h, bits)
			if fits := bits > 30 || p.IndexOf(h)+1 < 1<<bits; ok != fits {
				t.Fatalf("%d bits: Compact of slot %d reports %v", bits, p.IndexOf(h), ok)
			}
			if ok && (c == 0 || Expand(p, c, bits) != h) || !ok && c != 0 {
				t.Fatalf("%d bits: %v -> %x -> %v", bits, h, c, Expand(p, c, bits))
			}
		}
		if h := Expand(p, 0, bits); !h.IsZero() {
			t.Errorf("%d bits: 0 is %v", bits, h)
		}
	}
	h, _ := p.At(5)
	first, _ := Compact(p, h, 28)
	for lives := 1; lives < 40; lives++ {
		p.Delete(h)
		if h = p.Insert(lives); p.IndexOf(h) != 5 {
			t.Fatal("another slot")
		}
		if got := Expand(p, first, 28); (got == h) != (lives%16 == 0) || got != h && !got.IsZero() {
			t.Fatalf("after %d lives, %x is %v", lives, first, got)
		}
	}
	p.Delete(h)
	if c, ok := Compact(p, h, 28); ok || c != 0 || !Expand(p, first, 28).IsZero() || !Expand(p, math.MaxUint32, 12).IsZero() {
		t.Errorf("of a stale handle, %x, %v", c, ok)
	}
	mustPanic(t, "berth: Compact: slotBits must be 1 to 32 (got 0)", func() { Compact(p, h, 0) })
	mustPanic(t, "berth: Expand: slotBits must be 1 to 32 (got 33)", func() { Expand(p, 1, 33) })
}

// No container issues a handle whose number is below 1<<32, and no other number is kept from all.
func TestHandleUint64Range(t *testing.T) {
	const inverse = 0x144CBC89                                                 // of origin.Golden, modulo 2^32
	p := NewPool[int](Config{Seed: math.MaxUint32 * inverse & math.MaxUint32}) // slot 0 is the last index
	for _, h := range []Handle[int]{{}, {id: slots.ID{Index: p.state.Salt}}, {id: slots.ID{Index: p.state.Salt, Gen: 2}}, {id: slots.ID{Index: p.state.Salt, Gen: 1 << 31}}} {
		if err := InsertAt(p, h, 1); !errors.Is(err, ErrStale) {
			t.Errorf("InsertAt(%v) = %v", h, err)
		}
	}
	p.Grow(1)
	for _, gen := range []uint32{0, 2, 1 << 31, math.MaxUint32 - 1} { // the last generations, and the first
		p.dir[0].Gens[0] = gen
		if h := p.Insert(1); h.Uint64()>>32&1 == 0 || !p.Delete(h) {
			t.Errorf("the number %x of a handle", h.Uint64())
		}
	}
	all := HandleFromUint64[int](math.MaxUint64)
	if q := NewPool[int](Config{Seed: p.seed()}); InsertAt(q, all, 1) != nil || q.Ptr(all) == nil {
		t.Error("all ones is not a handle")
	}
}

// Package slog finds MarshalText.
func TestHandleLog(t *testing.T) {
	var out bytes.Buffer
	h := Handle[int]{id: slots.ID{Index: 7, Gen: 3}}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "handle", h, "none", Handle[int]{})
	if want := `handle=7:3 none=""`; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in %q", want, out.String())
	}
}

// Containers with successive seeds must not share indices, so that a foreign handle is certain to
// find nothing.
func TestOriginsLieApart(t *testing.T) {
	const pools = 1000
	var index [pools]uint32
	for i := range index {
		var gen uint32
		index[i], gen = slots.Origin(uint32(i + 1))
		if gen&1 != 0 {
			t.Fatalf("seed %d starts at the odd generation %d", i+1, gen)
		}
	}
	least := uint32(math.MaxUint32)
	for i, a := range index {
		for _, b := range index[:i] {
			least = min(least, a-b, b-a)
		}
	}
	if least < math.MaxUint32/(3*pools) {
		t.Errorf("two of %d pools start %d slots apart, want at least %d", pools, least, math.MaxUint32/(3*pools))
	}
	if a, _ := slots.Origin(0); a == index[0] {
		t.Error("the automatic seed is seed 1")
	}
}

func TestTruncateString(t *testing.T) {
	for m, want := range map[Truncate]string{
		TruncateDefault: "Default", TruncateMemory: "Memory", TruncateLength: "Length", TruncateNever: "Never", 9: "Truncate(9)",
	} {
		if got := m.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// texts maps handles to their only text.
var texts = map[Handle[int]]string{
	{}:                                                "",
	{id: slots.ID{Index: 7, Gen: 3}}:                  "7:3",
	{id: slots.ID{Index: 0, Gen: 1}}:                  "0:1",
	{id: slots.ID{Index: 1, Gen: 0}}:                  "1:0",
	{id: slots.ID{Index: math.MaxUint32}}:             "4294967295:0",
	{id: slots.ID{Gen: math.MaxUint32}}:               "0:4294967295",
	{id: slots.ID{Index: 4294967290, Gen: 123456789}}: "4294967290:123456789",
}

func TestHandleText(t *testing.T) {
	for h, want := range texts {
		text, err := h.MarshalText()
		if string(text) != want || err != nil {
			t.Errorf("MarshalText() of %v = %q, %v, want %q", h, text, err, want)
		}
		got := Handle[int]{id: slots.ID{Index: 5, Gen: 5}}
		if err := got.UnmarshalText([]byte(want)); got != h || err != nil {
			t.Errorf("UnmarshalText(%q) = %v, %v", want, got, err)
		}
	}
}

func TestHandleTextRefuses(t *testing.T) {
	for _, bad := range []string{
		"0:0", "7", "7:", ":", ":3", "07:3", "7:03", "+7:3", "-1:3", " 7:3", "7:3 ", "7:3:1", "7;3",
		"4294967296:1", "1:4294967296", "none", "null", "7:3\n", "\x00", "99999999999999999999:1",
		strings.Repeat("1", 1<<16),
	} {
		h := Handle[int]{id: slots.ID{Index: 5, Gen: 5}}
		err := h.UnmarshalText([]byte(bad))
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "Handle.UnmarshalText: ") {
			t.Errorf("UnmarshalText(%.40q): got error %v", bad, err)
		}
		if len(err.Error()) > 200 {
			t.Errorf("UnmarshalText(%.40q): an error of %d bytes", bad, len(err.Error()))
		}
		if h != (Handle[int]{id: slots.ID{Index: 5, Gen: 5}}) {
			t.Errorf("UnmarshalText(%.40q) changed the handle to %v", bad, h)
		}
	}
}

func TestHandleBinary(t *testing.T) {
	for h := range texts {
		data, err := h.MarshalBinary()
		if len(data) != 8 || binary.LittleEndian.Uint64(data) != h.Uint64() || err != nil {
			t.Errorf("MarshalBinary() of %v = %x, %v", h, data, err)
		}
		got := Handle[int]{id: slots.ID{Index: 5, Gen: 5}}
		if err := got.UnmarshalBinary(data); got != h || err != nil {
			t.Errorf("UnmarshalBinary(%x) = %v, %v", data, got, err)
		}
		for _, n := range []int{0, 1, 7, 9, 16} {
			err := got.UnmarshalBinary(make([]byte, n))
			if !errors.Is(err, ErrCorrupt) || got != h {
				t.Errorf("UnmarshalBinary of %d bytes: got error %v, handle %v", n, err, got)
			}
		}
	}
}

// Users marshal structs and maps that hold handles.
func TestHandleInFormats(t *testing.T) {
	type message struct {
		H     Handle[int]
		None  Handle[int]
		P     *Handle[int]
		Slice []Handle[int]
		Map   map[Handle[int]]int
	}
	h := Handle[int]{id: slots.ID{Index: 7, Gen: 3}}
	sent := message{H: h, P: &h, Slice: []Handle[int]{h, {}}, Map: map[Handle[int]]int{h: 1, {}: 2}}
	text, err := json.Marshal(sent)
	want := `{"H":"7:3","None":"","P":"7:3","Slice":["7:3",""],"Map":{"":2,"7:3":1}}`
	if string(text) != want || err != nil {
		t.Errorf("json.Marshal = %s, %v\nwant %s", text, err, want)
	}
	var got message
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("json.Unmarshal = %+v, %v\nwant %+v", got, err, sent)
	}
	for _, bad := range []string{`{"H":7}`, `{"H":{}}`, `{"H":"7"}`, `{"Map":{"7":1}}`, `{"H":["7:3"]}`} {
		if err := json.Unmarshal([]byte(bad), new(message)); err == nil {
			t.Errorf("json.Unmarshal(%s) has no error", bad)
		}
	}

	var wire bytes.Buffer
	if err := gob.NewEncoder(&wire).Encode(sent); err != nil {
		t.Fatal(err)
	}
	got = message{}
	if err := gob.NewDecoder(&wire).Decode(&got); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("gob = %+v, %v\nwant %+v", got, err, sent)
	}

	elem, err := xml.Marshal(struct {
		XMLName xml.Name    `xml:"e"`
		H       Handle[int] `xml:"h,attr"`
	}{H: h})
	if string(elem) != `<e h="7:3"></e>` || err != nil {
		t.Errorf("xml.Marshal = %s, %v", elem, err)
	}

	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "list", []Handle[int]{h})
	if !strings.Contains(out.String(), `"list":["7:3"]`) {
		t.Errorf("slog wrote %s", out.String())
	}
}

func TestHandleUnmarshalAllocatesNothing(t *testing.T) {
	h := Handle[int]{id: slots.ID{Index: math.MaxUint32, Gen: math.MaxUint32}}
	text, _ := h.MarshalText()
	data, _ := h.MarshalBinary()
	for name, f := range map[string]func(){
		"UnmarshalText":   func() { _ = h.UnmarshalText(text) },
		"UnmarshalBinary": func() { _ = h.UnmarshalBinary(data) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func FuzzHandleText(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Add([]byte("0:0"))
	f.Add([]byte("07:3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h Handle[int]
		if err := h.UnmarshalText(text); err != nil {
			if !errors.Is(err, ErrCorrupt) || !h.IsZero() {
				t.Errorf("UnmarshalText(%q): error %v, handle %v", text, err, h)
			}
			return
		}
		if again, _ := h.MarshalText(); !bytes.Equal(again, text) {
			t.Errorf("UnmarshalText(%q) = %v", text, h)
		}
	})
}

const module = "github.com/seed505807e1/berth"

// house imports the packages of this module from source, without function bodies. Every other
// package is imported as an empty one, since handles do not depend on it.
type house struct {
	set  *token.FileSet
	have map[string]*types.Package
}

func (h *house) Import(path string) (*types.Package, error) {
	if p := h.have[path]; p != nil {
		return p, nil
	}
	if path != module && !strings.HasPrefix(path, module+"/") {
		p := types.NewPackage(path, path[strings.LastIndex(path, "/")+1:])
		p.MarkComplete()
		h.have[path] = p
		return p, nil
	}
	dir := filepath.FromSlash("." + strings.TrimPrefix(path, module))
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		ours, err := build.Default.MatchFile(dir, filepath.Base(name))
		if err != nil {
			return nil, err
		}
		if !ours || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(h.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	loose := types.Config{Importer: h, IgnoreFuncBodies: true, Error: func(error) {}}
	p, _ := loose.Check(path, h.set, files, nil) // the empty packages cause errors
	p.MarkComplete()
	h.have[path] = p
	return p, nil
}

// check returns the first error of a function with the given body that uses the packages.
func (h *house) check(body string) error {
	src := fmt.Sprintf(`package p
import ("%[1]s"; "%[1]s/arena"; "%[1]s/stable")
type (A struct{ x int }; B struct{ x int }; D uint32)
var _ berth.Handle[A]; var _ arena.Handle32[A]; var _ stable.ListKey[A]
func f() { %[2]s }`, module, body)
	f, err := parser.ParseFile(h.set, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	_, err = (&types.Config{Importer: h}).Check("p", h.set, []*ast.File{f}, nil)
	return err
}

// Handles of one type are not handles of another: neither assignment nor conversion compiles. The
// handles of package arena are numbers, so they can be converted, but not assigned by mistake.
func TestHandlesDoNotConvert(t *testing.T) {
	h := &house{set: token.NewFileSet(), have: map[string]*types.Package{}}
	narrow := "stable.Key[A, uint16, stable.Counter32]"
	for _, c := range []struct{ from, to string }{
		{"berth.Handle[A]", "berth.Handle[B]"},
		{"berth.Handle[A]", "berth.Handle[*A]"},
		{"berth.Handle[int]", "berth.Handle[int64]"},
		{"arena.Handle32[A]", "arena.Handle32[B]"},
		{"arena.Handle64[A]", "arena.Handle64[B]"},
		{"arena.Handle32[A]", "arena.Handle64[A]"},
		{"arena.Handle64[A]", "berth.Handle[A]"},
		{"berth.Ref[A]", "berth.Ref[B]"},
		{"berth.Others[A]", "berth.Others[B]"},
		{"berth.DenseOthers[A]", "berth.Others[A]"},
		{"stable.ListKey[A]", "stable.ListKey[B]"},
		{"stable.ListKey[A]", "berth.Handle[A]"},
		{narrow, "stable.ListKey[A]"},
		{narrow, "stable.Key[B, uint16, stable.Counter32]"},
		{"uint64", "berth.Handle[A]"},
		{"berth.Handle[A]", "uint64"},
	} {
		for form, want := range map[string]string{
			"var x %s; var y %s = x; _ = y": "cannot use x",
			"var x %s; _ = (%s)(x)":         "cannot convert x",
		} {
			if err := h.check(fmt.Sprintf(form, c.from, c.from)); err != nil {
				t.Errorf("%s to itself: %v", c.from, err) // or an error below would mean nothing
			}
			if strings.HasPrefix(c.from, "arena.") && strings.HasPrefix(c.to, "arena.") &&
				want == "cannot convert x" {
				continue
			}
			err := h.check(fmt.Sprintf(form, c.from, c.to))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s to %s: %v, want %q", c.from, c.to, err, want)
			}
		}
	}
}
