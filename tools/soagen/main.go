// Command soagen writes a container that holds the values of a struct as a structure of arrays:
// each field is a column, a slice of its own. A loop then reads only the fields that it uses.
//
//	//go:generate go run github.com/seed505807e1/berth/tools/soagen@v0.1.0 -type Particle
//
// soagen reads the package in the current directory, or in -dir, and finds the struct. It writes
// the file particle_soa.go, or -output, with the type Particles, or -name. It is a berth.Dense with
// a berth.DenseColumn for each field of Particle.
//
//	-type name     the struct, required
//	-name name     the container, by default the plural of the struct's name
//	-dir dir       the directory of the package
//	-output file   the file to write, in the same directory
//
// The zero Particles is ready to use, and NewParticles makes one with other settings. Insert, Get,
// Set and Remove take and return a Particle. Cols returns the columns, as a struct of slices:
//
//	c := particles.Cols()
//	y := c.Y
//	vy := c.VY[:len(y)] // without this line, the loop checks the bounds of vy
//	for i := range y {
//		y[i] += vy[i] * dt
//	}
//
// A ParticleHandle is a berth.Handle of a type of its own. So the compiler refuses to look up the
// handle of one generated container in another. Other files of the package may add methods to
// Particles, and may use its fields: rows, the Dense, and cols, the columns by the names of the
// fields of Particle.
//
// soagen refuses a struct with a field that it cannot make a column of: an embedded field, a blank
// one, one of size zero, or one that must not be copied. It refuses a generic type, and names that
// the package has already declared. The message names the file, the line and the reason.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "soagen:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	typ, name, dir, output string
}

// run is the command with its arguments. It returns what has failed.
func run(args []string, usage io.Writer) error {
	var o options
	flags := flag.NewFlagSet("soagen", flag.ContinueOnError)
	flags.SetOutput(usage)
	flags.StringVar(&o.typ, "type", "", "the `name` of the struct")
	flags.StringVar(&o.name, "name", "", "the `name` of the container")
	flags.StringVar(&o.dir, "dir", ".", "the `directory` of the package")
	flags.StringVar(&o.output, "output", "", "the `file` to write, in the same directory")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.typ == "":
		return fmt.Errorf("-type is missing")
	}
	o.fill()
	if filepath.Base(o.output) != o.output || !strings.HasSuffix(o.output, ".go") ||
		strings.HasSuffix(o.output, "_test.go") {
		return fmt.Errorf("-output %s: must be the name of a Go file that is no test", o.output)
	}
	code, err := generate(o)
	if err != nil {
		return err
	}
	return write(filepath.Join(o.dir, o.output), code)
}

// fill sets the defaults.
func (o *options) fill() {
	if o.name == "" {
		o.name = plural(o.typ)
	}
	if o.output == "" {
		o.output = strings.ToLower(o.typ) + "_soa.go"
	}
}

// generate returns the code of the file.
func generate(o options) ([]byte, error) {
	s, err := load(o)
	if err != nil {
		return nil, err
	}
	return s.print()
}

// write writes the file, unless it is already the same.
func write(name string, code []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, code) {
		return nil
	}
	return os.WriteFile(name, code, 0o666)
}
