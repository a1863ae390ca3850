package main

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// publish adds a module of the tree at root to a proxy, and the modules that its go.mod requires.
// Paths have no capitals, which a proxy would have to escape.
func publish(proxy, root string, m module, files []string, version string) error {
	dir := filepath.Join(root, filepath.FromSlash(m.dir))
	name, err := modulePath(dir)
	if err != nil {
		return err
	}
	at := filepath.Join(proxy, filepath.FromSlash(name), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	info := fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version)
	err = errors.Join(
		os.WriteFile(filepath.Join(at, version+".mod"), gomod, 0o644),
		os.WriteFile(filepath.Join(at, version+".info"), []byte(info), 0o644),
		os.WriteFile(filepath.Join(at, "list"), []byte(version+"\n"), 0o644),
		pack(filepath.Join(at, version+".zip"), name+"@"+version, root, inModule(files, m.dir)))
	if err != nil {
		return err
	}
	return publishRequired(proxy, dir)
}

// modulePath returns the path of the module in dir.
func modulePath(dir string) (string, error) {
	out, err := output(dir, append(os.Environ(), "GOWORK=off"), "go", "list", "-m")
	return strings.TrimSpace(string(out)), err
}

// inModule returns the files of the module in dir: those below it, but for those of the modules
// nested in it. The keys are the names within the module.
func inModule(files []string, dir string) map[string]string {
	nested := map[string]bool{}
	for _, f := range files {
		if path.Base(f) == "go.mod" {
			nested[path.Dir(f)] = true
		}
	}
	in := map[string]string{}
	for _, f := range files {
		home := path.Dir(f)
		for !nested[home] && home != "." {
			home = path.Dir(home)
		}
		if home == path.Clean(dir) {
			in[strings.TrimPrefix(f, home+"/")] = f
		}
	}
	return in
}

// pack writes files as a module's zip, in which all names begin with prefix. The go command
// refuses a zip with names that some system cannot have.
func pack(file, prefix, root string, files map[string]string) (err error) {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z := zip.NewWriter(out)
	for name, from := range files {
		w, err := z.Create(prefix + "/" + name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from)))
		if err != nil {
			return err
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

// publishRequired adds to a proxy the modules that the go.mod in dir names, from the module cache,
// to which they are downloaded if need be. A module that a directory replaces is left out.
func publishRequired(proxy, dir string) error {
	out, err := output(dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly"),
		"go", "mod", "download", "-json")
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var m struct{ Path, Version, Info, GoMod, Zip string }
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return publishGraph(proxy, dir)
		} else if err != nil {
			return fmt.Errorf("go mod download: %w", err)
		}
		// The cache has the layout of a proxy.
		_, below, ok := strings.Cut(filepath.ToSlash(m.Zip), "/cache/download/")
		if !ok {
			return fmt.Errorf("%s@%s: %q is not in a module cache", m.Path, m.Version, m.Zip)
		}
		to := filepath.Join(proxy, filepath.FromSlash(path.Dir(below)))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		for _, from := range []string{m.Info, m.GoMod, m.Zip} {
			data, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			err = os.WriteFile(filepath.Join(to, filepath.Base(from)), data, 0o644)
			if err != nil {
				return err
			}
		}
	}
}

// publishGraph adds to a proxy the go.mod files of all versions in the module graph of dir. The go
// command reads those of old modules too, of which it does not take the packages.
func publishGraph(proxy, dir string) error {
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	graph, err := output(dir, env, "go", "mod", "graph")
	if err != nil {
		return err
	}
	cache, err := output(dir, env, "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	from := filepath.Join(strings.TrimSpace(string(cache)), "cache", "download")
	for _, m := range strings.Fields(string(graph)) {
		name, version, ok := strings.Cut(m, "@")
		if !ok || name == "go" || name == "toolchain" {
			continue
		}
		file := filepath.Join(filepath.FromSlash(escaped(name)), "@v", escaped(version)+".mod")
		data, err := os.ReadFile(filepath.Join(from, file))
		if errors.Is(err, os.ErrNotExist) {
			continue // replaced, or its go.mod was not needed
		}
		if err != nil {
			return err
		}
		to := filepath.Join(proxy, file)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// escaped returns the path or version as proxies write it: a capital is ! and the small letter.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('!')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
