//go:build browser

package live_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/seed505807e1/berth/lab/internal/browsertest"
	"github.com/seed505807e1/berth/lab/internal/live"
	"github.com/seed505807e1/berth/lab/internal/world"
)

var everyKind = []world.Kind{world.Pool, world.Dense, world.List, world.Map, world.Gen}

// serve serves a world at an address, and returns the address and a function that ends it.
func serve(t *testing.T, address string) (host string, stop func()) {
	t.Helper()
	s, err := live.New(live.Config{Scene: world.Scene{Seed: 3, Spawn: 20, Life: 30}, Run: everyKind})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ends: %v", err)
		}
	})
	t.Cleanup(stop)
	return l.Addr().String(), stop
}

// tab is a page in a browser.
type tab struct {
	*testing.T
	ctx context.Context
}

// openTab opens the page in a new window of a size.
func openTab(ctx context.Context, t *testing.T, url string, width, height int64, features ...string) tab {
	t.Helper()
	b := tab{t, ctx}
	media := emulation.SetEmulatedMedia()
	for i := 0; i < len(features); i += 2 {
		media.Features = append(media.Features, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	b.run(log.Enable(), network.Enable(),
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 500), media,
		chromedp.Navigate(url))
	b.until("window.berthLive && berthLive.up && berthLive.drawn > 0 && berthLive.state")
	return b
}

// begin serves a world and opens its page at a path. The browser must not complain during the test.
func begin(t *testing.T, path string, width, height int64, features ...string) (b tab, host string) {
	t.Helper()
	host, _ = serve(t, "127.0.0.1:0")
	ctx, complaints := browsertest.New(t)
	b = openTab(ctx, t, "http://"+host+path, width, height, features...)
	t.Cleanup(func() {
		for _, c := range complaints() {
			t.Errorf("the browser complains: %s", c)
		}
	})
	return b, host
}

// window returns a second window of the browser. A background tab draws nothing.
func (b tab) window() context.Context {
	b.Helper()
	var id target.ID
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		id, err = target.CreateTarget("about:blank").WithNewWindow(true).
			Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Browser))
		return err
	}))
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(id))
	b.Cleanup(cancel)
	return ctx
}

