//go:build browser && berth_long

package live_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/seed505807e1/berth/lab/internal/browsertest"
)

func TestBrowserHearsKeys(t *testing.T) {
	b, _ := begin(t, "/#seed=41&spawn=20&life=40", 1200, 900)
	b.until("berthLive.state.scene.seed === 41")
	b.press(" ")
	b.until("berthLive.state.paused && berthLive.step === berthLive.state.step")
	step := eval[int](b, "berthLive.step")
	b.press("s")
	b.until(fmt.Sprintf("berthLive.step === %d && berthLive.state.step === %d", step+1, step+1))
	b.press("b")
	b.until(`berthLive.state.scene.events.endsWith("b") && berthLive.things > 10000`)
	b.press("k")
	b.until(`berthLive.state.scene.events.endsWith("k") && berthLive.things < 3000`)
	b.press("l")
	b.until(`berthLive.state.scene.events.endsWith("l") && berthLive.things === 25`)
	b.press("]")
	b.until("berthLive.state.now.spawn === 30")
	b.press("[")
	b.press("[")
	b.until("berthLive.state.now.spawn === 10")
	b.press("+")
	b.until("berthLive.state.now.life === 50")
	b.press("-")
	b.until("berthLive.state.now.life === 40")
	b.press("3")
	b.until(`berthLive.state.run.join() === "pool,dense,map,gen"`)
	b.press("3")
	b.until(`berthLive.state.run.length === 5`)
	b.press("?")
	b.until(`document.getElementById("help").open`)
	b.press("n") // without effect below a dialog
	b.press(kb.Escape)
	b.until(`!document.getElementById("help").open`)
	b.press("s")
	b.until(fmt.Sprintf("berthLive.state.step === %d && berthLive.state.scene.seed === 41", step+2))
	b.press("n")
	b.until("berthLive.state.scene.seed !== 41 && berthLive.step === 0")

	// Keys have no effect while the user types, and when they are turned off.
	b.run(chromedp.Focus("#seed", chromedp.ByQuery))
	b.press("b")
	b.run(chromedp.Focus("#shortcuts", chromedp.ByQuery))
	b.press(" ")
	b.until(`!document.getElementById("shortcuts").checked`)
	b.press("k")
	b.run(chromedp.Evaluate("document.activeElement.blur()", nil))
	b.press("l")
	b.press(" ")
	b.click("step")
	b.until("berthLive.step === 1")
	if s := eval[string](b, "berthLive.state.scene.events + berthLive.state.paused"); s != "true" {
		t.Errorf("keys did %s while they were to do nothing", s)
	}
}

// The keyboard reaches every control, and the focus is visible.
func TestBrowserTabReachesEverything(t *testing.T) {
	host, _ := serve(t, "127.0.0.1:0")
	ctx, _ := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host, 1200, 900)
	b.press(" ") // not by the mouse, since tab would continue from there
	b.until("berthLive.state.paused")
	const name = `(e => e.id || e.value || e.getAttribute("aria-labelledby"))`
	want := eval[[]string](b, `[...document.querySelectorAll("a, button, input, [tabindex='0']")].filter(e => !e.closest("dialog")).map(`+name+`)`)
	if len(want) < 22 {
		t.Errorf("only %d things take the focus: %q", len(want), want)
	}
	var got []string
	for range len(want) + 5 {
		b.press(kb.Tab)
		var f struct{ Name, Outline string }
		b.run(chromedp.Evaluate(`(e => ({Name: e === document.body ? "" : `+name+`(e), Outline: getComputedStyle(e).outline}))(document.activeElement)`, &f))
		if f.Name == "" || slices.Contains(got, f.Name) {
			break
		}
		if !strings.Contains(f.Outline, "solid 3px") {
			t.Errorf("the focus cannot be seen on %s: %s", f.Name, f.Outline)
		}
		got = append(got, f.Name)
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("tab does not reach %s", w)
		}
	}
	if want[0] != "skip" || got[0] != "skip" {
		t.Errorf("the first of all is %s, want the link that skips", got[0])
	}
	hash := eval[string](b, "location.hash")
	b.run(chromedp.Focus("#skip", chromedp.ByQuery))
	b.press(kb.Enter)
	b.until(`document.activeElement.id === "controls"`)
	if after := eval[string](b, "location.hash"); after != hash {
		t.Errorf("skipping changes the address from %s to %s", hash, after)
	}
}

