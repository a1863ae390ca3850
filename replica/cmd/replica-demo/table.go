package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// columns are those of the table, in the terminal and on the page.
var columns = []string{"process", "sees", "pid", "frame", "seq", "values", "lag p50", "lag p99",
	"ops/s", "MB/s", "hash", "restarts", "state", "back in"}

// row is a line of the table.
type row struct {
	Name    string   `json:"name"`
	Cells   []string `json:"cells"` // by columns
	Hash    string   `json:"hash"`  // equal, differs, or nothing
	State   string   `json:"state"`
	Note    string   `json:"note"` // the last error, while there is one
	Picture *picture `json:"picture"`
}

// rows returns the table.
func (f *fleet) rows(now time.Time) []row {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []row
	for _, p := range f.list {
		list = append(list, p.row(now))
	}
	return list
}

// state returns what p is doing.
func (p *process) state(now time.Time) string {
	switch {
	case p.cmd == nil && p.ending:
		return "ended"
	case p.cmd == nil:
		return "down"
	case !p.fresh:
		return "starting"
	case now.Sub(p.heard) > time.Second:
		return "waiting"
	}
	return "running"
}

func (p *process) row(now time.Time) row {
	r := row{Name: p.name, State: p.state(now), Picture: p.last.Picture}
	running := r.State == "running"
	if !running && r.State != "ended" {
		r.Note = p.last.Note
	}
	if p.compared != 0 {
		r.Hash = "equal"
		if !p.equal {
			r.Hash = "differs"
		}
	}
	cells := make([]string, len(columns))
	set := func(column, text string) {
		for i, c := range columns {
			if c == column {
				cells[i] = text
			}
		}
	}
	set("process", p.name)
	set("sees", p.sees)
	if p.cmd != nil {
		set("pid", strconv.Itoa(p.cmd.Process.Pid))
	}
	if p.last.Frame > 0 {
		set("frame", strconv.FormatUint(p.last.Frame, 10))
		set("seq", strconv.FormatUint(p.last.Seq, 10))
		set("values", strconv.Itoa(p.last.Values))
	}
	if running && p.config.Role != "server" {
		set("ops/s", fmt.Sprintf("%.1fk", p.last.Ops/1e3))
		set("MB/s", fmt.Sprintf("%.2f", p.last.Bytes/1e6))
	}
	if running && p.last.P50 > 0 {
		set("lag p50", milliseconds(p.last.P50))
		set("lag p99", milliseconds(p.last.P99))
	}
	if r.Hash != "" {
		set("hash", fmt.Sprintf("%s at %d", r.Hash, p.compared))
	}
	set("restarts", strconv.Itoa(max(0, p.starts-1)))
	set("state", r.State)
	if p.back > 0 {
		set("back in", milliseconds(p.back))
	}
	r.Cells = cells
	return r
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// print writes the table, and the errors of processes that have one.
func printTable(w io.Writer, list []row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(columns, "\t"))
	for _, r := range list {
		fmt.Fprintln(t, strings.Join(r.Cells, "\t"))
	}
	_ = t.Flush()
	for _, r := range list {
		if r.Note != "" {
			fmt.Fprintf(w, "%s: %s\n", r.Name, firstLine(r.Note))
		}
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// line returns the table as a line: what a log needs of it.
func line(list []row) string {
	var parts []string
	for _, r := range list {
		text := r.Name + " " + r.State
		for i, c := range columns {
			switch c {
			case "frame", "lag p50", "lag p99", "hash", "restarts":
				if r.Cells[i] != "" && r.Cells[i] != "0" {
					text += ", " + c + " " + r.Cells[i]
				}
			}
		}
		if r.Note != "" {
			text += " (" + firstLine(r.Note) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// summary returns how the hashes compare.
func (f *fleet) summary() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	equal := 0
	for _, p := range f.followers() {
		if p.compared != 0 && p.equal {
			equal++
		}
	}
	return fmt.Sprintf("%d of %d followers are equal to the leader", equal, len(f.followers()))
}

// counts returns what was compared and killed so far.
func (f *fleet) counts() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return fmt.Sprintf("%d hashes compared, %d differ, %d kills", f.checks, f.differs, f.kills)
}

// screen shows the table in a terminal, on its second screen.
type screen struct{ out io.Writer }

func (s screen) open()  { fmt.Fprint(s.out, "\x1b[?1049h\x1b[?25l") }
func (s screen) close() { fmt.Fprint(s.out, "\x1b[?25h\x1b[?1049l") }

func (s screen) show(text string) {
	text = strings.ReplaceAll(text, "\n", "\x1b[K\n")
	fmt.Fprint(s.out, "\x1b[H"+text+"\x1b[J")
}
