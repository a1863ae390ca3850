package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// A file is Go, Rust or Markdown.
type file struct{ name, ext, text string }

// walk returns the files below root.
func walk(root string) (files []file, err error) {
	root = filepath.Clean(root)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, ext := d.Name(), filepath.Ext(path)
		switch {
		case path != root && d.IsDir() && (name == "testdata" || name == "node_modules" ||
			name[0] == '.' || name[0] == '_'):
			return fs.SkipDir
		case !d.IsDir() && (ext == ".go" || ext == ".rs" || ext == ".md"):
			data, err := os.ReadFile(path)
			files = append(files, file{path, ext, string(data)})
			return err
		}
		return nil
	})
	return files, err
}
