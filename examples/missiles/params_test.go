//go:build !js

package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Invalid parameters are refused before the run, with an error that names them.
func TestParams(t *testing.T) {
	right := params{wave: 1, width: 1280, height: 720}
	for _, c := range []struct {
		change func(*params)
		want   string // "" is that it is right
	}{
		{func(*params) {}, ""},
		{func(p *params) { p.wave = 30 }, ""},
		{func(p *params) { p.wave = 31 }, "wave 31: there are waves 1 to 30"},
		{func(p *params) { p.wave = 0 }, "wave 0"},
		{func(p *params) { p.wave = -4 }, "wave -4"},
		{func(p *params) { p.frames = -1 }, "frames -1"},
		{func(p *params) { p.frames, p.shot = 10, "shot.png" }, ""},
		{func(p *params) { p.shot = "shot.png" }, "-shot needs -frames"},
		{func(p *params) { p.width = 280 }, ""},
		{func(p *params) { p.width = 279 }, "279 x 720"},
		{func(p *params) { p.height = -720 }, "1280 x -720"},
		{func(p *params) { p.width = 8193 }, "8193 x 720"},
		{func(p *params) { p.height = 1 << 30 }, "both must be 280 to 8192"},
	} {
		p := right
		c.change(&p)
		err := p.check()
		switch {
		case err == nil && c.want != "":
			t.Errorf("%+v is taken, want %q", p, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: %v, want %q", p, err, c.want)
		}
	}
}

func TestWritable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	for _, name := range []string{"", "shot.png", filepath.Join(dir, "shot.png"), file} {
		if err := writable(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	missing := filepath.Join(dir, "nowhere", "shot.png")
	if err := writable(missing); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("%q: %v", missing, err)
	}
	for _, name := range []string{dir, filepath.Join(file, "shot.png")} {
		if err := writable(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
