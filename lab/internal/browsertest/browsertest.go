//go:build browser

// Package browsertest starts a browser for tests of pages.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium returns the path of a browser. The test fails without one, since a check that skips
// itself without its tool is always green.
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

// New starts a browser for the duration of the test and collects its complaints.
func New(t *testing.T) (ctx context.Context, complaints func() []string) {
	t.Helper()
	// Without a UserDataDir each browser gets a temporary one.
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
	// chromedp reports events newer than itself, which do not concern a page.
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute) // less than the timeout of go test
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
		return slices.Clone(said)
	}
}

// Keep saves a screenshot if a folder for them is set.
func Keep(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	if dir := os.Getenv("BERTH_LAB_SHOTS"); dir != "" {
		var shot []byte
		if err := chromedp.Run(ctx, chromedp.FullScreenshot(&shot, 100)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), shot, 0o644); err != nil {
			t.Error(err)
		}
	}
}

// Light is a script that computes the relative luminance of a colour, on which contrast is defined.
const Light = `const light = c => {
	const even = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const [r, g, b] = c.match(/[\d.]+/g).map(v => even(v / 255));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};`
