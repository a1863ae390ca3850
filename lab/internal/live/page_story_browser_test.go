//go:build browser && berth_long

package live_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// story holds the events of the story of serve's scene.
const story = "195b,195b,195b,195b,195b,195b,195b,195b,195b,195b"

// A visitor without a link sees the world, then a burst, and then the rest.
func TestBrowserTellsAStory(t *testing.T) {
	b, _ := begin(t, "", 1280, 900)
	b.until(`berthLive.state.scene.events === "` + story + `" && location.hash.endsWith("&do=` + story + `")`)
	hash := eval[string](b, "location.hash")
	b.until(`document.getElementById("status").textContent.includes("A burst of 100\u202f000 things comes in ")`)
	b.until("berthLive.step > 120")
	if n := eval[int](b, "berthLive.things"); n > 2000 {
		t.Errorf("%d things before the burst", n)
	}
	b.until("berthLive.things >= 100000")
	b.until(`document.getElementById("status").textContent === "Burst at step 195: 100\u202f000 more things."`)
	b.until("berthLive.things < 2000")
	b.until(`/^Memory after the burst: Pool \d.*, Map \d.*, Gen \d+(\.\d)?×\.$/.test(document.getElementById("status").textContent)`)
	// After it, a container that releases memory has done so, and one that does not has not.
	b.until(`document.querySelector("#figures-body tr:nth-child(1) td:nth-of-type(11).back") && document.querySelector("#figures-body tr:nth-child(5) td:nth-of-type(11).away")`)
	b.until(`document.getElementById("check").textContent.includes("all 5 hold the same things")`)
	if wrong := eval[bool](b, "berthLive.disagreed"); wrong {
		t.Error("at some step, the containers held different things")
	}
	seen := b.sums()

	// After a reload it continues; on another server, its link gives the same world, through the
	// burst.
	step := eval[int](b, "berthLive.step")
	b.run(chromedp.Reload())
	b.until("window.berthLive && berthLive.drawn > 0 && berthLive.state")
	if now := eval[int](b, "berthLive.step"); now < step {
		t.Errorf("loaded again at step %d, it is at step %d", step, now)
	}
	other, _ := serve(t, "127.0.0.1:0")
	b.run(chromedp.Navigate("http://" + other + "/" + hash))
	b.until(`window.berthLive && berthLive.state && location.hash.endsWith("` + story + `") && berthLive.step > 230`)
	there := b.sums()
	compareSums(t, seen, there)
	burst := eval[int](b, `Object.keys(berthLive.sums).filter(n => n > 195 && n < 225).length`)
	if burst == 0 {
		t.Error("no step of the burst was seen")
	}

	// A later visitor who is alone sees the story from the beginning. One who is not joins the
	// others.
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+other))
	b.until(`window.berthLive && berthLive.drawn > 0 && location.hash.endsWith("` + story + `") && berthLive.step < 195`)
	b.until("berthLive.step > 10")
	c := openTab(b.window(), t, "http://"+other, 1200, 900)
	c.until(`location.hash.endsWith("` + story + `") && berthLive.state.viewers === 2`)
	if n := eval[int](c, "berthLive.state.step"); n <= 10 {
		t.Errorf("who joined is at step %d: the world of another one began anew", n)
	}
}
