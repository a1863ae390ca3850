package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed505807e1/berth"
)

// sample returns a scene that has vacant slots, and a history.
func sample() *Scene {
	s := New(3)
	random := rand.New(rand.NewPCG(1, 1))
	all := []Handle{s.Root()}
	for range 12 {
		h, ok := s.Add(all[random.IntN(len(all))], Handle{}, "a", Transform{1, 2, 3, 4})
		if ok {
			all = append(all, h)
		}
	}
	s.Add(s.Root(), Handle{}, "", Transform{math.Inf(1), math.MaxFloat64, math.Copysign(0, -1), 1})
	s.Rename(all[2], "ein Häuschen")
	s.Remove(all[5])
	s.Remove(all[8])
	s.Undo()
	return s
}

func saved(t *testing.T, s *Scene) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, s.write(&b))
	return b.Bytes()
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	s := sample()
	want := text(s)
	for range 2 { // the second time, the file exists
		must(t, s.Save(name))
		if text(s) != want || !s.Undo() || !s.Redo() {
			t.Error("Save has changed the scene")
		}
		got := New(4)
		got.Add(got.Root(), Handle{}, "old", Transform{})
		must(t, got.Load(name))
		if text(got) != want {
			t.Errorf("loaded\n%s\nwant\n%s", text(got), want)
		}
		invariants(t, got)
		if got.Undo() || got.Redo() {
			t.Error("a loaded scene has a history")
		}
		if !bytes.Equal(saved(t, got), saved(t, s)) {
			t.Error("a loaded scene is saved as other bytes")
		}
		s.Rename(s.Root(), "another name")
		want = text(s)
	}
	if files, err := os.ReadDir(dir); len(files) != 1 || err != nil {
		t.Errorf("%d files in the directory, %v; want 1", len(files), err)
	}
}

// TestLoadReleases checks that Load gives back the memory of nodes that cannot come back, and that
// their handles stay stale.
func TestLoadReleases(t *testing.T) {
	s := New(1)
	top, _ := s.Add(s.Root(), Handle{}, "top", Transform{})
	var all []Handle
	for range 5000 {
		h, _ := s.Add(top, Handle{}, "a", Transform{})
		all = append(all, h)
	}
	s.Remove(top)
	must(t, s.read(bytes.NewReader(saved(t, s))))
	if s.nodes.Cap() > 512 || s.ids.Cap() > 512 {
		t.Errorf("%d and %d slots in memory for one node", s.nodes.Cap(), s.ids.Cap())
	}
	for range 6000 {
		s.Add(s.Root(), Handle{}, "b", Transform{})
	}
	invariants(t, s)
	for _, h := range all {
		if _, ok := s.Get(h); ok {
			t.Fatalf("%v, which was removed before Save, finds a node", h)
		}
	}
}

// refuse checks that s cannot read data, and that it stays as it is, history included.
func refuse(t *testing.T, s *Scene, data []byte, why ...error) {
	t.Helper()
	was, done := text(s), len(s.done)
	err := s.read(bytes.NewReader(data))
	for _, want := range why {
		if !errors.Is(err, want) {
			t.Fatalf("read = %v, want %v", err, want)
		}
	}
	if text(s) != was || len(s.done) != done {
		t.Fatal("a failed read has changed the scene")
	}
}

func TestDamaged(t *testing.T) {
	good := saved(t, sample())
	s := sample()
	s.Rename(s.Root(), "mine")
	for i := range good {
		refuse(t, s, good[:i], berth.ErrCorrupt, io.ErrUnexpectedEOF)
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		refuse(t, s, bad, berth.ErrCorrupt)
	}
	refuse(t, s, append(bytes.Clone(good), 0), berth.ErrCorrupt)
	refuse(t, s, []byte("another file"), berth.ErrCorrupt)
	refuse(t, s, []byte(strings.Replace(header, "1", "2", 1)), berth.ErrCorrupt)
	invariants(t, s)
	if !s.Undo() || !s.Redo() {
		t.Error("the history is lost")
	}

	mine := errors.New("unreadable")
	for n := range int64(len(good) + 1) {
		cut := io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(mine))
		if err := s.read(cut); !errors.Is(err, mine) || errors.Is(err, berth.ErrCorrupt) {
			t.Fatalf("read of %d bytes and an error = %v", n, err)
		}
	}
	must(t, s.read(iotest.OneByteReader(bytes.NewReader(good))))
}

