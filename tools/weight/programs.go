package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// use inserts a value into c, finds it, adds up all values, and removes it.
const use = `k := c.Insert(T{A: 1})
	if v := c.Ptr(k); v != nil {
		v.B++
	}
	for _, v := range c.All() {
		sum += v.A
	}
	c.Remove(k)`

// containers are those that are measured. declare declares c, a container of T.
var containers = []struct{ name, path, declare, use string }{
	{"Pool", "berth", "var c berth.Pool[T]", use},
	{"Dense", "berth", "var c berth.Dense[T]", use},
	{"stable.List", "berth/stable", "var c stable.List[T]", use},
	{"concurrent.Pool", "berth/concurrent", "var c concurrent.Pool[T]",
		strings.NewReplacer("if v := c.Ptr(k); v != nil {\n\t\tv.B++\n\t}",
			"c.Use(k, func(v *T) { v.B++ })", "Remove", "Delete").Replace(use)},
	{"concurrent.Members", "berth/concurrent", "var c concurrent.Members[T]",
		strings.NewReplacer("if v := c.Ptr(k); v != nil {\n\t\tv.B++\n\t}",
			"if v, ok := c.Get(k); ok {\n\t\tsum += v.B\n\t}", "c.All()", "c.Snapshot().All()").
			Replace(use)},
	{"near.Grid", "berth/near",
		"c := near.NewGrid(1, func(v *T) (x, y float64) { return v.F[0], 0 })",
		"for e := range c.Within(0, 0, 1) {\n\t\tsum += e.Value.A\n\t}"},
	{"map", "", "c, k := map[uint64]*T{}, uint64(1)",
		strings.NewReplacer("k := c.Insert(T{A: 1})", "c[k] = &T{A: 1}", "c.Ptr(k)", "c[k]",
			"c.All()", "c", "c.Remove(k)", "delete(c, k)").Replace(use)},
}

// program returns a program that uses a container for each of n types.
func program(path, declare, use string, n int) string {
	var b, calls strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n")
	if path != "" {
		fmt.Fprintf(&b, "import %q\n", "github.com/seed505807e1/"+path)
	}
	for i := range n {
		name := fmt.Sprint("T", i+1)
		body := strings.NewReplacer("[T]", "["+name+"]", "*T", "*"+name, "T{", name+"{").
			Replace(declare + "\n\t" + use)
		fmt.Fprintf(&b, "\ntype %s struct {\n\tA, B int\n\tF    [%d]float64\n}\n", name, i+1)
		fmt.Fprintf(&b, "\nfunc use%s() (sum int) {\n\t%s\n\treturn sum\n}\n", name, body)
		fmt.Fprintf(&calls, "\tsum += use%s()\n", name)
	}
	fmt.Fprintf(&b, "\nfunc main() {\n\tsum := 0\n%s\tfmt.Println(sum)\n}\n", calls.String())
	return b.String()
}

// measure returns the rows of the table for the module at root.
func measure(root string) (rows []row, err error) {
	tmp, err := os.MkdirTemp("", "weight")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	programs := map[string]string{
		"none":   program("", "", "", 0),
		"insert": program("berth", "var c berth.Pool[int]", "c.Insert(1)", 1),
	}
	for _, c := range containers {
		for _, n := range []int{1, 4} {
			programs[fmt.Sprint(c.name, n)] = program(c.path, c.declare, c.use, n)
		}
	}
	built, err := build(root, tmp, programs)
	if err != nil {
		return nil, err
	}
	none := built["none"]
	for _, c := range containers {
		one, four := built[c.name+"1"], built[c.name+"4"]
		rows = append(rows, row{c.name + ", first", one.perType(none, 1)},
			row{c.name + ", further", four.perType(one, 3)})
	}
	stripped := built["insert"].perType(none, 1)[2]
	return append(rows, row{"Pool, Insert alone", counts{0, 0, stripped}}), nil
}

// build builds the programs, which are sources by name, and returns their counts. To the go command
// they are packages in root, of directories that do not exist. So the build cache has them if root
// has not changed.
func build(root, tmp string, programs map[string]string) (map[string]counts, error) {
	overlay := map[string]string{}
	for name, source := range programs {
		file := filepath.Join(tmp, name+".go")
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			return nil, err
		}
		overlay[filepath.Join(root, "internal", "weight", name, "main.go")] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return nil, err
	}
	file, bin := filepath.Join(tmp, "overlay.json"), tmp+string(filepath.Separator)
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return nil, err
	}
	const all = "./internal/weight/..."
	if _, err := goCommand(root, "build", "-overlay", file, "-buildvcs=false", "-ldflags=-s -w",
		"-o", bin, all); err != nil {
		return nil, err
	}
	list, err := goCommand(root, "list", "-overlay", file, "-export",
		"-f", "{{.Export}}\t{{.Dir}}", all)
	if err != nil {
		return nil, err
	}
	goroot, err := goCommand(root, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	built := map[string]counts{}
	for l := range strings.SplitSeq(list, "\n") {
		archive, dir, _ := strings.Cut(l, "\t")
		name := filepath.Base(dir)
		c, err := compiled(archive)
		if err != nil {
			return nil, err
		}
		if c[2], err = linked(filepath.Join(bin, name), root+"/", goroot+"/"); err != nil {
			return nil, err
		}
		built[name] = c
	}
	return built, nil
}

// goCommand runs the go command in dir and returns its output. It builds the same on each machine.
// The compiler's flags are those of the gate, which has compiled the other packages with them.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOFLAGS=-gcflags=all=-dwarf=false", "GOWORK=off",
		"GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "CGO_ENABLED=0", "GOEXPERIMENT=", "GODEBUG=",
		"GOGC=400")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// compiled counts the functions in an archive, and their bytes. go tool nm prints the same, but its
// own build takes longer than the rest. cmd/internal/goobj documents the format: a header has the
// offsets of blocks, and blocks 3 to 6 have the symbols that are defined.
func compiled(archive string) (c counts, err error) {
	const magic, symbolSize, kindAt, sizeAt, function = "\x00go120ld", 21, 10, 13, 1
	data, err := os.ReadFile(archive)
	if err != nil {
		return c, err
	}
	at := bytes.Index(data, []byte(magic))
	if at < 0 {
		return c, fmt.Errorf("%s: not an archive of a known format", archive)
	}
	data = data[at:]
	number := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	const blocks = len(magic) + 12
	for at, end := number(blocks+4*3), number(blocks+4*7); at < end; at += symbolSize {
		if data[at+kindAt] == function {
			c[0]++
			c[1] += number(at + sizeAt)
		}
	}
	return c, nil
}

// linked counts the bytes of a program's sections. The file also has gaps, since segments start at
// page boundaries. The paths of the sources are left out, since they depend on the machine.
func linked(name string, paths ...string) (size int, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS {
			size += int(s.FileSize)
		}
	}
	for _, path := range paths {
		size -= len(path) * bytes.Count(data, []byte(path))
	}
	return size, nil
}
