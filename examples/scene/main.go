// Scene is the core of a scene editor: a tree of nodes in a berth.Pool, with undo, redo and files.
// A node that comes back by an undo has the handle that it had before, and a scene that is loaded
// has the handles that it was saved with. A selection or the target of a camera is a handle too. It
// finds its node again, and takes no part in undo or in loading.
//
// Run it with
//
//	go run ./examples/scene
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed505807e1/berth"
)

// editor is a scene, and handles that a user keeps beside it. Undo does not know them.
type editor struct {
	*Scene
	out      io.Writer
	selected []Handle
	camera   Handle // looks at this node
}

func (e *editor) say(format string, args ...any) { fmt.Fprintf(e.out, format+"\n", args...) }

func (e *editor) name(h Handle) string {
	n, ok := e.Get(h)
	if !ok {
		return "nothing"
	}
	return n.Name
}

// show prints the scene, if tree is set, and what the handles find.
func (e *editor) show(tree bool) {
	if tree {
		for depth, h := range e.All(e.Root()) {
			e.say("  %s%s", strings.Repeat("  ", depth), e.name(h))
		}
	}
	var names []string
	for _, h := range e.selected {
		names = append(names, e.name(h))
	}
	e.say("  selected: %s", strings.Join(names, ", "))
	if at, ok := e.World(e.camera); ok {
		e.say("  the camera looks at %s, at %g %g %g", e.name(e.camera), at.X, at.Y, at.Z)
	} else {
		e.say("  the camera looks at nothing")
	}
}

// open loads a file. Handles that find nothing must not stay, because their slots may be issued
// again.
func (e *editor) open(file string) error {
	if err := e.Load(file); err != nil {
		return err
	}
	found := e.selected[:0]
	for _, h := range e.selected {
		if _, ok := e.Get(h); ok {
			found = append(found, h)
		}
	}
	e.selected = found
	if _, ok := e.Get(e.camera); !ok {
		e.camera = Handle{}
	}
	return nil
}

// build makes a small scene and forgets how.
func (e *editor) build() (house, tree Handle) {
	at := func(x, y, z float64) Transform { return Transform{x, y, z, 1} }
	house, _ = e.Add(e.Root(), Handle{}, "house", at(10, 0, 0))
	e.Add(house, Handle{}, "door", at(2, 0, 0))
	roof, _ := e.Add(house, Handle{}, "roof", at(0, 6, 0))
	chimney, _ := e.Add(roof, Handle{}, "chimney", at(1, 2, 0))
	tree, _ = e.Add(e.Root(), Handle{}, "tree", at(-5, 0, 3))
	e.selected = []Handle{chimney, tree}
	e.camera = chimney
	return house, tree
}

func run(out io.Writer, dir string) error {
	e := &editor{Scene: New(1), out: out}
	house, tree := e.build()
	roof := e.Parent(e.camera)
	e.say("a new scene")
	e.show(true)

	e.Remove(roof)
	bird, _ := e.Add(tree, Handle{}, "bird", Transform{0, 4, 0, 1})
	e.say("the roof is removed, and a bird added in a slot of its own: %v",
		slot(bird) != slot(roof) && slot(bird) != slot(e.camera))
	e.show(true)
	e.say("both are undone: %v, %v", e.Undo(), e.Undo())
	e.show(true)
	e.say("the tree is renamed and moved below the house, in front of the door")
	e.Rename(tree, "oak")
	for _, h := range e.All(house) {
		if e.name(h) == "door" {
			e.Move(tree, house, h)
			break
		}
	}
	e.say("the house cannot move below the tree: %v", e.Move(house, tree, Handle{}))
	e.show(true)

	file := filepath.Join(dir, "village.scene")
	if err := e.Save(file); err != nil {
		return err
	}
	bookmark, err := e.camera.MarshalText()
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	e.say("saved; a bookmark in another file is %q", bookmark)

	other := &editor{Scene: New(2), out: out}
	if err := other.open(file); err != nil {
		return err
	}
	if err := other.camera.UnmarshalText(bookmark); err != nil {
		return err
	}
	e.say("another process loads the scene: %d nodes, %d of them with the same handle",
		other.Len(), e.same(other.Scene))
	e.say("  the bookmark finds %s", other.name(other.camera))

	e.Remove(house)
	bench, _ := e.Add(e.Root(), Handle{}, "bench", Transform{Scale: 1})
	e.selected = append(e.selected, bench)
	e.say("the house is removed, and a bench added and selected")
	e.show(true)
	if err := e.damaged(file, data); err != nil {
		return err
	}
	e.say("the saved scene is loaded again")
	if err := e.open(file); err != nil {
		return err
	}
	e.show(true)
	return nil
}

// slot returns the part of h that all handles of its slot have in common.
func slot(h Handle) uint32 { return uint32(h.Uint64()) }

// same returns the number of nodes that are the same in both scenes, with the same handle.
func (e *editor) same(s *Scene) (n int) {
	for _, h := range e.All(e.Root()) {
		a, _ := e.Get(h)
		if b, _ := s.Get(h); a == b {
			n++
		}
	}
	return n
}

// damaged loads the file with one bit changed and cut to half.
func (e *editor) damaged(file string, data []byte) error {
	bit := append([]byte(nil), data...)
	bit[len(bit)/2] ^= 1
	for _, bad := range []struct {
		what string
		data []byte
	}{{"one bit changed", bit}, {"only its first half", data[:len(data)/2]}} {
		name := file + ".bad"
		if err := os.WriteFile(name, bad.data, 0o600); err != nil {
			return err
		}
		before := e.Len()
		err := e.Load(name)
		e.say("a file with %s is corrupt: %v; the scene is unchanged: %v",
			bad.what, errors.Is(err, berth.ErrCorrupt), e.Len() == before)
	}
	return nil
}

func main() {
	dir, err := os.MkdirTemp("", "scene")
	if err == nil {
		err = run(os.Stdout, dir)
		os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scene:", err)
		os.Exit(1)
	}
}
