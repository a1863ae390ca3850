//go:build browser

// Package debugpage tests the page of package observe in a browser. It is part of the lab, since
// the root requires no browser.
package debugpage

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/lab/internal/browsertest"
	"github.com/seed505807e1/berth/observe"
)

// hostile is the name of a container that would break out of HTML.
const hostile = `<img src=x onerror="document.title='broken'">`

// look returns what the page shows.
const look = `(() => {` + browsertest.Light + `
	const out = {
		Names: [], States: [], Faint: [], Points: 0, Unnamed: [],
		ScrollWidth: document.documentElement.scrollWidth, Title: document.title,
		Paper: light(getComputedStyle(document.body).backgroundColor),
		Status: document.getElementById("status").textContent,
	};
	for (const a of document.querySelectorAll("article")) {
		out.Names.push(a.querySelector("h2").textContent);
		const s = a.querySelector(".state"), img = a.querySelector("img");
		out.States.push(s.hidden ? a.querySelector("[data-of=Live]").textContent + "/" + (img.complete && img.naturalWidth > 0) : s.textContent);
		if (!s.hidden) continue;
		if (!img.alt) out.Unnamed.push("img");
		for (const g of a.querySelectorAll("svg")) if (!g.getAttribute("aria-label")) out.Unnamed.push("svg");
		out.Points = Math.max(out.Points, a.querySelector("polyline").getAttribute("points").split(" ").length);
	}
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim()) || !e.getClientRects().length || e.closest(".stale dl, .stale figure")) continue;
		let back = e;
		while (getComputedStyle(back).backgroundColor == "rgba(0, 0, 0, 0)") back = back.parentElement || document.body;
		const a = light(getComputedStyle(e).color), b = light(getComputedStyle(back).backgroundColor);
		if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) out.Faint.push(e.tagName + " " + e.textContent);
	}
	return JSON.stringify(out);
})()`

type seen struct {
	Names, States, Faint, Unnamed []string
	Points, ScrollWidth           int
	Title, Status                 string
	Paper                         float64
}

// program is a program with pools, and its page.
type program struct {
	mu       sync.Mutex
	sessions berth.Pool[[4]uint64]
	server   *httptest.Server
	asked    map[string]int
}

func newProgram(t *testing.T) *program {
	p := &program{asked: make(map[string]int)}
	var r observe.Registry
	var hs []berth.Handle[[4]uint64]
	for i := range uint64(20_000) {
		hs = append(hs, p.sessions.Insert([4]uint64{i}))
	}
	for i, h := range hs {
		if i%3 == 0 || i > 8_000 && i < 12_000 {
			p.sessions.Remove(h)
		}
	}
	open := make(chan struct{})
	lock := func(f func()) { p.mu.Lock(); defer p.mu.Unlock(); f() }
	r.Register("sessions", &p.sessions, lock)
	r.Register(hostile, berth.NewPool[int](berth.Config{Limit: 1000, Capacity: 200}), nil)
	r.Register("late", new(berth.Pool[int]), func(f func()) { <-open; f() })
	r.Register("failed", observe.StatsFunc(func() berth.Stats { panic("a value") }), nil)
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/berth", func(w http.ResponseWriter, q *http.Request) {
		p.mu.Lock()
		p.asked[q.URL.RawQuery]++
		for range 50 { // it grows while it is watched
			p.sessions.Insert([4]uint64{})
		}
		p.mu.Unlock()
		r.ServeHTTP(w, q)
	})
	p.server = httptest.NewServer(mux)
	t.Cleanup(p.server.Close)
	t.Cleanup(func() { close(open) })
	return p
}

// until looks at the page until it is as wanted.
func until(ctx context.Context, t *testing.T, what string, ok func(seen) bool) seen {
	t.Helper()
	var s seen
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var text string
		if err := chromedp.Run(ctx, chromedp.Evaluate(look, &text)); err != nil {
			t.Fatal(err)
		}
		s = seen{}
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if ok(s) {
			return s
		}
	}
	t.Fatalf("never: %s: %+v", what, s)
	return s
}

func TestDebugPageBrowser(t *testing.T) {
	paper := map[string]float64{}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{380, 1280} {
			t.Run(fmt.Sprintf("%s/%d", scheme, width), func(t *testing.T) {
				paper[scheme] = checkPage(t, scheme, width)
			})
		}
	}
	if paper["light"] < 0.8 || paper["dark"] > 0.1 {
		t.Errorf("luminance of the page: %v", paper)
	}
}

