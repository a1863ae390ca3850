package peers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// peerSources embeds the sources, so that the command works in any folder.
//
//go:embed rust/Cargo.toml rust/src cpp/*.cpp cpp/*.hpp
var peerSources embed.FS

// errMissing means that a compiler or a library is not installed.
var errMissing = errors.New("not installed")

const (
	// buildTime bounds a build, which takes half a minute, and more on a busy machine.
	buildTime = 5 * time.Minute
	// crates is the folder in which Debian's packages install the sources of Rust libraries.
	crates = "/usr/share/cargo/registry"
	// peerBinary is the file name of every program.
	peerBinary = "peer"
)

// binary returns the path of the language's program in the user's cache, and the name and version
// of the compiler. If the cache has none from these sources and this compiler, it builds the
// program, and announces that, since it takes a while.
func (l *language) binary(ctx context.Context, say io.Writer) (bin, compiler string, err error) {
	for _, tool := range l.tools {
		if _, err := exec.LookPath(tool); err != nil {
			return "", "", fmt.Errorf("%s: %w", tool, errMissing)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	version, err := l.version(ctx)
	if err != nil {
		return "", "", err
	}
	compiler, _, _ = strings.Cut(version, "\n")
	key, err := l.key(version)
	if err != nil {
		return "", "", err
	}
	root, err := os.UserCacheDir()
	if err != nil {
		return "", "", fmt.Errorf("no build folder: %w", err)
	}
	home := filepath.Join(root, "berth-lab", l.name+"-"+key)
	bin = filepath.Join(home, peerBinary)
	if info, err := os.Stat(bin); err == nil && info.Mode().IsRegular() {
		return bin, compiler, nil
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", "", fmt.Errorf("no build folder: %w", err)
	}
	fmt.Fprintf(say, "peers: building %s, only once: about half a minute\n", l.name)
	return bin, compiler, l.buildInto(ctx, bin)
}

// key identifies a build by the sources and version.
func (l *language) key(version string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, version)
	err := fs.WalkDir(peerSources, l.sources, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := peerSources.ReadFile(path)
		fmt.Fprintln(sum, path, len(text))
		sum.Write(text)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), err
}

// buildInto builds the program in a temporary folder and moves it to bin, so that concurrent builds
// do not conflict.
func (l *language) buildInto(ctx context.Context, bin string) (err error) {
	home := filepath.Dir(bin)
	dir, err := os.MkdirTemp(home, "build-")
	if err != nil {
		return fmt.Errorf("no build folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	sources, err := fs.Sub(peerSources, l.sources)
	if err == nil {
		err = os.CopyFS(dir, sources)
	}
	if err != nil {
		return fmt.Errorf("cannot write its sources: %w", err)
	}
	var log bytes.Buffer
	built, err := l.build(ctx, dir, &log)
	if err == nil {
		err = os.Rename(built, bin)
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w (%w)", err, context.Cause(ctx))
	}
	path := filepath.Join(home, "build.log")
	if failed := os.WriteFile(path, log.Bytes(), 0o600); failed != nil {
		return fmt.Errorf("its build failed: %w; there is no log: %w", err, failed)
	}
	return fmt.Errorf("its build failed: %w; see %s", err, path)
}

// tool returns a command that ends with ctx, even if a child of it goes on writing. It has the
// user's environment without the variables that change the machine code.
func tool(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.WaitDelay = 2 * time.Second
	c.Env = slices.DeleteFunc(c.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return name == "RUSTFLAGS" || strings.HasPrefix(name, "CARGO_BUILD_") ||
			strings.HasPrefix(name, "CARGO_PROFILE_") || name == "CARGO_ENCODED_RUSTFLAGS"
	})
	return c
}

func output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := tool(ctx, name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}

// rustVersion identifies the compiler and the installed crates.
func rustVersion(ctx context.Context) (string, error) {
	version, err := output(ctx, "rustc", "-Vv")
	if err != nil {
		return "", err
	}
	for _, crate := range []string{"slotmap", "slab", "petgraph", "sharded-slab"} {
		found, err := filepath.Glob(filepath.Join(crates, crate+"-[0-9]*"))
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("%s in %s: %w", crate, crates, errMissing)
		}
		version += strings.Join(found, "\n") + "\n"
	}
	return version, nil
}

// cargoConfig restricts cargo to the installed crates.
const cargoConfig = `[source.crates-io]
replace-with = "installed"

[source.installed]
directory = "` + crates + `"
`

// buildRust needs no network and no Cargo.lock, since only one version of each crate is installed.
func buildRust(ctx context.Context, dir string, log io.Writer) (string, error) {
	if err := os.Mkdir(filepath.Join(dir, ".cargo"), 0o755); err != nil {
		return "", err
	}
	config := filepath.Join(dir, ".cargo", "config.toml")
	if err := os.WriteFile(config, []byte(cargoConfig), 0o600); err != nil {
		return "", err
	}
	target := filepath.Join(dir, "target")
	c := tool(ctx, "cargo", "build", "--release", "--offline", "--target-dir", target)
	c.Dir, c.Stdout, c.Stderr = dir, log, log
	return filepath.Join(target, "release", "berth-peer-rust"), c.Run()
}

// cppVersion identifies the compiler and everything that the header includes.
func cppVersion(ctx context.Context) (string, error) {
	version, err := output(ctx, "g++", "--version")
	if err != nil {
		return "", err
	}
	c := tool(ctx, "g++", "-std=c++20", "-x", "c++", "-E", "-")
	c.Stdin = strings.NewReader("#include <plf_colony.h>\n")
	header, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("plf_colony.h: %w", errMissing)
	}
	return fmt.Sprintf("%s%x", version, sha256.Sum256(header)), nil
}

// buildCpp disables the header's assertions, as in an optimized program.
func buildCpp(ctx context.Context, dir string, log io.Writer) (string, error) {
	bin := filepath.Join(dir, peerBinary)
	c := tool(ctx, "g++", "-std=c++20", "-O3", "-DNDEBUG", "-o", bin, "main.cpp")
	c.Dir, c.Stdout, c.Stderr = dir, log, log
	return bin, c.Run()
}
