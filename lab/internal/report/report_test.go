package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/collections/impls"
	"github.com/seed505807e1/berth/lab/internal/laws"
	"github.com/seed505807e1/berth/lab/internal/lists"
)

func TestReport(t *testing.T) {
	for _, partial := range []bool{false, true} {
		r := fixedReport(partial)
		described, seen := "", map[string]bool{}
		for _, p := range []*page{r.page(), r.thesis()} {
			if p == nil { // the first jobs are not of the thesis
				continue
			}
			name := fmt.Sprintf("%s, partial %t", p.template.Name(), partial)
			page, err := p.html()
			must(t, err)
			s := string(page)
			described += s
			if strings.Contains(s, "Partial.") != partial {
				t.Errorf("%s: banner is there: %t", name, !partial)
			}
			if strings.Contains(s, "http") || strings.Contains(s, "<script") || strings.Contains(s, "<link rel=\"stylesheet") {
				t.Errorf("%s: it refers to something outside itself, or has a script", name)
			}
			if strings.Contains(s, "ZgotmplZ") || strings.Contains(s, "<&>") || strings.Contains(s, "%!") {
				t.Errorf("%s: badly escaped or formatted", name)
			}
			charts, big := len(p.charts()), 0
			for _, c := range p.charts() {
				if c.Big() {
					big++
				}
				if seen[c.File()] {
					t.Errorf("two charts are %s", c.File())
				}
				seen[c.File()] = true
			}
			for _, s := range p.Sections {
				charts -= len(s.Away)
			}
			if n := strings.Count(s, "<figure"); charts == 0 || n != charts || strings.Count(s, "<svg") != n+big || strings.Count(s, "<desc") != n+big {
				t.Errorf("%s: %d figures of %d charts", name, n, charts)
			}
			checkLinks(t, name, s)
		}
		for _, im := range r.Impls {
			name := "<h4>" + strings.ReplaceAll(im.Name, "+", "&#43;") + "</h4>"
			inThesis := im.Among(lists.Family.Impls) && !im.Among(impls.Family.Impls)
			if n := strings.Count(described, name); n != 1 && !(inThesis && partial) {
				t.Errorf("partial %t: %d descriptions of %s", partial, n, im.Name)
			}
		}
	}
}

// checkLinks looks for links in a page that lead nowhere, and for names that are there twice.
func checkLinks(t *testing.T, name, s string) {
	t.Helper()
	for _, id := range regexp.MustCompile(` href="#([^"]*)"`).FindAllStringSubmatch(s, -1) {
		if !strings.Contains(s, ` id="`+id[1]+`"`) {
			t.Errorf("%s: a link leads to %s, which is not there", name, id[1])
		}
	}
	seen := map[string]bool{}
	for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(s, -1) {
		if seen[id[1]] {
			t.Errorf("%s: two elements are %s", name, id[1])
		}
		seen[id[1]] = true
	}
}

// A page of all variants at all sizes is no larger than a mail can carry: what makes it too large is
// in files alone, to which it leads.
func TestReportSize(t *testing.T) {
	p := fullReport(t).page()
	page, err := p.html()
	must(t, err)
	t.Logf("the report of a full run has %d bytes", len(page))
	if len(page) > 2_000_000 {
		t.Error("that is more than 2 MB")
	}
	away := 0
	for _, s := range p.Sections {
		for _, c := range s.Away {
			away++
			if !bytes.Contains(page, []byte(`<a href="figures/`+c.File()+`">`+c.Title+`</a>`)) || !slices.ContainsFunc(p.charts(), func(o chart) bool { return o.name == c.name }) {
				t.Errorf("no link to %s, or no file", c.File())
			}
		}
	}
	if away == 0 || bytes.Count(page, []byte("<figure")) != len(p.charts())-away {
		t.Errorf("%d figures of %d charts, %d of them in files alone", bytes.Count(page, []byte("<figure")), len(p.charts()), away)
	}
}

// A run takes away the figures of the one before, and nothing that is not its own.
func TestFiguresOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	must(t, fixedReport(false).Write(dir))
	figures := filepath.Join(dir, figuresDir)
	names := func() []string {
		entries, err := os.ReadDir(figures)
		must(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := names()
	for _, want := range []string{
		"glance.svg", "thesis-6-1-insert.svg", "thesis-6-8-back.svg", "spike-memory.svg", "ephemeral-steps.svg", "broadphase-growth.svg", "basic-32-insert_new.svg",
	} {
		if !slices.Contains(before, want) {
			t.Errorf("there is no %s", want)
		}
	}
	for _, name := range []string{"mine.svg", "mine.txt"} {
		must(t, os.WriteFile(filepath.Join(figures, name), []byte("mine"), 0o600))
	}
	outside := filepath.Join(dir, "outside.svg")
	list := read(t, figures, figuresList) + "../outside.svg\nmine.txt\n"
	for path, text := range map[string]string{outside: "mine", filepath.Join(figures, figuresList): list} {
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	r := fixedReport(true)
	must(t, r.Write(dir))
	want := []string{figuresList, "mine.svg", "mine.txt"}
	for _, c := range r.page().charts() {
		want = append(want, c.File())
	}
	slices.Sort(want)
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("after a smaller run there are %v, want %v", got, want)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestLawsInReport(t *testing.T) {
	r := fixedReport(true)
	row := func(impl, kept, text, bytes string) laws.Row {
		return laws.Row{Impl: impl, Cells: []laws.Cell{{Kept: kept, Text: text}, {Kept: "-", Text: bytes}}}
	}
	r.Laws = &laws.Table{Questions: []string{"a <question>", "bytes"}, Rows: []laws.Row{
		row("berth.Pool", "yes", "words & more", "8, or 4"), row("FirstFree", "yes", "", "8"),
		row("ark", "yes", "words & more", "16"), row("[]T", "no", "", ""),
	}}
	page, err := r.html()
	must(t, err)
	for _, want := range []string{
		`<th scope="col"><span>berth.Pool</span></th><th scope="col"><span>ark</span></th><th scope="col"><span>[]T</span></th></tr>`,
		`<th scope="row">a &lt;question&gt;</th><td title="words &amp; more"><span class="yes">`, `✓`, ` words &amp; more: berth.Pool, ark</li>`, `✗`,
		`<th scope="row">bytes</th><td title="8, or 4">8</td><td title="16">16</td><td title=""></td></tr>`, `- 8, or 4: berth.Pool</li>`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