// Controls and pictures have accessible names.
func TestBrowserNamesEverything(t *testing.T) {
	host, _ := serve(t, "127.0.0.1:0")
	ctx, _ := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host, 1200, 900)
	b.until(`document.getElementById("world").getAttribute("aria-label").includes("particles") && document.querySelector(".map").getAttribute("aria-label").includes("live")`)
	b.pause()
	var nodes []*accessibility.Node
	b.run(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		nodes, err = accessibility.GetFullAXTree().Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Target))
		return err
	}))
	roles := map[string]int{}
	for _, n := range nodes {
		if n.Ignored || n.Role == nil {
			continue
		}
		role, name := strings.Trim(string(n.Role.Value), `"`), ""
		if n.Name != nil {
			name = strings.Trim(string(n.Name.Value), `"`)
		}
		switch role {
		case "button", "checkbox", "slider", "spinbutton", "image", "img", "table", "region", "group", "link", "rowheader", "columnheader":
			roles[role]++
			if name == "" && role != "table" && role != "group" {
				t.Errorf("a %s has no name", role)
			}
		}
	}
	roles["image"] += roles["img"]
	for role, least := range map[string]int{"button": 9, "checkbox": 6, "slider": 2, "spinbutton": 3, "image": 7, "rowheader": 5, "columnheader": 13} {
		if roles[role] < least {
			t.Errorf("%d of role %s, want %d or more: %v", roles[role], role, least, roles)
		}
	}
	if n := eval[int](b, `[...document.querySelectorAll("canvas")].filter(c => !(c.getAttribute("aria-label")?.length > 20) || c.getAttribute("role") !== "img").length`); n != 0 {
		t.Errorf("%d pictures do not say what they show", n)
	}
	if n := eval[int](b, `document.querySelectorAll("[role=status]").length`); n != 1 {
		t.Errorf("%d lines of status, want 1", n)
	}
}

// faint lists texts with too little contrast, and elements that stick out.
const faint = `(() => {` + browsertest.Light + `
	const out = new Set(), blend = (over, under) => {
		const [a, b] = [over, under].map(c => c.match(/[\d.]+/g).map(Number)), part = a[3] ?? 1;
		return "rgb(" + [0, 1, 2].map(i => a[i] * part + b[i] * (1 - part)).join() + ")";
	};
	for (const e of document.querySelectorAll("body *")) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length || e.closest("noscript, svg")) continue;
		let back = e;
		while (/, 0\)$/.test(getComputedStyle(back).backgroundColor)) back = back.parentElement;
		const ground = getComputedStyle(back).backgroundColor, a = light(blend(getComputedStyle(e).color, ground)), b = light(ground);
		if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) out.add(e.tagName + " " + e.textContent);
	}
	return [...out];
})()`

// columns lists the table's columns that are not fully visible: with current contents, with the
// widest possible, and, if the table scrolls, after scrolling to them.
const columns = `(() => {
	const box = document.querySelector(".scroll"), rows = [...box.querySelectorAll("tr")], out = [];
	const edge = () => Math.min(innerWidth, box.getBoundingClientRect().right);
	const widest = ["200\u202f000", "200\u202f000", "200\u202f000", "262\u202f144", "200\u202f000", "99.9 MB", "100000.0", "100\u202f000", "100\u202f000", "100\u202f000", "100×", "100×"];
	const look = what => {
		const cells = [...box.querySelectorAll("th, td")], scrolls = box.scrollWidth > box.clientWidth;
		if (scrolls && (innerWidth >= 1024 || !/auto|scroll/.test(getComputedStyle(box).overflowX) || box.tabIndex !== 0)) out.push(what + ": " + box.scrollWidth + " pixels in " + box.clientWidth);
		for (const cell of cells) {
			box.scrollLeft = 0;
			const fixed = getComputedStyle(cell).position === "sticky" ? 0 : box.querySelector("tbody th").getBoundingClientRect().right;
			if (cell.colSpan === 1 && cell.getBoundingClientRect().right > edge() + 0.5) box.scrollLeft = cell.getBoundingClientRect().right - edge() + 0.5;
			const r = cell.getBoundingClientRect();
			if (cell.colSpan === 1 && (r.left < fixed - 1 || r.right > edge() + 1) || cell.scrollWidth > cell.clientWidth + 1 || r.width === 0) out.push(what + ": " + cell.textContent);
		}
		box.scrollLeft = 0;
	};
	look("as it is");
	const before = [...box.querySelectorAll("td")].map(td => td.textContent);
	for (const row of box.querySelectorAll("tbody tr")) [...row.cells].slice(1).forEach((td, i) => (td.textContent = widest[i]));
	look("at its widest");
	[...box.querySelectorAll("td")].forEach((td, i) => (td.textContent = before[i]));
	return rows.length === 7 && box.querySelectorAll("td").length === 60 ? out : ["no table"];
})()`

