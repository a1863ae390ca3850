//go:build browser

package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium returns the path of a browser. The test fails without one: a check that skips itself
// where its tool is missing is green for ever.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no chromium, chromium-browser or google-chrome on the PATH")
	return ""
}

// newBrowser starts a browser for the length of the test and collects what it complains of.
func newBrowser(t *testing.T) (ctx context.Context, complaints func() []string) {
	t.Helper()
	// Without a UserDataDir each browser gets a fresh one, which goes with it.
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium(t)),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)

	var mu sync.Mutex
	var said []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			said = append(said, "exception: "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			said = append(said, fmt.Sprintf("console.%s", e.Type))
		case *log.EventEntryAdded:
			said = append(said, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	})
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}
}

// seen is what the page says of itself.
type seen struct {
	ScrollWidth, ClientWidth int
	Figures                  []struct {
		Marks         int
		Title, Desc   string
		Role, Caption string
		Width         float64
		Section       string   // the id of the heading above
		OffPage       []string // text that sticks out of the drawing
	}
	Partial  bool
	Requests int
	FontSize float64 // of the smallest text in a drawing, as it is shown
}

const look = `(() => {
	const heading = f => [...document.querySelectorAll("h2")].filter(h => h.compareDocumentPosition(f) & Node.DOCUMENT_POSITION_FOLLOWING).pop().id;
	const out = {
		ScrollWidth: document.documentElement.scrollWidth,
		ClientWidth: document.documentElement.clientWidth,
		Partial: document.body.innerText.includes("Partial."),
		Requests: performance.getEntriesByType("resource").length,
		Figures: [], FontSize: 1000,
	};
	for (const f of document.querySelectorAll("figure")) {
		const svg = f.querySelector("svg"), box = svg.getBoundingClientRect();
		const said = svg.getAttribute("aria-labelledby").split(" ").map(id => document.getElementById(id).textContent);
		const off = [];
		for (const t of svg.querySelectorAll("text")) {
			const b = t.getBoundingClientRect();
			if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1) off.push(t.textContent);
			out.FontSize = Math.min(out.FontSize, parseFloat(getComputedStyle(t).fontSize) * box.width / svg.viewBox.baseVal.width);
		}
		out.Figures.push({
			Marks: svg.querySelectorAll("path, rect").length, Title: said[0], Desc: said[1], OffPage: off,
			Role: svg.getAttribute("role"), Caption: f.querySelector("figcaption").textContent, Width: box.width, Section: heading(f),
		});
	}
	return out;
})()`

func TestReportInBrowser(t *testing.T) {
	for _, partial := range []bool{false, true} {
		for _, width := range []int64{380, 1200} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("partial=%t/width=%d/%s", partial, width, scheme), func(t *testing.T) {
					checkPage(t, partial, width, scheme)
				})
			}
		}
	}
}

func checkPage(t *testing.T, partial bool, width int64, scheme string) {
	dir := t.TempDir()
	r := fixedReport(partial)
	if err := r.write(dir); err != nil {
		t.Fatal(err)
	}
	ctx, complaints := newBrowser(t)
	var s seen
	var shot []byte
	err := chromedp.Run(ctx,
		log.Enable(),
		emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate("file://"+filepath.Join(dir, reportFile)),
		chromedp.WaitReady("body"),
		chromedp.Evaluate(look, &s),
		chromedp.FullScreenshot(&shot, 100),
	)
	if err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("BERTH_LAB_SHOTS"); keep != "" {
		name := fmt.Sprintf("report-%d-%s-partial_%t.png", width, scheme, partial)
		if err := os.WriteFile(filepath.Join(keep, name), shot, 0o644); err != nil {
			t.Error(err)
		}
	}
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
	if s.FontSize < 9 {
		t.Errorf("text in a figure is shown at %.1f px", s.FontSize)
	}
	if want := map[bool]int{false: 30, true: 10}[partial]; len(s.Figures) < want {
		t.Errorf("%d figures, want %d or more", len(s.Figures), want)
	}
	for _, f := range s.Figures {
		if want := marksWanted(r, f.Section, f.Caption); want == 0 || f.Marks < want {
			t.Errorf("figure %q of %s has %d marks, want %d or more", f.Caption, f.Section, f.Marks, want)
		}
		if f.Role != "img" || f.Title == "" || f.Desc == "" {
			t.Errorf("figure %q: role %q, title %q, description %q", f.Caption, f.Role, f.Title, f.Desc)
		}
		if f.Width < 200 || f.Width > float64(width) {
			t.Errorf("figure %q is %.0f wide", f.Caption, f.Width)
		}
		if len(f.OffPage) > 0 {
			t.Errorf("figure %q: text sticks out: %q", f.Caption, f.OffPage)
		}
	}
}

// marksWanted is how many implementations have the metric that a figure's caption begins with, or
// are in its section, if that is no metric that they must have.
func marksWanted(r *report, section, caption string) (n int) {
	metric, _, _ := strings.Cut(caption, " ")
	for _, j := range r.jobs {
		if j.id() != section {
			continue
		}
		ims := j.runners(r.impls)
		for _, im := range ims {
			if slices.Contains(publishedOf(im, j.w), metric) {
				n++
			}
		}
		return cmp.Or(n, len(ims))
	}
	return 0
}
