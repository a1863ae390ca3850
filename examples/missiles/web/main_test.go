package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With an argument that is not a flag, nothing is built.
func TestNoArguments(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	if err := run(dir, []string{"extra"}); err == nil || !strings.Contains(err.Error(), `"extra"`) {
		t.Errorf("with an argument that it does not know: %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it has written there: %v", err)
	}
}

// The files of the directory are served at the printed address until the interrupt.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string][]byte{"index.html": page, "missiles.wasm": []byte("\x00asm")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, w := io.Pipe()
	interrupted := make(chan os.Signal)
	ended := make(chan error, 1)
	go func() { ended <- serve(dir, w, interrupted) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ := strings.Cut(line, " ")
	for path, kind := range map[string]string{"": "text/html; charset=utf-8", "missiles.wasm": "application/wasm"} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close() //nolint:errcheck // nothing is read
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != kind {
			t.Errorf("%s%s: %s, %s, want %s", url, path, resp.Status, got, kind)
		}
	}
	interrupted <- os.Interrupt
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
