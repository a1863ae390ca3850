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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
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

// site builds the game once for all tests, as the README says, and serves it.
func site(t *testing.T) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
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

// long skips a test in short mode, in which one game is opened to show that it runs at all.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long")
	}
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
	if err := chromedp.Run(ctx, chromedp.CaptureScreenshot(&shot)); err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("BERTH_MISSILES_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), shot, 0o644); err != nil {
			t.Error(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// A game that the pilot plays is drawn, moves, and has the same checksum in the browser as here.
func TestDemoInBrowser(t *testing.T) {
	const seed, wave, frames = 7, 9, 300
	url := site(t)
	ctx, complaints := newBrowser(t)
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
	if err := chromedp.Run(ctx, chromedp.Evaluate("window.missiles", &state)); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", state)
	if want := expect(seed, wave, frames); state.Checksum != want {
		t.Errorf("in the browser the checksum is %s, here %s", state.Checksum, want)
	}
	for _, c := range complaints() {
		t.Errorf("the browser reports: %s", c)
	}
}

// On a telephone's width the picture fills the page, and a finger flies the ship.
func TestNarrowInBrowser(t *testing.T) {
	long(t)
	const width, height = 380, 720
	ctx, complaints := newBrowser(t)
	if err := chromedp.Run(ctx, emulation.SetTouchEmulationEnabled(true)); err != nil {
		t.Fatal(err)
	}
	open(ctx, t, site(t)+"/?seed=7&wave=6&safe", width, height)
	await(ctx, t, "m.frame > 60 && m.touch") // before a finger has come down
	shoot(ctx, t, "narrow-1.png")
	err := chromedp.Run(ctx,
		input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: 350, Y: 360}}))
	if err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "m.x > 60")
	check(t, shoot(ctx, t, "narrow.png"))
	var size struct{ Scroll, Canvas, High int }
	err = chromedp.Run(ctx, chromedp.Evaluate(`(() => {
		const c = document.querySelector("canvas");
		return {Scroll: document.documentElement.scrollWidth, Canvas: c.clientWidth, High: c.clientHeight};
	})()`, &size))
	if err != nil {
		t.Fatal(err)
	}
	if size.Scroll != width || size.Canvas != width || size.High != height {
		t.Errorf("in a window of %d x %d: %+v", width, height, size)
	}
	for _, c := range complaints() {
		t.Errorf("the browser reports: %s", c)
	}
}

// key presses or releases a key, as a keyboard does.
func key(ctx context.Context, t *testing.T, kind input.KeyType, code, name string) {
	t.Helper()
	if err := chromedp.Run(ctx, input.DispatchKeyEvent(kind).WithCode(code).WithKey(name)); err != nil {
		t.Fatal(err)
	}
}

// The keys do what the README says.
func TestKeysInBrowser(t *testing.T) {
	long(t)
	ctx, complaints := newBrowser(t)
	open(ctx, t, site(t)+"/?seed=7", 500, 300)
	await(ctx, t, "m.frame > 20")
	key(ctx, t, input.KeyDown, "KeyD", "d")
	await(ctx, t, "m.x > 60")
	key(ctx, t, input.KeyUp, "KeyD", "d")
	key(ctx, t, input.KeyDown, "ArrowLeft", "ArrowLeft")
	await(ctx, t, "m.x < -20")
	key(ctx, t, input.KeyUp, "ArrowLeft", "ArrowLeft")
	for _, paused := range []string{"m.paused", "!m.paused"} {
		key(ctx, t, input.KeyDown, "KeyP", "p")
		await(ctx, t, paused)
		key(ctx, t, input.KeyUp, "KeyP", "p")
	}
	await(ctx, t, "m.frame > 60")
	// A screen can have fingers and a mouse. The last one counts.
	finger := []*input.TouchPoint{{X: 250, Y: 100}}
	if err := chromedp.Run(ctx, input.DispatchTouchEvent(input.TouchStart, finger)); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "m.touch")
	if err := chromedp.Run(ctx, input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{})); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		err := chromedp.Run(ctx, chromedp.MouseEvent(input.MouseMoved, float64(100+20*i), 100),
			chromedp.Sleep(100*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
	}
	await(ctx, t, "!m.touch")
	// Each game has the seed after that of the last one. R works in a pause and at the end.
	var frame int
	if err := chromedp.Run(ctx, chromedp.Evaluate("missiles.frame", &frame)); err != nil {
		t.Fatal(err)
	}
	key(ctx, t, input.KeyDown, "KeyR", "r")
	await(ctx, t, fmt.Sprintf("m.seed != 7 || m.frame > %d", frame+30))
	key(ctx, t, input.KeyUp, "KeyR", "r")
	await(ctx, t, "m.seed == 7 && !m.touch")
	key(ctx, t, input.KeyDown, "KeyP", "p")
	await(ctx, t, "m.paused")
	key(ctx, t, input.KeyUp, "KeyP", "p")
	key(ctx, t, input.KeyDown, "KeyR", "r")
	await(ctx, t, "!m.paused && m.seed == 8 && m.frame < 60 && m.x == 0")
	key(ctx, t, input.KeyUp, "KeyR", "r")
	for _, c := range complaints() {
		t.Errorf("the browser reports: %s", c)
	}
}

