package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// publish adds a module of the tree at root to a proxy. The modules that its go.mod requires are
// then in the module cache, with the go.mod files of all versions in its module graph. Paths have
// no capitals, which a proxy would have to escape.
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
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	for _, args := range [][]string{{"mod", "download"}, {"mod", "graph"}} {
		if _, err := output(dir, env, "go", args...); err != nil {
			return err
		}
	}
	return nil
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
