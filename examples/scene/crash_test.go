package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// step is a call of a disk.
type step struct {
	call     string // create, write, sync, close, rename, syncDir or remove
	name, to string
	data     []byte // of write
}

// diary is a disk that only writes down its calls.
type diary struct{ steps []step }

func (d *diary) note(s step) error { d.steps = append(d.steps, s); return nil }

func (d *diary) create(name string) (file, error) {
	name += "-new"
	return page{d, name}, d.note(step{call: "create", name: name})
}
func (d *diary) rename(from, to string) error {
	return d.note(step{call: "rename", name: from, to: to})
}
func (d *diary) syncDir(dir string) error { return d.note(step{call: "syncDir", name: dir}) }
func (d *diary) remove(name string)       { _ = d.note(step{call: "remove", name: name}) }

// page is a file of a diary.
type page struct {
	d    *diary
	name string
}

func (p page) Write(b []byte) (int, error) {
	return len(b), p.d.note(step{call: "write", name: p.name, data: bytes.Clone(b)})
}
func (p page) Sync() error  { return p.d.note(step{call: "sync", name: p.name}) }
func (p page) Close() error { return p.d.note(step{call: "close", name: p.name}) }
func (p page) Name() string { return p.name }

// inode is the contents of a file. Only the first synced bytes are sure to survive a power failure.
type inode struct {
	data   []byte
	synced int
}

// outcomes returns all that the file name may hold after steps and a power failure. The directory
// has all changes before its last sync, and may have some of those after it. A file has what was
// written before its last sync, and may have a part of the rest, or zeros.
func outcomes(steps []step, name string, old []byte) [][]byte {
	first := &inode{old, len(old)}
	names := map[string]*inode{name: first}
	sure, may := first, []*inode{first}
	for _, s := range steps {
		f := names[s.name]
		switch s.call {
		case "create":
			names[s.name] = new(inode)
		case "write":
			f.data = append(f.data, s.data...)
		case "sync":
			f.synced = len(f.data)
		case "rename":
			names[s.to] = f
			delete(names, s.name)
		case "remove":
			delete(names, s.name)
		case "syncDir":
			sure, may = names[name], nil
		}
		if len(may) == 0 || may[len(may)-1] != names[name] {
			may = append(may, names[name])
		}
	}
	var all [][]byte
	for _, f := range append(may, sure) {
		rest := len(f.data) - f.synced
		for _, n := range []int{0, rest / 2, max(0, rest-1), rest} {
			all = append(all, f.data[:f.synced+n],
				append(bytes.Clone(f.data[:f.synced+n]), make([]byte, rest-n)...))
		}
	}
	return all
}

// version returns the scene that a file has: before if it is the old one, after if it is the new
// one.
func version(t *testing.T, data []byte, before, after *Scene) *Scene {
	t.Helper()
	s := New(9)
	if err := s.read(bytes.NewReader(data)); err != nil {
		t.Fatalf("a file of %d bytes: %v", len(data), err)
	}
	switch text(s) {
	case text(before):
		return before
	case text(after):
		return after
	}
	t.Fatalf("neither the old scene nor the new one:\n%s", text(s))
	return nil
}

// TestPowerFailure has the power fail after each step of Save, with all that the disk may then hold.
func TestPowerFailure(t *testing.T) {
	name := filepath.Join("dir", "x")
	before, after := sample(), sample()
	for range 3000 { // some writes
		after.Add(after.Root(), Handle{}, "new", Transform{})
	}
	old := saved(t, before)
	var d diary
	must(t, replace(&d, name, after.write))
	if last := d.steps[len(d.steps)-1]; last.name != "dir" {
		t.Errorf("the last step is %v", last)
	}
	found := map[*Scene]int{}
	for n := range len(d.steps) + 1 {
		for _, data := range outcomes(d.steps[:n], name, old) {
			v := version(t, data, before, after)
			if found[v]++; n == len(d.steps) && v != after {
				t.Error("the old scene is back after the end of Save")
			}
		}
	}
	if len(d.steps) < 8 || found[before] == 0 || found[after] == 0 {
		t.Errorf("%d steps, old and new found %v times", len(d.steps), found)
	}
}

var errDisk = errors.New("the disk refuses")

// lame is a disk whose n-th call fails.
type lame struct {
	osDisk
	calls *[]string
	n     int
}

func (d lame) fails(call string) error {
	if *d.calls = append(*d.calls, call); len(*d.calls) == d.n+1 {
		return errDisk
	}
	return nil
}

func (d lame) create(name string) (file, error) {
	if err := d.fails("create"); err != nil {
		return nil, err
	}
	f, err := d.osDisk.create(name)
	return lameFile{f, d}, err
}

func (d lame) rename(from, to string) error {
	if err := d.fails("rename"); err != nil {
		return err
	}
	return d.osDisk.rename(from, to)
}

func (d lame) syncDir(dir string) error {
	return errors.Join(d.fails("syncDir"), d.osDisk.syncDir(dir))
}

type lameFile struct {
	file
	d lame
}

func (f lameFile) Write(b []byte) (int, error) {
	if err := f.d.fails("write"); err != nil {
		n, _ := f.file.Write(b[:len(b)/2])
		return n, err
	}
	return f.file.Write(b)
}
func (f lameFile) Sync() error  { return errors.Join(f.d.fails("sync"), f.file.Sync()) }
func (f lameFile) Close() error { return errors.Join(f.d.fails("close"), f.file.Close()) }

// TestDiskFails has each call of the disk fail in turn. Save returns the error, the file is the old
// one unless only the directory could not be synced, and nothing else is left.
func TestDiskFails(t *testing.T) {
	before, after := sample(), sample()
	after.Rename(after.Root(), "new")
	for n := 0; ; n++ {
		dir := t.TempDir()
		name := filepath.Join(dir, "x")
		must(t, before.Save(name))
		var calls []string
		err := replace(lame{calls: &calls, n: n}, name, after.write)
		data, unread := os.ReadFile(name)
		if unread != nil {
			t.Fatal(unread)
		}
		want := before
		if n >= len(calls) {
			if err != nil || version(t, data, before, after) != after {
				t.Errorf("without a failure: %v", err)
			}
			if got := strings.Join(slices.Compact(calls), " "); got !=
				"create write sync close rename syncDir" {
				t.Errorf("the steps are %s", got)
			}
			return
		}
		if calls[n] == "syncDir" {
			want = after
		}
		if !errors.Is(err, errDisk) || version(t, data, before, after) != want {
			t.Errorf("%s fails: %v", calls[n], err)
		}
		if files, err := os.ReadDir(dir); len(files) != 1 || err != nil {
			t.Errorf("%s fails: %d files, %v", calls[n], len(files), err)
		}
	}
}
