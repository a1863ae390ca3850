//go:build browser && berth_long

package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/lab/internal/browsertest"
	"github.com/seed505807e1/berth/lab/internal/laws"
)

// seen is what a page says of itself.
type seen struct {
	ScrollWidth, ClientWidth int
	Figures                  []struct {
		drawing
		Caption, Metric string
		Section         string // the id of the heading above, if there is one
	}
	Partial   bool
	Requests  int
	Paper     string   // the background
	Headings  []string // those that come too deep, after the one before
	Unnamed   []string // tables' cells that no header names, and regions without a name
	Faint     []string // text whose contrast is less than 4.5
	FontStack string   // of the first text in a drawing
}

// drawing is what an SVG element says of itself.
type drawing struct {
	Marks             int // paths that have a length or an area, by their parts
	Title, Desc, Role string
	Width             float64
	OffPage           []string // text that sticks out of the drawing
	Overlaps          []string // text that lies on other text
	FontSize          float64  // of the smallest text, as it is shown
	Ink               string   // the colour of the first text
}

// drawingScript looks at an SVG element.
const drawingScript = `const drawing = svg => {
	const box = svg.getBoundingClientRect(), said = svg.getAttribute("aria-labelledby").split(" ").map(id => document.getElementById(id).textContent);
	const out = {Marks: 0, Title: said[0], Desc: said[1], Role: svg.getAttribute("role"), Width: box.width, OffPage: [], Overlaps: [], FontSize: 1000, Ink: ""};
	for (const p of svg.querySelectorAll("path"))
		if (p.getTotalLength() > 0) out.Marks += p.getAttribute("d").split("M").length - 1;
	const texts = [...svg.querySelectorAll("text")].map(t => ({t, b: t.getBoundingClientRect()}));
	texts.forEach(({t, b}, i) => {
		if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1) out.OffPage.push(t.textContent);
		// A letter without a part below the line leaves room there: two lines may share some of it.
		for (const o of texts.slice(0, i))
			if (Math.min(b.right, o.b.right) - Math.max(b.left, o.b.left) > 1 && Math.min(b.bottom, o.b.bottom) - Math.max(b.top, o.b.top) > b.height / 4) out.Overlaps.push(t.textContent + " on " + o.t.textContent);
		out.FontSize = Math.min(out.FontSize, parseFloat(getComputedStyle(t).fontSize) * box.width / svg.viewBox.baseVal.width);
		out.Ink ||= getComputedStyle(t).fill;
	});
	return out;
};`

const look = `(() => {` + drawingScript + browsertest.Light + `
	document.querySelectorAll("details").forEach(d => d.open = true);
	const heading = f => [...document.querySelectorAll("h2, h3")].filter(h => h.id && h.compareDocumentPosition(f) & Node.DOCUMENT_POSITION_FOLLOWING).pop()?.id || "";
	const shown = e => e.getClientRects().length > 0;
	const out = {
		ScrollWidth: document.documentElement.scrollWidth,
		ClientWidth: document.documentElement.clientWidth,
		Partial: document.body.innerText.includes("Partial."),
		Requests: performance.getEntriesByType("resource").length,
		Paper: getComputedStyle(document.body).backgroundColor,
		Figures: [], Headings: [], Unnamed: [], Faint: [],
		FontStack: getComputedStyle(document.querySelector("svg text")).fontFamily,
	};
	for (const f of document.querySelectorAll("figure")) {
		const svg = [...f.querySelectorAll("svg")].filter(shown);
		if (svg.length != 1) throw new Error(svg.length + " drawings are shown of " + f.textContent);
		out.Figures.push({...drawing(svg[0]), Caption: f.querySelector("figcaption").textContent, Metric: f.dataset.metric || "", Section: heading(f)});
	}
	let level = 0;
	for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
		if (+h.tagName[1] > level + 1) out.Headings.push(h.textContent);
		level = +h.tagName[1];
	}
	for (const row of document.querySelectorAll("tbody tr")) if (!row.querySelector("th[scope=row]")) out.Unnamed.push(row.textContent);
	for (const th of document.querySelectorAll("th:not([scope])")) out.Unnamed.push(th.textContent);
	for (const r of document.querySelectorAll("[role=region]")) if (!r.getAttribute("aria-label") || r.tabIndex != 0) out.Unnamed.push("a region");
	const faint = new Set();
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) || !shown(e) || e.closest("title, desc")) continue;
		let back = e;
		while (getComputedStyle(back).backgroundColor == "rgba(0, 0, 0, 0)") back = back.parentElement;
		const style = getComputedStyle(e), a = light(e.closest("svg") ? style.fill : style.color), b = light(getComputedStyle(back).backgroundColor);
		if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) faint.add(e.tagName + " " + e.textContent);
	}
	out.Faint = [...faint];
	return out;
})()`