func (b tab) run(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// until waits until an expression is true, for as long as the browser runs.
func (b tab) until(expression string) {
	b.Helper()
	for {
		var yes bool
		err := chromedp.Run(b.ctx, chromedp.Evaluate("Boolean("+expression+")", &yes))
		if yes {
			return
		}
		if err == nil {
			select {
			case <-time.After(20 * time.Millisecond):
				continue
			case <-b.ctx.Done():
				err = b.ctx.Err()
			}
		}
		var status string
		_ = chromedp.Run(b.ctx, chromedp.Evaluate("document.body.innerText", &status))
		b.Fatalf("%s: %v\n%s", expression, err, status)
	}
}

// eval returns the value of an expression.
func eval[T any](b tab, expression string) (v T) {
	b.Helper()
	b.run(chromedp.Evaluate(expression, &v))
	return v
}

func (b tab) click(id string)  { b.Helper(); b.run(chromedp.Click("#"+id, chromedp.ByQuery)) }
func (b tab) press(key string) { b.Helper(); b.run(chromedp.KeyEvent(key)) }

// pixels returns a hash of a canvas' pixels.
func (b tab) pixels(selector string) int {
	b.Helper()
	return eval[int](b, fmt.Sprintf(`(() => {
		let h = 0;
		for (const c of document.querySelector(%q).toDataURL()) h = (h * 31 + c.charCodeAt()) | 0;
		return h;
	})()`, selector))
}

// words returns the value of an expression of p, the words of a canvas' pixels.
func (b tab) words(selector, expression string) int {
	b.Helper()
	return eval[int](b, fmt.Sprintf(`(() => {
		const from = document.querySelector(%q), to = new OffscreenCanvas(from.width, from.height).getContext("2d", {willReadFrequently: true});
		to.drawImage(from, 0, 0);
		const p = new Uint32Array(to.getImageData(0, 0, from.width, from.height).data.buffer);
		return %s;
	})()`, selector, expression))
}

// colours returns the number of colours of a canvas.
func (b tab) colours(selector string) int { b.Helper(); return b.words(selector, "new Set(p).size") }

// lit returns the number of pixels of a canvas that are not almost black.
func (b tab) lit(selector string) int {
	b.Helper()
	return b.words(selector, "p.filter(w => w & 0xe0e0e0).length")
}

// pause pauses the world, and waits until the page shows its last step.
func (b tab) pause() int {
	b.Helper()
	b.click("play")
	b.until("berthLive.state.paused && berthLive.step === berthLive.state.step")
	return eval[int](b, "berthLive.step")
}

const (
	poolMap   = "#heats .map"
	timePlot  = "#time-chart canvas"
	bytesPlot = "#memory-chart canvas"
)

// sums returns the steps that a page has seen, with the sums of all things.
func (b tab) sums() map[string]string {
	b.Helper()
	return eval[map[string]string](b, "berthLive.sums")
}

// compareSums fails unless two pages have common steps and agree on each.
func compareSums(t *testing.T, a, b map[string]string) {
	t.Helper()
	common := 0
	for step := range maps.Keys(a) {
		if other, ok := b[step]; ok {
			common++
			if other != a[step] {
				t.Errorf("step %s: %s is %s elsewhere", step, a[step], other)
				return
			}
		}
	}
	if common == 0 { // a slow machine skips many steps
		t.Error("no step was seen in both")
	}
}

func TestBrowserShowsAWorldThatMoves(t *testing.T) {
	host, _ := serve(t, "127.0.0.1:0")
	ctx, complaints := browsertest.New(t)
	var mu sync.Mutex
	var requests []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			requests = append(requests, e.Request.URL)
		case *network.EventWebSocketCreated:
			requests = append(requests, e.URL)
		}
	})
	b := openTab(ctx, t, "http://"+host, 1200, 900)

	for _, canvas := range []string{"#world", timePlot, bytesPlot} {
		before := b.pixels(canvas)
		b.until(fmt.Sprintf("berthLive.drawn > %d", eval[int](b, "berthLive.drawn")+30))
		if after := b.pixels(canvas); after == before {
			t.Errorf("%s shows the same after 30 pictures", canvas)
		}
	}
	x := eval[[]int](b, "berthLive.lastX")
	b.until(fmt.Sprintf("berthLive.lastX[0] > %d && berthLive.lastX[1] > %d", x[0], x[1]))
	for i := range 4 {
		canvas := fmt.Sprintf("#heats > li:nth-child(%d) .map", []int{1, 2, 3, 5}[i])
		if n := b.colours(canvas); n < 2 {
			t.Errorf("%s has %d colours", canvas, n)
		}
	}
	b.until(`document.getElementById("check").textContent.includes("all 5 hold the same things")`)
	b.until(`document.title.includes("things")`)
	b.until(`document.getElementById("rate").textContent.includes("1 viewer")`)
	b.until(`document.querySelectorAll("#figures-body tr td:first-of-type").length === 5 &&
		[...document.querySelectorAll("#figures-body td:nth-of-type(6)")].every(td => / [kM]?B$/.test(td.textContent))`)

	for _, c := range complaints() {
		t.Errorf("the browser complains: %s", c)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, r := range requests {
		if !strings.HasPrefix(r, "http://"+host+"/") && r != "ws://"+host+"/live" {
			t.Errorf("the page asks for %s", r)
		}
	}
	if len(requests) < 5 {
		t.Errorf("only %d requests were seen", len(requests))
	}
}

func TestBrowserComesBack(t *testing.T) {
	host, stop := serve(t, "127.0.0.1:0")
	ctx, _ := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host+"/#seed=31&spawn=33&life=20&run=pool,map", 1200, 900)
	b.until("berthLive.state.scene.seed === 31 && Object.keys(berthLive.sums).length > 60")
	before, last := b.sums(), eval[int](b, "berthLive.step")
	drawn := eval[int](b, "berthLive.drawn")
	stop()
	b.until(`!document.getElementById("gone").hidden && document.getElementById("play").matches(":disabled") && document.title.startsWith("No server")`)
	serve(t, host)
	b.until(`berthLive.up && document.getElementById("gone").hidden && !document.getElementById("play").matches(":disabled")`)
	b.until(`berthLive.state.scene.seed === 31 && berthLive.state.now.spawn === 33 && berthLive.state.run.join() === "pool,map"`)
	b.until(fmt.Sprintf("berthLive.drawn > %d && berthLive.step > %d", drawn+40, last))
	compareSums(t, before, b.sums())
}
