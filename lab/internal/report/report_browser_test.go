//go:build browser

package report

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed505807e1/berth/lab/internal/browsertest"
)

// open opens a page of a width, and returns what it says, by a script.
func open(ctx context.Context, t *testing.T, path string, width int64, scheme, script string, out any) {
	t.Helper()
	err := chromedp.Run(ctx,
		log.Enable(),
		emulation.SetDeviceMetricsOverride(width, 900, 1, width < 500),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate("file://"+path),
		chromedp.Evaluate(script, out),
	)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// Who has no mouse gets to the figures, and to what scrolls.
func TestKeyboardInBrowser(t *testing.T) {
	dir := t.TempDir()
	must(t, fixedReport(true).Write(dir))
	ctx, _ := browsertest.New(t)
	var regions int
	open(ctx, t, filepath.Join(dir, ReportFile), 380, "light", `(() => {
		document.querySelectorAll("details").forEach(d => d.open = true);
		return document.querySelectorAll("[role=region]").length;
	})()`, &regions)
	type focus struct{ Name, Outline string }
	tab := func(key string) (f focus) {
		t.Helper()
		err := chromedp.Run(ctx, chromedp.KeyEvent(key), chromedp.Evaluate(`(() => {
			const e = document.activeElement, s = getComputedStyle(e);
			return {Name: e.getAttribute("aria-label") || e.className || e.id || e.tagName, Outline: s.outlineStyle + " " + s.outlineWidth};
		})()`, &f))
		must(t, err)
		return f
	}
	if f := tab(kb.Tab); f.Name != "skip" || f.Outline != "solid 3px" {
		t.Errorf("the first tab leads to %+v, want the visible link that skips", f)
	}
	if f := tab(kb.Enter); f.Name != "main" {
		t.Errorf("the link leads to %+v, want the main part", f)
	}
	reached := map[string]bool{}
	for range 400 {
		f := tab(kb.Tab)
		if f.Name == "BODY" || f.Name == "skip" {
			break
		}
		if f.Outline != "solid 3px" {
			t.Errorf("the focus cannot be seen on %+v", f)
		}
		for _, begin := range []string{"Ratios", "Figures"} {
			if strings.HasPrefix(f.Name, begin) {
				reached[f.Name] = true
			}
		}
	}
	if regions == 0 || len(reached) != regions {
		t.Errorf("tabs reach %d of %d regions: %v", len(reached), regions, reached)
	}
}
