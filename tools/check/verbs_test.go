package main

import (
	"os"
	"strings"
	"testing"
)

// Two packages with three containers, whose verbs are of every kind.
var rooms = map[string]string{
	"a.go": `package berth

import "iter"

type Pool[T any] struct{ inner }

type inner struct{}

func (inner) Promoted() {}

func (p *Pool[T]) Get() T { panic(0) }
func (p *Pool[T]) All() iter.Seq[T] { return nil }
func (p *Pool[T]) Has() {}
func (p *Pool[T]) Vals() {}
func (p *Pool[T]) hidden() {}

type Dense[T any] struct{}

func (d Dense[T]) Get() T { panic(0) }
func (d Dense[T]) Has() {}

type Small struct{}

func (s *Small) Has() {}
func (s *Small) Get() {}

func Loop[T any](n int, p *Pool[T]) {}
func DenseLoop[T any](d *Dense[T]) {}
func Each[T any](c interface{ All() iter.Seq[T] }) {}
func One[T any](p *Pool[T]) {}
func Two[T any](d int, c interface{ Get() T; All() iter.Seq[T]; Promoted() }) {}
func Other[T any](c interface{}, p Pool[T], q *inner) {}
func loop[T any](p *Pool[T]) {}
`,
	"a_test.go": "package berth\n\nfunc (d *Dense[T]) Tested() {}\n",
	"list/l.go": "package list\n\ntype Of[T any] struct{}\n\nfunc (l *Of[T]) All() {}\n\nfunc (l *Of[T]) Get() {}\n\nfunc (l *Of[T]) Has() {}\n\nfunc (l *Of[T]) Vals() {}\n\nfunc Loop[T any](l *Of[T]) {}\n",
	"docs/a.md": "",
}

func TestVerbs(t *testing.T) {
	tree(t, rooms)
	defer func(c, l []container, a []act, r []reason, o map[string]string) {
		containers, listed, acts, reasons, others, *write = c, l, a, r, o, false
	}(containers, listed, acts, reasons, others)
	containers = []container{{"Pool", ".", "Pool"}, {"Dense", ".", "Dense"}, {"list.Of", "list", "Of"}}
	listed, others = []container{{"Small", ".", "Small"}}, map[string]string{"Small": "It is small"}
	acts = []act{{"Find", "Get Has Loop"}, {"More", "All Vals Each One"}}
	reasons = []reason{{"Dense", "All Vals Each", "`Get`"}, {"Dense", "*", "it is small"}, {"list.Of", "*", "it is small"}}

	const stale = "docs/verbs.md is not what the code says: go run ./tools/check -write verbs"
	expect(t, "no page", "verbs", stale)
	*write = true
	expect(t, "write", "verbs")
	*write = false
	expect(t, "written", "verbs")
	page, err := os.ReadFile("docs/verbs.md")
	const want = `
## Find

| | 'Pool' | 'Dense' | 'list.Of' |
|---|---|---|---|
| 'Loop' | *Loop* | *DenseLoop* | *Loop* |

## More

| | 'Pool' | 'Dense' | 'list.Of' |
|---|---|---|---|
| 'All', 'Vals' | ✓ | 'Get' | ✓ |
| 'Each' | *Each* | 'Get' | *berth.Each* |
| 'One' | *One* | a | a |

## Reasons

- a: it is small.

## All other verbs

- all above: 'Get', 'Has'
- 'Pool': 'Promoted', *Two*
- 'Small': 'Get', 'Has'. It is small
`
	if got := string(page); err != nil || got != intro+strings.ReplaceAll(want, "'", "`") {
		t.Errorf("docs/verbs.md, %v:\n%s\nwant:\n%s", err, got, want)
	}
	if err := os.WriteFile("docs/verbs.md", page[:len(page)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, "another page", "verbs", stale)
	delete(others, "Small")
	reasons = []reason{{"Dense", "* All Get All", "`Get`"}, {"list.Of", "*", "it is small"}}
	expect(t, "reasons", "verbs", stale, "Dense.Get needs no reason", "Dense.All needs no reason",
		"Dense.Vals is missing: give a reason in tools/check/verbs_table.go",
		"Dense.Each is missing: give a reason in tools/check/verbs_table.go",
		"Small: say where its other verbs are, in tools/check/verbs_table.go")
	containers = []container{{"Pool", ".", "Pol"}}
	expect(t, "no container", "verbs", ".: no type Pol")
}