func TestReportInBrowser(t *testing.T) {
	for _, page := range []struct {
		partial bool
		figures int
	}{{false, 42}, {true, 10}} {
		for _, width := range []int64{380, 1200} {
			inks := map[string]bool{}
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("partial=%t/width=%d/%s", page.partial, width, scheme), func(t *testing.T) {
					s := checkPage(t, page.partial, width, scheme)
					if len(s.Figures) < page.figures {
						t.Errorf("%d figures, want %d or more", len(s.Figures), page.figures)
					}
					inks[s.Paper], inks[s.Figures[0].Ink] = true, true
				})
			}
			if len(inks) != 4 {
				t.Errorf("width %d: paper and ink are %v, want others in the dark than in the light", width, inks)
			}
		}
	}
}

func checkPage(t *testing.T, partial bool, width int64, scheme string) (s seen) {
	dir := t.TempDir()
	r := fixedReport(partial)
	r.Laws = &laws.Table{Questions: []string{"Is it kept?", "And this?"}, Rows: []laws.Row{{Impl: "berth.Pool", Cells: []laws.Cell{{Kept: "yes", Text: "it is"}, {Kept: "partly", Text: "at times"}}}}}
	must(t, r.Write(dir))
	ctx, complaints := browsertest.New(t)
	open(ctx, t, filepath.Join(dir, ReportFile), width, scheme, look, &s)
	browsertest.Keep(ctx, t, fmt.Sprintf("report-%d-%s-partial_%t.png", width, scheme, partial))
	for _, c := range complaints() {
		t.Errorf("the browser complains: %s", c)
	}
	if s.ScrollWidth > int(width) {
		t.Errorf("the page is %d wide, in a window of %d", s.ScrollWidth, width)
	}
	if s.Requests != 0 {
		t.Errorf("the page loads %d things from outside itself", s.Requests)
	}
	if s.Partial != partial {
		t.Errorf("the page says that it is partial: %t, want %t", s.Partial, partial)
	}
	if !strings.HasPrefix(s.FontStack, `"Liberation Sans", Arial`) {
		t.Errorf("text in figures is in %s", s.FontStack)
	}
	if len(s.Headings)+len(s.Unnamed)+len(s.Faint) > 0 {
		t.Errorf("headings out of order %q, cells or regions without a name %q, text hard to read %q", s.Headings, s.Unnamed, s.Faint)
	}
	for _, f := range s.Figures {
		section := f.Section
		if strings.HasPrefix(f.Caption, "Figure 6.") { // it may have some implementations alone
			section = ""
		}
		f.check(t, f.Caption, marksWanted(r, section, f.Metric), float64(width))
	}
	return s
}

// check looks at a drawing in a window of a width.
func (d drawing) check(t *testing.T, name string, marks int, width float64) {
	t.Helper()
	if d.Marks < marks {
		t.Errorf("figure %q has %d marks, want %d or more", name, d.Marks, marks)
	}
	if d.Role != "img" || d.Title == "" || len(d.Desc) < 10 {
		t.Errorf("figure %q: role %q, title %q, description %q", name, d.Role, d.Title, d.Desc)
	}
	if d.Width < 200 || d.Width > width {
		t.Errorf("figure %q is %.0f wide", name, d.Width)
	}
	if len(d.OffPage)+len(d.Overlaps) > 0 {
		t.Errorf("figure %q: text sticks out: %q; lies on other: %q", name, d.OffPage, d.Overlaps)
	}
	if d.FontSize < 11 {
		t.Errorf("figure %q: text is shown at %.1f px", name, d.FontSize)
	}
}

// marksWanted is the number of implementations that have a figure's metric, or are in its section if
// it has none. A figure outside the sections of workloads has at least three marks.
func marksWanted(r *Report, section, metric string) (n int) {
	for _, j := range r.Jobs {
		if j.ID() != section {
			continue
		}
		ims := j.Runners(r.Impls)
		for _, im := range ims {
			if slices.Contains(j.Workload.Always(im), metric) {
				n++
			}
		}
		return cmp.Or(n, len(ims))
	}
	return 3
}
