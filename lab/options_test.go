package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/catalogue"
	"github.com/seed505807e1/berth/lab/internal/measure"
)

func TestCommandLineErrors(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"-impl nope", `-impl: unknown name "nope"; known are `},
		{"-impl []T,", `unknown name ""`},
		{"-workload basic,nope", `-workload: unknown name "nope"; known are basic, elements, cross, ephemeral, spike, cross-ephemeral, sparse, churn, dcm, dcm-pool, rooms, thesis-basic, thesis-cross, thesis-ephemeral, thesis-cross-ephemeral, thesis-truncation, freelist, broadphase, columns, entities, lru, save, shared, shared-memory, arena-bump, arena-pages, arena-deque, arena-vec, arena-map, arena-pool, memory, gc, growth`},
		{"-n 0", "-n 0: must be at least 1"},
		{"-n -5", "-n -5: must be at least 1"},
		{"-n 20000000 -workload basic", "at most 10000000"},
		{"-n 9000000 -elem 128 -workload churn", "at most 4194304"},
		{"-n 20000 -workload cross", "at most 10000"},
		{"-n 99999999999999999999", "invalid value"},
		{"-elem 16", "-elem 16: must be 8, 32 or 128"},
		{"-elem 0", "must be 8, 32 or 128"},
		{"-reps 0", "-reps 0: must be between 1 and"},
		{"-reps -1", "must be between 1 and"},
		{"-reps 1000000", "must be between 1 and"},
		{"-n 20000000 -workload freelist", "-n 20000000: freelist takes at most 16777216 entries"},
		{"-impl Lowest -workload basic", "-impl Lowest: none of them runs basic at n = 10000; these do: berth.Pool, berth.Dense, stable.List, []T"},
		{"-impl genpool,[]T -workload churn,freelist", "none of them runs freelist at n = 256; these do: Stack[uint8], Stack[uint16]"},
		{"-impl Stack[uint8] -n 257 -workload freelist", "-impl Stack[uint8]: none of them runs freelist at n = 257; these do: Stack[uint16], "},
		{"-impl Stack[uint8] -n 257", "-impl Stack[uint8]: none of them runs basic at n = 257"},
		{"-impl map[uint64]T -workload dcm", "none of them runs dcm at n = 15000; these do: berth.Pool, berth.Dense, stable.List, []T, []*T, map[uint64]*T, genpool"},
		{"-impl genpool,[]T -workload thesis-truncation", "none of them runs thesis-truncation at n = 16384; these do: FirstFree, Quartered, Quartered stepwise, "},
		{"-impl Quartered -workload basic", "none of them runs basic at n = 10000"},
		{"-impl brute -workload broadphase", `-impl: unknown name "brute"`},
		{"-n 2000000 -workload broadphase", "-n 2000000: broadphase takes at most 1000000 colliders"},
		{"-nope", "not defined"},
		{"basic", `unexpected argument "basic"`},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		code, _, stderr := lab(t, append([]string{"-out", dir}, strings.Fields(tc.args)...)...)
		if code != exitUsage || !strings.Contains(stderr, tc.want) {
			t.Errorf("%s: exit code %d, want %d; stderr %q, want %q in it", tc.args, code, exitUsage, stderr, tc.want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: made the folder all the same", tc.args)
		}
	}
	_, _, stderr := lab(t, "-impl", "nope")
	for _, im := range catalogue.All.Impls() {
		if !strings.Contains(stderr, im.Name) {
			t.Errorf("-impl nope: %s is not in the list of the known", im.Name)
		}
	}
}

// A workload that was not named is left out if no chosen implementation runs it, and so is a size.
func TestChosenImplsMeetWorkloads(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"-impl", "linked list, Stack[uint8]"}, "freelist-256 freelist-65536 freelist-16777216"},
		{[]string{"-impl", "Stack[uint8],[]T", "-workload", "freelist,churn"}, "churn-32 freelist-256"},
		{[]string{"-impl", "genpool"}, "basic-32 elements-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 memory-8 memory-32"},
		{[]string{"-impl", "stable.List"}, "basic-32 elements-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "FirstFree"}, "thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 thesis-truncation-8"},
		{[]string{"-impl", "map[uint64]T,[]T in order"}, "basic-32 elements-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "Dense immediate"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 memory-8 memory-32"},
		{[]string{"-impl", "[]T in order"}, "dcm-16"},
		{[]string{"-workload", "gc", "-impl", "[]T"}, "gc-32"},
		{[]string{"-full", "-workload", "basic,sparse,thesis-cross", "-impl", "[]T"}, "basic-10000-8 basic-1000000-8 basic-10000-32 basic-1000000-32 basic-10000-128 basic-1000000-128 sparse-8 sparse-32 thesis-cross-8"},
		{[]string{"-impl", "List 16-bit"}, "basic-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 dcm-16 rooms-8"},
		{[]string{"-impl", "arena.Handles 32-bit"}, "arena-pool-10000"},
		{[]string{"-impl", "ark"}, "basic-32 elements-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 columns-10000 columns-1000000 entities-10000 entities-1000000 memory-8 memory-32"},
		{[]string{"-impl", "ortuman/nuke,modernc.org/memory"}, "arena-bump-16 arena-bump-64 arena-pages-4096"},
		{[]string{"-workload", "arena"}, "arena-bump-16 arena-bump-64 arena-pages-4096 arena-deque-8 arena-vec-8 arena-map-100000 arena-map-1000000 arena-pool-1000000 arena-pool-10000"},
		{[]string{"-workload", "thesis,arena", "-impl", "berth.Pool"}, "thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 arena-pool-1000000 arena-pool-10000"},
		{[]string{"-workload", "churn,thesis", "-impl", "Quartered,[]T"}, "churn-32 thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 thesis-truncation-8"},
		{[]string{"-workload", "cross", "-impl", "arena.Pool"}, "cross-8"},
		{[]string{"-impl", "near.Grid"}, "broadphase-1000 broadphase-10000 broadphase-100000"},
		{[]string{"-impl", "copy,encoding/gob"}, "save-32"},
		{[]string{"-impl", "brute force"}, "broadphase-1000 broadphase-10000"},
	} {
		if got := jobIDs(t, tc.args...); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.args, got, tc.want)
		}
	}
}

