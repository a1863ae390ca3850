//go:build browser && berth_long

package live_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/seed505807e1/berth/lab/internal/browsertest"
)

func TestBrowserKeepsTheSceneInTheAddress(t *testing.T) {
	b, _ := begin(t, "/#seed=11&spawn=30&life=40&run=pool,gen", 1200, 900)
	b.until(`berthLive.state.scene.seed === 11 && berthLive.state.run.join() === "pool,gen" && berthLive.step > 50`)
	b.run(chromedp.SetValue("#spawn", "60"), chromedp.Evaluate(`document.getElementById("spawn").dispatchEvent(new Event("input"))`, nil))
	b.until(`berthLive.state.now.spawn === 60 && /^#seed=11&spawn=30&life=40&run=pool,gen&do=\d+s60$/.test(location.hash)`)
	hash := eval[string](b, "location.hash")
	b.until("berthLive.step > berthLive.state.step + 60")
	step, before := eval[int](b, "berthLive.step"), b.sums()

	// After a reload, the world continues.
	b.run(chromedp.Reload())
	b.until("window.berthLive && berthLive.drawn > 0 && berthLive.state")
	if now, shown := eval[int](b, "berthLive.step"), eval[string](b, "location.hash"); now < step || shown != hash {
		t.Errorf("after step %d of %s comes step %d of %s", step, hash, now, shown)
	}

	// On another server it is the same.
	other, _ := serve(t, "127.0.0.1:0")
	b.run(chromedp.Navigate("http://" + other + "/" + hash))
	b.until(fmt.Sprintf("window.berthLive && berthLive.state && berthLive.state.scene.seed === 11 && berthLive.step > %d", step))
	if shown := eval[string](b, "location.hash"); shown != hash {
		t.Errorf("opened elsewhere, %s became %s", hash, shown)
	}
	compareSums(t, before, b.sums())
}

func TestBrowserFollowsTheAddress(t *testing.T) {
	b, host := begin(t, "/#seed=21&spawn=10&life=1000&do=30b", 1200, 900)
	b.until("berthLive.state.scene.seed === 21 && berthLive.things > 9000")
	// An edited address, and history navigation.
	b.run(chromedp.Evaluate(`location.hash = "#seed=22&spawn=11&life=20&paused=1"`, nil))
	b.until("berthLive.state.scene.seed === 22 && berthLive.state.now.spawn === 11 && berthLive.state.paused")
	b.run(chromedp.Evaluate("history.back()", nil))
	b.until("berthLive.state.scene.seed === 21 && !berthLive.state.paused")
	b.run(chromedp.Evaluate("history.forward()", nil))
	b.until("berthLive.state.scene.seed === 22 && berthLive.state.paused")

	// The page reports the bad parts to all viewers and uses the rest.
	for _, c := range []struct{ hash, says, shown, follows string }{
		{"#seed=abc", "seed is “abc”, but must be a whole number from 1 to 2147483647. Using 1 instead.",
			"seed 1, 100 new a step, a lifetime of 220 steps, no events, all containers", "seed === 1"},
		{"#seed=7&spawn=99999999&life=20", "spawn is “99999999”, but must be a whole number from 0 to 1000. Using 100 instead.",
			"seed 7, 100 new a step", "spawn === 100"},
		{"#seed=8&spawn=3&life=-5", "life is “-5”", "a lifetime of 220 steps", "life === 220"},
		{"#seed=9&spawn=3&life=20&do=5b,6x,7k", "do has “6x” as event 2", "2 events", `events === "5b,7k"`},
		{"#seed=10&spawn=3&life=20&speed=9", "“speed” is unknown", "seed 10", "seed === 10"},
		{"#controls", "“controls” is unknown", "seed 10", "seed === 10"},
	} {
		b.run(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", c.hash), nil))
		b.until(fmt.Sprintf(`berthLive.state.scene.%s && !document.getElementById("malformed").hidden && document.getElementById("malformed-list").textContent.includes(%q) && document.getElementById("malformed-shown").textContent.includes(%q)`, c.follows, c.says, c.shown))
		if role := eval[string](b, `document.getElementById("malformed").getAttribute("role")`); role != "alert" {
			t.Errorf("what is wrong has the role %q", role)
		}
		b.until(`!location.hash.includes("speed") && !location.hash.includes("controls") && location.hash.startsWith("#seed=" + berthLive.state.scene.seed)`)
	}
	b.run(chromedp.Evaluate(`location.hash = "#seed=22&spawn=11&life=20&paused=1"`, nil))
	b.until(`document.getElementById("malformed").hidden && berthLive.state.scene.seed === 22`)
	// The report is short, however many parts are wrong.
	b.run(chromedp.Evaluate(`location.hash = "#seed=22&spawn=11&life=20&paused=1" + "&x=1".repeat(500) + "&" + "y".repeat(5000)`, nil))
	b.until(`!document.getElementById("malformed").hidden && document.getElementById("malformed-list").textContent.endsWith("495 more like these.")`)
	if n := eval[int](b, `document.getElementById("malformed").textContent.length`); n > 2000 {
		t.Errorf("what is wrong is told in %d characters", n)
	}

	// A page opened so begins with the valid parts.
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+host+"/#seed=x&spawn=12&life=30"))
	b.until(`window.berthLive && berthLive.state && !document.getElementById("malformed").hidden && berthLive.state.scene.seed === 1 && berthLive.state.scene.spawn === 12`)
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+host+"/?seed=5#seed=2&spawn=12&life=30"))
	b.until(`window.berthLive && berthLive.state && document.getElementById("malformed-list").textContent.includes("the world follows #, not ?") && berthLive.state.scene.seed === 2`)
}

func TestBrowserTabsSeeOneWorld(t *testing.T) {
	host, _ := serve(t, "127.0.0.1:0")
	ctx, _ := browsertest.New(t)
	b := openTab(ctx, t, "http://"+host, 1200, 900)
	b.until(`location.hash.includes("do=")`)
	c := openTab(b.window(), t, "http://"+host+"/"+eval[string](b, "location.hash"), 1200, 900)
	c.until("berthLive.state.viewers === 2 && berthLive.drawn > 60")
	b.until("berthLive.state.viewers === 2")
	c.click("kill")
	b.until(`berthLive.state.scene.events.includes("k") && location.hash.includes("k")`)
	compareSums(t, c.sums(), b.sums())
	c.pause()
	b.until(`berthLive.state.paused && document.getElementById("play").textContent.startsWith("Play")`)
	b.until("berthLive.step === berthLive.state.step")
	if x, y := eval[[]int](b, "berthLive.live"), eval[[]int](c, "berthLive.live"); fmt.Sprint(x) != fmt.Sprint(y) {
		t.Errorf("one tab has %d live values, the other one %d", x, y)
	}
}