// TestNoTree reads files whose checksums are right, but whose nodes are no tree. All links depend on
// each other, so a change of any one is found.
func TestNoTree(t *testing.T) {
	s := sample()
	refuse(t, s, saved(t, &Scene{nodes: new(berth.Pool[Node])}), berth.ErrCorrupt)

	bad := sample()
	random := rand.New(rand.NewPCG(2, 2))
	var all []Handle
	for h := range bad.nodes.All() {
		all = append(all, h)
	}
	others := append([]Handle{{}, berth.HandleFromUint64[Node](math.MaxUint64)}, all...)
	for _, h := range all {
		n := bad.nodes.Ptr(h)
		for _, link := range []*Handle{&n.parent, &n.prev, &n.next, &n.first, &n.last} {
			was := *link
			for _, other := range others {
				if other != was {
					*link = other
					refuse(t, s, saved(t, bad), berth.ErrCorrupt)
				}
			}
			*link = was
		}
	}
	for range 2000 { // several links at once
		was := map[Handle]Node{}
		for range 2 + random.IntN(3) {
			h := all[random.IntN(len(all))]
			n := bad.nodes.Ptr(h)
			if _, ok := was[h]; !ok {
				was[h] = *n
			}
			links := []*Handle{&n.parent, &n.prev, &n.next, &n.first, &n.last}
			*links[random.IntN(5)] = others[random.IntN(len(others))]
		}
		other := sample()
		if err := other.read(bytes.NewReader(saved(t, bad))); err == nil {
			invariants(t, other)
		} else if !errors.Is(err, berth.ErrCorrupt) {
			t.Fatal(err)
		}
		for h, n := range was {
			*bad.nodes.Ptr(h) = n
		}
	}
	refuse(t, s, saved(t, bad)[:10], berth.ErrCorrupt)
}

// TestRings reads nodes that refer to each other as they should, but not to the root.
func TestRings(t *testing.T) {
	s := sample()
	for name, link := range map[string]func(a, b *Node, ah, bh Handle){
		"a second root":           func(a, b *Node, ah, bh Handle) {},
		"each other's parents":    func(a, b *Node, ah, bh Handle) { ring(a, bh); ring(b, ah) },
		"its own parent":          func(a, b *Node, ah, bh Handle) { ring(a, ah); ring(b, bh) },
		"each other's neighbours": func(a, b *Node, ah, bh Handle) { siblings(a, b, ah, bh, s.root) },
	} {
		bad := sample()
		ah, bh := bad.issue(), bad.issue()
		bad.put(ah, Node{})
		bad.put(bh, Node{})
		link(bad.nodes.Ptr(ah), bad.nodes.Ptr(bh), ah, bh)
		t.Run(name, func(t *testing.T) { refuse(t, s, saved(t, bad), berth.ErrCorrupt) })
	}
}

func ring(n *Node, only Handle) { n.parent, n.first, n.last = only, only, only }

func siblings(a, b *Node, ah, bh, parent Handle) {
	a.place = place{parent, bh, bh}
	b.place = place{parent, ah, ah}
}

// TestShortNode reads a node that lacks its numbers.
func TestShortNode(t *testing.T) {
	s := sample()
	for n := range 72 {
		b := bytes.NewBufferString(header)
		short := func(b []byte, _ *Node) ([]byte, error) { return append(b, make([]byte, n)...), nil }
		must(t, berth.Encode(s.nodes, b, short))
		refuse(t, s, b.Bytes(), berth.ErrCorrupt)
	}
}

// TestFiles has files that cannot be read or written.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	s := sample()
	if err := s.Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of no file = %v", err)
	}
	if err := s.Load(dir); err == nil {
		t.Error("a directory is loaded")
	}
	if err := s.Save(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Save over a directory = %v", err)
	}
	if err := s.Save(filepath.Join(dir, "none", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Save in no directory = %v", err)
	}
	t.Chdir(dir)
	must(t, s.Save("here"))
	must(t, New(1).Load("here"))
}

// TestKeeps checks that Save keeps the permissions of a file, and symbolic links.
func TestKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other permissions, and links need a privilege")
	}
	dir := t.TempDir()
	name, link := filepath.Join(dir, "x"), filepath.Join(dir, "link")
	must(t, os.WriteFile(name, nil, 0o600))
	must(t, os.Chmod(name, 0o640))
	must(t, os.Symlink(name, link))
	must(t, sample().Save(link))
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is replaced: %v", err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 || info.Size() == 0 {
		t.Errorf("the file has %v, %v", info, err)
	}
	must(t, New(1).Load(name))
}
