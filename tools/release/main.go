// Command release builds a program outside the workspace against the modules that others import,
// as they would be if the working tree were tagged.
//
//	release
//
// It is run in the root of the project. The version is the first that CHANGELOG.md has a heading
// for. For each module, release makes a directory that serves as a module proxy: it has the module
// and the modules of the project that it may require. Other modules come from the user's module
// cache, which has the layout of a proxy. The go command has no other proxy, no checksum database,
// no workspace and a module cache of its own, which is empty. The program imports all packages of
// the module. It must build, and its go.mod must keep the version of Go that users are promised. If
// the module has a command for users, go install must install it.
//
// So these fail: a requirement that is missing, a version that is not the one to be tagged, a
// dependency that only a replace directive provides, such a directive beside a command, a Go that
// is too new, a file that is missing or ignored by git, and a name that a module must not contain.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is one that others import.
type module struct {
	dir  string // below the root, with slashes
	goes string // the oldest Go that its users may have

	command string // the package of a command that users install, or ""
}

// released is in the order of the requirements. docs/compatibility.md has the same versions of Go.
var released = []module{
	{dir: ".", goes: "1.24.0"},
	{dir: "lab/trace", goes: "1.26.0"},
	{dir: "observe/otelberth", goes: "1.26.0"},
	{dir: "replica", goes: "1.26.0"},
	{dir: "vet", goes: "1.26.0", command: "cmd/berthvet"},
}

func main() {
	if len(os.Args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: release")
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run() error {
	changes, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	version, err := firstVersion(string(changes))
	if err != nil {
		return err
	}
	files, err := tracked(".")
	if err != nil {
		return err
	}
	return check(".", files, released, version)
}

// firstVersion returns the version of the first heading of a change log that has one, with a v.
func firstVersion(changes string) (string, error) {
	m := regexp.MustCompile(`(?m)^## v?(\d+\.\d+\.\d+)\b`).FindStringSubmatch(changes)
	if m == nil {
		return "", errors.New("CHANGELOG.md: no heading has a version")
	}
	return "v" + m[1], nil
}

// tracked returns the files of the working tree at root that git has or would add.
func tracked(root string) (files []string, err error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.Trim(string(out), "\x00"), "\x00") {
		// A file that was deleted is listed until the deletion is staged.
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			files = append(files, name)
		}
	}
	return files, nil
}

// check publishes each of the modules, with those before it, and builds a program that imports it.
func check(root string, files []string, modules []module, version string) error {
	for i, m := range modules {
		if err := importer(root, files, modules[:i+1], version); err != nil {
			return fmt.Errorf("%s: %w", m.dir, err)
		}
	}
	return nil
}

// importer builds a program that imports all packages of the last of the modules.
func importer(root string, files []string, modules []module, version string) error {
	tmp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	proxy := filepath.Join(tmp, "proxy")
	for _, m := range modules {
		if err := publish(proxy, root, m, files, version); err != nil {
			return err
		}
	}
	m := modules[len(modules)-1]
	dir := filepath.Join(root, filepath.FromSlash(m.dir))
	path, err := modulePath(dir)
	if err != nil {
		return err
	}
	packages, err := packagesOf(dir)
	if err != nil {
		return err
	}
	program := filepath.Join(tmp, "program")
	if err := os.Mkdir(program, 0o755); err != nil {
		return err
	}
	gomod := fmt.Sprintf("module example.com/program\n\ngo %s\n\nrequire %s %s\n",
		m.goes, path, version)
	var code bytes.Buffer
	fmt.Fprintf(&code, "package main\n\nimport (\n")
	for _, p := range packages {
		fmt.Fprintf(&code, "\t_ %q\n", p)
	}
	fmt.Fprintf(&code, ")\n\nfunc main() {}\n")
	err = errors.Join(
		os.WriteFile(filepath.Join(program, "go.mod"), []byte(gomod), 0o644),
		os.WriteFile(filepath.Join(program, "main.go"), code.Bytes(), 0o644))
	if err != nil {
		return err
	}
	cache, err := output(root, os.Environ(), "go", "env", "GOMODCACHE")
	if err != nil {
		return err
	}
	env := alone(tmp, strings.TrimSpace(string(cache)))
	if _, err := output(program, env, "go", "run", "."); err != nil {
		return err
	}
	after, err := os.ReadFile(filepath.Join(program, "go.mod"))
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Split(string(after), "\n"), "go "+m.goes) {
		return fmt.Errorf("a user with Go %s cannot build it: go.mod is\n%s", m.goes, after)
	}
	if m.command == "" {
		return nil
	}
	env = append(env, "GOBIN="+filepath.Join(tmp, "bin"))
	_, err = output(tmp, env, "go", "install", path+"/"+m.command+"@"+version)
	return err
}

// trim lets a second run find the first one's packages in the build cache. But with it, the
// standard library is compiled once more.
var trim = "-trimpath"

// alone is an environment in which the go command knows only the proxy in tmp and a module cache.
func alone(tmp, cache string) []string {
	return append(os.Environ(),
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(tmp, "proxy"))+
			",file://"+filepath.ToSlash(filepath.Join(cache, "cache", "download")),
		"GOMODCACHE="+filepath.Join(tmp, "mod"),
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod -modcacherw "+trim,
		"GOENV=off", "GOWORK=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GO111MODULE=on",
		"GOPRIVATE=", "GONOPROXY=none")
}

// output runs a command, and returns its standard output. The error has both outputs.
func output(dir string, env []string, name string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out, &stderr)
	}
	return out, nil
}

// packagesOf returns the packages of the module in dir that other modules can import.
func packagesOf(dir string) (packages []string, err error) {
	const format = `{{if .GoFiles}}{{.Name}} {{.ImportPath}}{{end}}`
	out, err := output(dir, append(os.Environ(), "GOWORK=off"), "go", "list", "-f", format, "./...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path != "" && name != "main" && !strings.Contains(path+"/", "/internal/") {
			packages = append(packages, path)
		}
	}
	if len(packages) == 0 {
		return nil, errors.New("no package can be imported")
	}
	return packages, nil
}