// parsed returns the options of a command line.
func parsed(t *testing.T, args ...string) (o options) {
	t.Helper()
	c := command(catalogue.All, args, io.Discard, io.Discard)
	c.Action = func(_ context.Context, c *cli.Command) (err error) {
		o, err = parse(catalogue.All, c)
		return err
	}
	must(t, c.Run(t.Context(), append([]string{"lab"}, args...)))
	return o
}

// jobIDs returns the jobs of a command line.
func jobIDs(t *testing.T, args ...string) string {
	t.Helper()
	var ids []string
	for _, j := range parsed(t, args...).jobs {
		ids = append(ids, j.ID())
	}
	return strings.Join(ids, " ")
}

// Variants take part in a full run, and by name.
func TestVariantsByName(t *testing.T) {
	names := func(args ...string) string {
		return "," + strings.ReplaceAll(measure.NameList(parsed(t, args...).impls), ", ", ",") + ","
	}
	for _, im := range catalogue.All.Impls() {
		name := "," + im.Name + ","
		if got := strings.Contains(names(), name); got == im.Variant {
			t.Errorf("%s takes part by default: %t", im.Name, got)
		}
		if !strings.Contains(names("-full"), name) || names("-impl", im.Name, "-workload", runsOne(im)) != name {
			t.Errorf("%s does not take part where it is asked for", im.Name)
		}
	}
	for _, w := range catalogue.All.Works() {
		in := slices.ContainsFunc(parsed(t).jobs, func(j measure.Job) bool { return j.Workload == w.Workload })
		if in == w.OnlyFull {
			t.Errorf("%s is run by default: %t", w.Name, in)
		}
	}
}

// runsOne returns a workload that im runs.
func runsOne(im measure.Impl) string {
	for _, w := range catalogue.All.Works() {
		if len(w.Family.Runners(w.Workload, []measure.Impl{im})) > 0 {
			return w.Name
		}
	}
	return ""
}

func TestList(t *testing.T) {
	code, stdout, _ := lab(t, "list")
	if code != exitOK {
		t.Errorf("list: exit code %d", code)
	}
	for _, want := range []string{"genpool", "generational pool", "cross-ephemeral", "at most", "dense+sparse", "things that come in a frame, 15000, at most 100000", "Stack[*T]", "thesis-truncation", "FirstFreeHeap walk", "gammazero/deque", "edwingeng/deque", "ortuman/nuke", "modernc.org/memory", "near.Grid on Dense", "arena.Handles 32-bit", "entries, 256, 65536, 16777216, at most 16777216"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("list does not mention %q", want)
		}
	}
}

func TestOutputFolderThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte("x"), 0o600))
	if code, _, stderr := lab(t, "-out", path); code != exitFailed || !strings.Contains(stderr, "cannot write results") {
		t.Errorf("-out FILE: exit code %d, %q", code, stderr)
	}
}

// A run in which nothing is chosen is brief: one element size, and no size that is slow. It still
// has all that the table of the README is made of.
func TestBriefRun(t *testing.T) {
	const want = "basic-32 elements-32 cross-8 ephemeral-4 spike-4 cross-ephemeral-8 sparse-8 churn-32 dcm-16 rooms-8 " +
		"thesis-basic-8 thesis-cross-8 thesis-ephemeral-4 thesis-cross-ephemeral-8 thesis-truncation-8 " +
		"freelist-256 freelist-65536 broadphase-1000 broadphase-10000 broadphase-100000 columns-10000 entities-10000 lru-10000 save-32 shared-32 shared-memory-100000 arena-bump-16 arena-pages-4096 " +
		"arena-deque-8 arena-vec-8 arena-map-100000 arena-pool-10000 memory-8"
	if got := jobIDs(t); got != want {
		t.Errorf("without flags: %s, want %s", got, want)
	}
	for _, choice := range [][]string{{"-full"}, {"-impl", strings.Join(known(), ",")}, {"-workload", "freelist,arena,memory"}} {
		got := " " + jobIDs(t, choice...) + " "
		for _, id := range []string{"freelist-16777216", "arena-bump-64", "arena-map-1000000", "arena-pool-1000000", "memory-32"} {
			if !strings.Contains(got, " "+id+" ") {
				t.Errorf("%q lacks %s: %s", choice, id, got)
			}
		}
	}
}

// known returns the names of all implementations.
func known() (names []string) {
	for _, im := range catalogue.All.Impls() {
		names = append(names, im.Name)
	}
	return names
}

// The first line stands before anything is measured.
func TestOpening(t *testing.T) {
	for _, tc := range []struct{ args, want string }{
		{"", "Measuring 30 workloads on 88 implementations for about a minute and a half, then writing lab-out/report.html."},
		{"-peers rust", "Measuring 30 workloads on 88 implementations, then writing lab-out/report.html."},
		{"-workload churn -impl []T -out x", "Measuring 1 workload on 1 implementation, then writing x/report.html."},
	} {
		if got := opening(parsed(t, strings.Fields(tc.args)...)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.args, got, tc.want)
		}
	}
}
