package report

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/laws"
)

func TestReport(t *testing.T) {
	for _, partial := range []bool{false, true} {
		r := fixedReport(partial)
		name := fmt.Sprintf("partial %t", partial)
		p := r.page()
		page, err := p.html()
		must(t, err)
		s := string(page)
		if strings.Contains(s, "Partial.") != partial {
			t.Errorf("%s: banner is there: %t", name, !partial)
		}
		if strings.Contains(s, "http") || strings.Contains(s, "<script") || strings.Contains(s, "<link rel=\"stylesheet") {
			t.Errorf("%s: it refers to something outside itself, or has a script", name)
		}
		if strings.Contains(s, "ZgotmplZ") || strings.Contains(s, "<&>") || strings.Contains(s, "%!") {
			t.Errorf("%s: badly escaped or formatted", name)
		}
		charts := p.charts()
		big := 0
		for _, c := range charts {
			if c.Big() {
				big++
			}
		}
		n := len(charts)
		if n == 0 || strings.Count(s, "<figure") != n || strings.Count(s, "<svg") != n+big || strings.Count(s, "<desc") != n+big {
			t.Errorf("%s: %d figures of %d charts", name, strings.Count(s, "<figure"), n)
		}
		checkLinks(t, name, s)
		for _, im := range r.Impls {
			if n := strings.Count(s, "<h4>"+strings.ReplaceAll(im.Name, "+", "&#43;")+"</h4>"); n != 1 {
				t.Errorf("%s: %d descriptions of %s", name, n, im.Name)
			}
		}
	}
}

// charts returns all charts of the page.
func (p *page) charts() (all []chart) {
	if p.Glance != nil {
		all = append(all, *p.Glance)
	}
	for _, s := range p.Sections {
		all = slices.Concat(all, s.Lead, s.More)
	}
	return all
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

// A page of all variants at all sizes is no larger than a mail can carry, since it leaves out the
// charts of further sizes that have the most rows.
func TestReportSize(t *testing.T) {
	r := fullReport(t)
	p := r.page()
	page, err := p.html()
	must(t, err)
	t.Logf("the report of a full run has %d bytes", len(page))
	if len(page) > 2_000_000 {
		t.Error("that is more than 2 MB")
	}
	left := 0
	for i, s := range p.Sections {
		if crowded := !r.first(r.Jobs[i]) && len(s.Impls) > crowd; crowded {
			left++
			if len(s.More) > 0 {
				t.Errorf("%s has %d charts of %d rows", s.ID, len(s.More), len(s.Impls))
			}
		}
	}
	if left == 0 {
		t.Error("no charts are left out")
	}
}

// A run leaves two files, and its page has charts of all kinds.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	must(t, fixedReport(false).Write(dir))
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 || !strings.HasPrefix(read(t, dir, ResultsFile), "[") {
		t.Errorf("the folder has %v (%v)", entries, err)
	}
	page := read(t, dir, ReportFile)
	for _, name := range []string{"glance", "spike-memory", "ephemeral-steps", "gc", "broadphase-growth", "basic-32-insert_new"} {
		if !strings.Contains(page, `<title id="f-`+name+`-t">`) {
			t.Errorf("there is no chart %s", name)
		}
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
		`<th scope="col"><span>berth.Pool</span></th><th scope="col"><span>FirstFree</span></th><th scope="col"><span>ark</span></th><th scope="col"><span>[]T</span></th></tr>`,
		`<th scope="row">a &lt;question&gt;</th><td title="words &amp; more"><span class="yes">`, `✓`, ` words &amp; more: berth.Pool, ark</li>`, `✗`,
		`<th scope="row">bytes</th><td title="8, or 4">8</td><td title="8">8</td><td title="16">16</td><td title=""></td></tr>`, `- 8, or 4: berth.Pool</li>`,
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