func TestBrowserFitsWindows(t *testing.T) {
	host, _ := serve(t, "127.0.0.1:0")
	ctx, complaints := browsertest.New(t)
	papers := map[string]bool{}
	for i, c := range []struct {
		width, height int64
		scheme        string
	}{
		{380, 800, "light"}, {380, 800, "dark"}, {768, 1024, "light"}, {1024, 768, "light"}, {1024, 768, "dark"},
		{1280, 800, "light"}, {1280, 800, "dark"}, {1440, 900, "light"}, {1440, 900, "dark"}, {1920, 1080, "light"}, {1920, 1080, "dark"},
	} {
		b := openTab(ctx, t, fmt.Sprintf("http://%s/#seed=%d&spawn=100&life=220", host, 51+i), c.width, c.height, "prefers-color-scheme", c.scheme)
		b.T = t
		b.until(fmt.Sprintf("berthLive.state.scene.seed === %d && berthLive.step > 20", 51+i))
		b.click("burst")
		b.until(`berthLive.things > 10000 && document.querySelector("#figures-body td.away, #figures-body td.back")`)
		b.until(fmt.Sprintf("berthLive.drawn > %d", eval[int](b, "berthLive.drawn")+15))
		what := fmt.Sprintf("%dx%d-%s", c.width, c.height, c.scheme)
		if w := eval[int](b, "document.documentElement.scrollWidth"); w > int(c.width) {
			t.Errorf("%s: the page is %d wide", what, w)
		}
		if h := eval[int](b, "document.documentElement.scrollHeight"); c.width > 1400 && h > int(c.height) {
			t.Errorf("%s: the page is %d high, and is not seen at once", what, h)
		}
		if f := eval[[]string](b, faint); len(f) > 0 {
			t.Errorf("%s: text is hard to read: %q", what, f)
		}
		if out := eval[[]string](b, `[...document.querySelectorAll("main *")].filter(e => !e.closest(".scroll, .vh, .chart, svg") && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + " " + e.id)`); len(out) > 0 {
			t.Errorf("%s: %q stick out", what, out)
		}
		if cut := eval[[]string](b, columns); len(cut) > 0 {
			t.Errorf("%s: of the table is not seen: %q", what, cut)
		}
		papers[eval[string](b, "getComputedStyle(document.body).backgroundColor")] = true
		browsertest.Keep(ctx, t, "live-"+what+".png")
		b.run(chromedp.Navigate("about:blank"))
	}
	if len(papers) != 2 {
		t.Errorf("the paper is %v, want another in the dark than in the light", papers)
	}
	for _, c := range complaints() {
		t.Errorf("the browser complains: %s", c)
	}
}

// Nothing keeps its width in a window that becomes narrow, such as a rotated phone.
func TestBrowserFollowsTheWindow(t *testing.T) {
	b, _ := begin(t, "/#seed=5&spawn=20&life=60", 1440, 900)
	b.until("berthLive.drawn > 5")
	for _, width := range []int64{1024, 380, 1440} {
		b.run(emulation.SetDeviceMetricsOverride(width, 900, 1, false))
		b.until(fmt.Sprintf("innerWidth === %d && document.documentElement.scrollWidth <= innerWidth", width))
		b.until(`(() => {
			const room = document.querySelector(".map-room").clientWidth;
			return [...document.querySelectorAll("canvas.map")].every(c => Math.abs(c.getBoundingClientRect().width - room) <= 1);
		})()`)
	}
}

func TestBrowserDoesWhatButtonsSay(t *testing.T) {
	b, _ := begin(t, "/#seed=5&spawn=40&life=20", 1200, 900)
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
}

// With reduced motion nothing moves before Play, and other viewers are not affected. The story
// waits for that, too.
func TestBrowserHeedsReducedMotion(t *testing.T) {
	b, host := begin(t, "", 1200, 900, "prefers-reduced-motion", "reduce")
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
}
