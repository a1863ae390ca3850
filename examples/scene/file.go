package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/seed505807e1/berth"
	_ "github.com/seed505807e1/berth/save"
)

// A file is this header, which has the version of the format, and what berth.Encode writes.
const header = "berth scene 1\n"

// Save replaces the file name by the scene. The history is not saved. Whatever happens, even if the
// process is killed or the power fails, the file is either the old one or the new one. If Save
// returns nil, it is the new one.
func (s *Scene) Save(name string) error {
	// A symbolic link stays one, and the file that it refers to is replaced.
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if err := replace(osDisk{}, name, s.write); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	return nil
}

// Load replaces the scene by the one in a file, and empties the history. Handles of nodes in the
// file find them. If Load fails, the scene is unchanged. The error wraps berth.ErrCorrupt if the
// file is damaged, cut, or no scene.
//
// Nodes that were added after the scene was saved are gone, and their handles may be issued again.
// So a caller that keeps handles must drop those that find nothing after Load.
func (s *Scene) Load(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	if err := s.read(f); err != nil {
		return fmt.Errorf("load %s: %w", name, err)
	}
	return nil
}

func (s *Scene) write(w io.Writer) error {
	if _, err := io.WriteString(w, header); err != nil {
		return err
	}
	return berth.Encode(s.nodes, w, appendNode)
}

func (s *Scene) read(r io.Reader) error {
	head := make([]byte, len(header))
	switch n, err := io.ReadFull(r, head); {
	case string(head[:n]) != header[:n]:
		return fmt.Errorf("%w: not a scene", berth.ErrCorrupt)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: header: %w", berth.ErrCorrupt, io.ErrUnexpectedEOF)
	case err != nil:
		return err
	}
	t := Scene{nodes: new(berth.Pool[Node]), ids: new(berth.Pool[struct{}]), steps: s.steps}
	if err := berth.Decode(t.nodes, r, decodeNode); err != nil {
		return err
	}
	switch n, err := io.ReadFull(r, head[:1]); {
	case n > 0:
		return fmt.Errorf("%w: bytes behind the scene", berth.ErrCorrupt)
	case err != io.EOF:
		return err
	}
	if err := t.plant(); err != nil {
		return fmt.Errorf("%w: %w", berth.ErrCorrupt, err)
	}
	// Release the memory of nodes that cannot come back, which InsertAt has kept.
	t.nodes.Clip()
	if err := t.reissue(); err != nil {
		return err
	}
	*s = t
	return nil
}

// reissue gives ids the slots of nodes, without the values.
func (s *Scene) reissue() error {
	var b bytes.Buffer
	none := func(b []byte, _ *Node) ([]byte, error) { return b, nil }
	if err := berth.Encode(s.nodes, &b, none); err != nil {
		return err
	}
	return berth.Decode(s.ids, &b, func([]byte, *struct{}) error { return nil })
}

// plant finds the root, and checks that the nodes are one tree.
func (s *Scene) plant() error {
	for h, n := range s.nodes.All() {
		if n.place == (place{}) {
			s.root = h
		}
	}
	n := 0
	for _, h := range s.All(s.root) {
		// The children of h are checked before the loop reaches them. It reaches no node twice,
		// because each has one parent and one previous sibling.
		var prev Handle
		p := s.nodes.Ptr(h)
		for c := p.first; !c.IsZero(); {
			n := s.nodes.Ptr(c)
			if n == nil || n.parent != h || n.prev != prev {
				return fmt.Errorf("node %v is no child of %v behind %v", c, h, prev)
			}
			prev, c = c, n.next
		}
		if p.last != prev {
			return fmt.Errorf("the last child of %v is %v, not %v", h, prev, p.last)
		}
		n++
	}
	if n == 0 || n != s.nodes.Len() {
		return fmt.Errorf("the tree has %d of %d nodes", n, s.nodes.Len())
	}
	return nil
}

// appendNode appends the encoding of n: five handles, four numbers, and the name.
func appendNode(b []byte, n *Node) ([]byte, error) {
	for _, h := range [...]Handle{n.parent, n.prev, n.next, n.first, n.last} {
		b = binary.LittleEndian.AppendUint64(b, h.Uint64())
	}
	for _, x := range [...]float64{n.X, n.Y, n.Z, n.Scale} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return append(b, n.Name...), nil
}

// decodeNode is the inverse of appendNode.
func decodeNode(b []byte, n *Node) error {
	const size = 9 * 8
	if len(b) < size {
		return fmt.Errorf("%w: a node of %d bytes", berth.ErrCorrupt, len(b))
	}
	n.Name = string(b[size:])
	for _, h := range [...]*Handle{&n.parent, &n.prev, &n.next, &n.first, &n.last} {
		*h = berth.HandleFromUint64[Node](binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	for _, x := range [...]*float64{&n.X, &n.Y, &n.Z, &n.Scale} {
		*x = math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	return nil
}

// disk is the part of a file system that replace uses. Tests have their own.
type disk interface {
	create(name string) (file, error) // a new file in the directory of name
	rename(from, to string) error
	syncDir(dir string) error
	remove(name string)
}

type file interface {
	io.WriteCloser
	Sync() error
	Name() string
}

// replace replaces a file by what write writes.
//
// A rename replaces a file in one step. The data must be on the disk before that. Otherwise the
// disk may have the new name without the data when the power fails. The sync of the directory comes
// last. Without it, a power failure could bring the old file back after replace has returned.
func replace(d disk, name string, write func(io.Writer) error) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close()) // Windows renames only files that are closed
	if err == nil {
		err = d.rename(f.Name(), name)
	}
	if err != nil {
		d.remove(f.Name())
		return err
	}
	return d.syncDir(filepath.Dir(name))
}

type osDisk struct{}

// create makes a hidden file beside name, with the permissions of name. A process that is killed
// leaves it behind.
func (osDisk) create(name string) (file, error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if mode = info.Mode().Perm(); !info.Mode().IsRegular() {
			return nil, errors.New("not a regular file")
		}
	}
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+base+"-*")
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(mode); err != nil {
		err = errors.Join(err, f.Close()) // Windows removes only files that are closed
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

func (osDisk) rename(from, to string) error { return os.Rename(from, to) }
func (osDisk) syncDir(dir string) error     { return syncDir(dir) }
func (osDisk) remove(name string)           { os.Remove(name) }