// Without input the game is lost, and R starts again.
func TestEndInBrowser(t *testing.T) {
	long(t)
	ctx, complaints := newBrowser(t)
	open(ctx, t, site(t)+"/?seed=7&wave=6", 500, 300)
	await(ctx, t, "m.dead > 0")
	key(ctx, t, input.KeyDown, "KeyR", "r")
	await(ctx, t, "m.seed == 8 && m.dead == 0")
	key(ctx, t, input.KeyUp, "KeyR", "r")
	for _, c := range complaints() {
		t.Errorf("the browser reports: %s", c)
	}
}

// note waits for the text that the page shows instead of a game.
func note(ctx context.Context, t *testing.T) (text string) {
	t.Helper()
	err := chromedp.Run(ctx, chromedp.Poll(`document.body?.innerText.includes("does not run")`, nil,
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(time.Minute)),
		chromedp.Text("#note", &text))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The page shows an error for an invalid address.
func TestWrongAddressInBrowser(t *testing.T) {
	long(t)
	url := site(t)
	ctx, _ := newBrowser(t)
	for query, want := range map[string]string{
		"?seed=abc": `seed="abc"`, "?wave=99999999999999999999": `wave="99999999999999999999"`, "?wave=31": "wave 31",
		"?demo&frames=-1": `frames="-1"`, "?seed=%zz": "%zz",
	} {
		open(ctx, t, url+"/"+query, 500, 300)
		if text := note(ctx, t); !strings.Contains(text, want) {
			t.Errorf("%s: the page says %q, want %s in it", query, text, want)
		}
		if light, dark := shades(shoot(ctx, t, "wrong.png")); light < 100 || dark < 100_000 {
			t.Errorf("%s: %d pixels are text, %d are dark", query, light, dark)
		}
	}
}

// The page shows an error if the browser cannot draw the game.
func TestNoWebGLInBrowser(t *testing.T) {
	long(t)
	ctx, _ := newBrowser(t, chromedp.Flag("disable-3d-apis", true))
	open(ctx, t, site(t)+"/?demo", 500, 300)
	if text := note(ctx, t); !strings.Contains(text, "webgl") {
		t.Errorf("the page says %q", text)
	}
	if light, _ := shades(shoot(ctx, t, "no-webgl.png")); light < 100 {
		t.Errorf("%d pixels are text", light)
	}
}

// shades counts the pixels of a picture by brightness.
func shades(img image.Image) (light, dark int) {
	b := img.Bounds()
	for y := range b.Max.Y {
		for x := range b.Max.X {
			switch _, g, _, _ := img.At(x, y).RGBA(); {
			case g>>8 > 150:
				light++
			case g>>8 < 20:
				dark++
			}
		}
	}
	return light, dark
}