func checkPage(t *testing.T, scheme string, width int64) float64 {
	p := newProgram(t)
	ctx, complaints := browsertest.New(t)
	var mu sync.Mutex
	var foreign []string
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok &&
			!strings.HasPrefix(e.Request.URL, p.server.URL+"/debug/berth") && !strings.HasPrefix(e.Request.URL, "data:") {
			mu.Lock()
			foreign = append(foreign, e.Request.URL)
			mu.Unlock()
		}
	})
	err := chromedp.Run(ctx, network.Enable(),
		chromedp.EmulateViewport(width, 900),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(p.server.URL+"/debug/berth"),
		chromedp.SetValue("#every", "1000", chromedp.ByID),
		chromedp.Evaluate(`document.getElementById("every").dispatchEvent(new Event("change"))`, nil))
	if err != nil {
		t.Fatal(err)
	}
	s := until(ctx, t, "four containers and a history", func(s seen) bool { return len(s.Names) == 4 && s.Points > 2 })
	if got, want := fmt.Sprint(s.Names), fmt.Sprint([]string{hostile, "failed", "late", "sessions"}); got != want {
		t.Errorf("containers %s, want %s", got, want)
	}
	live := strings.TrimSuffix(s.States[3], "/true")
	if s.States[0] != "0/true" || !strings.Contains(s.States[1], "failed") || !strings.Contains(s.States[2], "late") ||
		live == s.States[3] || len(live) != len("10,666") {
		t.Errorf("states %q", s.States)
	}
	if s.Title != "berth" || len(s.Faint) > 0 || len(s.Unnamed) > 0 || s.ScrollWidth > int(width) {
		t.Errorf("title %q, faint %q, unnamed %q, %d pixels wide", s.Title, s.Faint, s.Unnamed, s.ScrollWidth)
	}
	browsertest.Keep(ctx, t, fmt.Sprintf("observe-%s-%d.png", scheme, width))
	checkKeys(ctx, t, p)
	mu.Lock()
	defer mu.Unlock()
	if len(foreign) > 0 {
		t.Errorf("requests elsewhere: %q", foreign)
	}
	if said := complaints(); len(said) > 0 {
		t.Errorf("the browser complains: %q", said)
	}
	return s.Paper
}

// checkKeys uses the page by keyboard alone: it pauses, and continues.
func checkKeys(ctx context.Context, t *testing.T, p *program) {
	t.Helper()
	run := func(actions ...chromedp.Action) {
		t.Helper()
		if err := chromedp.Run(ctx, actions...); err != nil {
			t.Fatal(err)
		}
	}
	run(chromedp.Evaluate(`document.activeElement.blur()`, nil))
	var order []string
	for range 12 {
		var id string
		var outlined bool
		run(chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(`document.activeElement.id || document.activeElement.className || document.activeElement.tagName`, &id),
			chromedp.Evaluate(`parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2`, &outlined))
		if id == "BODY" {
			break
		}
		if order = append(order, id); !outlined {
			t.Errorf("the focus of %s is not seen", id)
		}
	}
	if got := strings.Join(order, " "); !strings.HasPrefix(got, "every pause A picture") {
		t.Errorf("order of the keyboard: %s", got)
	}
	var pressed string
	run(chromedp.Focus("#pause", chromedp.ByID), chromedp.KeyEvent(" "),
		chromedp.Evaluate(`document.getElementById("pause").getAttribute("aria-pressed")`, &pressed))
	if pressed != "true" {
		t.Errorf("aria-pressed is %q after the space bar", pressed)
	}
	until(ctx, t, "paused", func(s seen) bool { return s.Status == "paused" })
	var idle bool
	for !idle {
		run(chromedp.Evaluate(`asking === null`, &idle))
	}
	p.mu.Lock()
	before := p.asked["format=json"]
	p.mu.Unlock()
	points := until(ctx, t, "paused", func(seen) bool { return true }).Points
	run(chromedp.Evaluate(`(() => { plan(); return 0; })()`, nil)) // plans nothing
	p.mu.Lock()
	if n := p.asked["format=json"]; n != before {
		t.Errorf("%d requests while it is paused", n-before)
	}
	p.mu.Unlock()
	run(chromedp.KeyEvent(kb.Enter))
	until(ctx, t, "it continues", func(s seen) bool { return s.Points > points })
}
