//go:build browser

package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chromium returns the path of a browser. The test fails without one, because a skipped test would
// go unnoticed.
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

// newBrowser starts a browser that draws WebGL without a graphics card, and collects its errors.
func newBrowser(t *testing.T, more ...chromedp.ExecAllocatorOption) (ctx context.Context, complaints func() []string) {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromium(t)),
		chromedp.Headless, chromedp.NoSandbox, chromedp.NoFirstRun,
		chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(options, more...)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
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
			for _, a := range e.Args {
				said = append(said, fmt.Sprintf("console.%s: %s", e.Type, a.Value))
			}
		case *log.EventEntryAdded:
			// The speed of its graphics does not matter here.
			if e.Entry.Level == log.LevelError {
				said = append(said, "log: "+e.Entry.Text+" "+e.Entry.URL)
			}
		}
	})
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(said)
	}
}

// quietBrowser is newBrowser for a test in which the browser must report no errors.
func quietBrowser(t *testing.T) context.Context {
	t.Helper()
	ctx, complaints := newBrowser(t)
	t.Cleanup(func() {
		for _, c := range complaints() {
			t.Errorf("the browser reports: %s", c)
		}
	})
	return ctx
}

// site builds the game once for all tests, as the README says, and serves it.
func site(t *testing.T) string {
	t.Helper()
	dir, err := built()
	must(t, err)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}

var built = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "site")
	if out, err := exec.Command("go", "run", "./web", "-o", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go run ./web: %w\n%s", err, out)
	}
	return dir, nil
})

var scratch string // of all tests

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "missiles"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// open opens the game in a window.
func open(ctx context.Context, t *testing.T, url string, width, height int64) {
	t.Helper()
	err := chromedp.Run(ctx, log.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 500),
		chromedp.Navigate(url),
	)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}

// await waits until a condition on m, which is window.missiles, holds.
func await(ctx context.Context, t *testing.T, condition string) {
	t.Helper()
	err := chromedp.Run(ctx, chromedp.Poll("(m => m && ("+condition+"))(window.missiles)", nil,
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(time.Minute)))
	if err != nil {
		var state map[string]any
		chromedp.Run(ctx, chromedp.Evaluate("window.missiles", &state)) //nolint:errcheck // it is to say more
		t.Fatalf("%s: %v; the game is %v", condition, err, state)
	}
}

// shoot takes a picture, and saves it if that is wanted.
func shoot(ctx context.Context, t *testing.T, name string) image.Image {
	t.Helper()
	var shot []byte
	must(t, chromedp.Run(ctx, chromedp.CaptureScreenshot(&shot)))
	if dir := os.Getenv("BERTH_MISSILES_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), shot, 0o644); err != nil {
			t.Error(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(shot))
	must(t, err)
	return img
}

// A game that the pilot plays is drawn, moves, and has the same checksum in the browser as here.
func TestDemoInBrowser(t *testing.T) {
	const seed, wave, frames = 7, 9, 300
	url := site(t)
	ctx := quietBrowser(t)
	open(ctx, t, fmt.Sprintf("%s/?demo&seed=%d&wave=%d&frames=%d", url, seed, wave, frames), 800, 500)
	await(ctx, t, "m.frame > 100")
	first := shoot(ctx, t, "demo-1.png")
	await(ctx, t, "m.checksum")
	last := shoot(ctx, t, "demo-2.png")
	check(t, first)
	check(t, last)
	if n := differ(first, last); n < 5000 {
		t.Errorf("two pictures differ in %d pixels only: nothing moves", n)
	}

	var state struct {
		Checksum             string
		Drawn, Frame, Live   int
		FPS, Step            float64
		Score, Lost, Unknown int
	}
	must(t, chromedp.Run(ctx, chromedp.Evaluate("window.missiles", &state)))
	t.Logf("%+v", state)
	if want := expect(seed, wave, frames); state.Checksum != want {
		t.Errorf("in the browser the checksum is %s, here %s", state.Checksum, want)
	}
}
