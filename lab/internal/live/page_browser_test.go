//go:build browser

package live_test

import (
	"context"
	"fmt"
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

func TestBrowserDoesWhatButtonsSay(t *testing.T) {
	browsertest.Long(t)
	host, _ := serve(t, "127.0.0.1:0")
	ctx, complaints := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host+"/#seed=5&spawn=40&life=20", 1200, 900)
	b.until("berthLive.state.scene.seed === 5 && berthLive.step > 100")

	heat, things := b.pixels(poolMap), eval[int](b, "berthLive.things")
	b.click("burst")
	b.until(fmt.Sprintf("berthLive.live.every(n => n > %d)", things+5000))
	b.until(`document.getElementById("status").textContent.startsWith("Burst: 10\u202f000 more")`)
	if b.pixels(poolMap) == heat {
		t.Error("the slots look the same after a burst")
	}
	b.until(`document.querySelector("#figures-body td.away")`)
	b.until(fmt.Sprintf("berthLive.live.every(n => n < %d)", things+1000))
	b.until(`document.getElementById("status").textContent.startsWith("berth.Pool is back") || document.querySelector("#figures-body tr:first-child td:nth-of-type(11).back")`)

	b.click("kill")
	b.until(`berthLive.state.scene.events.includes("k")`)
	b.until(`document.getElementById("status").textContent.startsWith("Kill")`)
	stood := b.pause()
	picture, drawn, lit := b.pixels("#world"), eval[int](b, "berthLive.drawn"), b.lit("#world")
	b.run(chromedp.SetValue("#life-number", "30"), chromedp.Evaluate(`document.getElementById("life-number").dispatchEvent(new Event("change"))`, nil))
	b.until(fmt.Sprintf("berthLive.state.now.life === 30 && berthLive.drawn > %d", drawn))
	if b.pixels("#world") != picture {
		t.Error("it moves while it is paused")
	}
	b.click("cull")
	b.until("berthLive.live.every(n => n === 25)")
	if n := b.lit("#world"); n == 0 || n > lit/2 {
		t.Errorf("of %d pixels, %d are lit after all but 25 things were removed", lit, n)
	}
	if step := eval[int](b, "berthLive.step"); step != stood {
		t.Errorf("paused at step %d, it is at %d after things were removed", stood, step)
	}
	b.click("renew")
	b.until("berthLive.step === 0")
	b.click("step")
	b.until("berthLive.step === 1 && berthLive.state.step === 1")
	b.until(`document.title.startsWith("Paused at step 1 ")`)

	// One container always runs.
	for range 2 {
		for k := range 4 {
			b.run(chromedp.Evaluate(fmt.Sprintf(`document.querySelectorAll(".runs")[%d].click()`, k), nil))
		}
		b.until(`berthLive.state.run.join() === (berthLive.state.run.length === 1 ? "gen" : "pool,dense,list,map,gen")`)
	}
	for k := range 4 {
		b.run(chromedp.Evaluate(fmt.Sprintf(`document.querySelectorAll(".runs")[%d].click()`, k), nil))
	}
	b.until(`berthLive.state.run.join() === "gen"`)
	b.run(chromedp.Evaluate(`document.querySelectorAll(".runs")[4].click()`, nil))
	b.until(`document.getElementById("status").textContent.startsWith("At least one container must run")`)
	b.until(`berthLive.state.run.join() === "gen" && document.querySelectorAll(".runs:checked").length === 1`)
	for _, c := range complaints() {
		t.Errorf("the browser complains: %s", c)
	}
}

// With reduced motion nothing moves before Play, and other viewers are not affected. The story
// waits for that, too.
func TestBrowserHeedsReducedMotion(t *testing.T) {
	browsertest.Long(t)
	host, _ := serve(t, "127.0.0.1:0")
	ctx, complaints := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host, 1200, 900, "prefers-reduced-motion", "reduce")
	b.until(`!document.getElementById("held").hidden && document.getElementById("play").textContent.startsWith("Play")`)
	drawn := eval[int](b, "berthLive.drawn")
	if drawn > 2 || eval[bool](b, "berthLive.state.paused") {
		t.Errorf("%d pictures were drawn, or the world was paused for all", drawn)
	}
	if events := eval[string](b, "berthLive.state.scene.events"); events != "" {
		t.Errorf("a story is told that nobody asked for: %s", events)
	}
	b.click("play")
	b.until(`berthLive.state.scene.events === "` + story + `"`)
	b.until(fmt.Sprintf(`berthLive.drawn > %d && document.getElementById("held").hidden`, drawn+20))

	// A visitor who acts first has his own world.
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+host+"/#seed=4&spawn=5&life=20"))
	b.until(`window.berthLive && berthLive.drawn > 0 && berthLive.state?.scene.seed === 4`)
	// A new world is shown, and is paused, too.
	b.run(chromedp.Evaluate(`location.hash = "#seed=4&spawn=0&life=20&do=0b"`, nil))
	b.until(`berthLive.state.scene.spawn === 0 && berthLive.things > 9000`)
	if drawn := eval[int](b, "berthLive.drawn"); drawn > 6 {
		t.Errorf("%d pictures were drawn of three worlds that stand still", drawn)
	}
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+host))
	b.until(`window.berthLive && berthLive.drawn > 0 && berthLive.state`)
	b.click("kill")
	b.until(`berthLive.state.scene.events.endsWith("k")`)
	b.click("play")
	b.until(`berthLive.drawn > 10 && document.getElementById("held").hidden`)
	if events, seed := eval[string](b, "berthLive.state.scene.events"), eval[int](b, "berthLive.state.scene.seed"); seed != 4 || !strings.HasSuffix(events, "k") {
		t.Errorf("the world of seed %d with %s took the place of what somebody had done something to", seed, events)
	}
	for _, c := range complaints() {
		t.Errorf("the browser complains: %s", c)
	}
}
