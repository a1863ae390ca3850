// Command weight counts what a type of values costs a program, and compares with a table.
//
//	weight [-write] root table
//
// The compiler makes a copy of a container's methods for each type of values. weight builds
// programs in the module at root that use a container for no type, for one and for four. It counts
// the functions in the user's compiled package, their bytes of machine code, and the bytes of the
// stripped program. A count that differs from the table by more than 2 % is an error, also if it is
// lower, so that the table stays true. With -write, weight writes the table.
//
// Counts are the same on each machine, but depend on the version of Go. With another minor version
// than the table's, weight compares nothing.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	write := flag.Bool("write", false, "write the table")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: weight [-write] root table")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1), *write); err != nil {
		fmt.Fprintln(os.Stderr, "weight:", err)
		os.Exit(1)
	}
}

// run measures the module at root. It writes the table to the file name, or compares with it.
func run(root, name string, write bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	got := &table{}
	if got.goes, err = goCommand(root, "env", "GOVERSION"); err != nil {
		return err
	}
	want := got
	if !write {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if want, err = parse(string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !got.comparable(want) {
			fmt.Printf("not compared: this is %s, the table is for %s\n", got.goes, want.goes)
			return nil
		}
	}
	if got.rows, err = measure(root); err != nil {
		return err
	}
	if write {
		fmt.Print(got)
		return os.WriteFile(name, []byte(got.String()), 0o666)
	}
	if err := compare(got, want); err != nil {
		return fmt.Errorf("this is %s, the table is for %s\n%w\n"+
			"if this is meant, write the table in the same commit: weight -write",
			got.goes, want.goes, err)
	}
	fmt.Printf("%d rows are within %d %% of the table\n", len(got.rows), tolerance)
	return nil
}

// A table has the counts of one version of Go.
type table struct {
	goes string // such as go1.26.8
	rows []row
}

// A row has the counts for a type of values. Its name is the container's and the type's.
type row struct {
	name string
	counts
}

// counts are the functions, their bytes, and the bytes of the stripped program. A count that is not
// made is 0.
type counts [3]int

// perType returns the counts of each of the n types that c has and d does not have.
func (c counts) perType(d counts, n int) counts {
	for i := range c {
		c[i] = (c[i] - d[i]) / n
	}
	return c
}

const (
	title = "# The cost of a container's first type of values, and of each further one. With "
	line  = "%-26s%10v%10v%10v\n"
)

func (t *table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n", title, t.goes)
	fmt.Fprintf(&b, line, "# container, type", "functions", "text", "stripped")
	for _, r := range t.rows {
		fmt.Fprintf(&b, line, r.name, r.counts[0], r.counts[1], r.counts[2])
	}
	return b.String()
}

// parse reads what String returns.
func parse(text string) (*table, error) {
	t := &table{}
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(l, title); ok {
			t.goes = strings.TrimSpace(rest)
		}
		if strings.HasPrefix(l, "#") {
			continue
		}
		var r row
		fields := strings.Fields(l)
		split := len(fields) - len(r.counts)
		if split < 1 {
			return nil, fmt.Errorf("%q is not a row", l)
		}
		r.name = strings.Join(fields[:split], " ")
		for i, f := range fields[split:] {
			var err error
			if r.counts[i], err = strconv.Atoi(f); err != nil {
				return nil, err
			}
		}
		t.rows = append(t.rows, r)
	}
	if t.goes == "" {
		return nil, errors.New("the title names no version of Go")
	}
	return t, nil
}

// comparable reports whether the tables' versions of Go differ only in the patch.
func (t *table) comparable(u *table) bool { return version.Lang(t.goes) == version.Lang(u.goes) }

// tolerance is the greatest difference from the table, in percent.
const tolerance = 2

// compare returns an error for each count that differs, and for each row that only one side has.
func compare(got, want *table) error {
	var failed []error
	fail := func(format string, a ...any) { failed = append(failed, fmt.Errorf(format, a...)) }
	left := map[string]counts{}
	for _, r := range want.rows {
		left[r.name] = r.counts
	}
	for _, r := range got.rows {
		old, ok := left[r.name]
		if delete(left, r.name); !ok {
			fail("%s: not in the table", r.name)
			continue
		}
		for i, unit := range []string{"functions", "bytes of text", "stripped bytes"} {
			diff, word := r.counts[i]-old[i], "heavier"
			if diff < 0 {
				diff, word = -diff, "lighter; write the table"
			}
			if 100*diff > tolerance*old[i] {
				fail("%s: %d %s, %d in the table: %.1f %% %s", r.name, r.counts[i], unit, old[i],
					100*float64(diff)/float64(old[i]), word)
			}
		}
	}
	for name := range left {
		fail("%s: only in the table", name)
	}
	return errors.Join(failed...)
}
