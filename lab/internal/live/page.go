package live

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed page
var page embed.FS

type file struct {
	data      []byte
	kind, tag string
}

var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	"":      "text/plain; charset=utf-8", // LICENSE
}

func pageFiles() (map[string]*file, error) {
	files := map[string]*file{}
	err := fs.WalkDir(page, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := page.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		files[strings.TrimPrefix(name, "page")] = &file{
			data: data, kind: kinds[path.Ext(name)], tag: `"` + hex.EncodeToString(sum[:8]) + `"`,
		}
		return nil
	})
	files["/"] = files["/index.html"]
	return files, err
}

func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	f := s.files[r.URL.Path]
	if f == nil {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache") // revalidate each time by the tag
	h.Set("ETag", f.tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}
