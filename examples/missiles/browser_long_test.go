//go:build browser && berth_long

package main

import (
	"context"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// On a telephone's width the picture fills the page, and a finger flies the ship.
func TestNarrowInBrowser(t *testing.T) {
	const width, height = 380, 720
	ctx := quietBrowser(t)
	must(t, chromedp.Run(ctx, emulation.SetTouchEmulationEnabled(true)))
	open(ctx, t, site(t)+"/?seed=7&wave=6&safe", width, height)
	await(ctx, t, "m.frame > 60 && m.touch") // before a finger has come down
	shoot(ctx, t, "narrow-1.png")
	err := chromedp.Run(ctx,
		input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: 350, Y: 360}}))
	must(t, err)
	await(ctx, t, "m.x > 60")
	check(t, shoot(ctx, t, "narrow.png"))
	var size struct{ Scroll, Canvas, High int }
	err = chromedp.Run(ctx, chromedp.Evaluate(`(() => {
		const c = document.querySelector("canvas");
		return {Scroll: document.documentElement.scrollWidth, Canvas: c.clientWidth, High: c.clientHeight};
	})()`, &size))
	must(t, err)
	if size.Scroll != width || size.Canvas != width || size.High != height {
		t.Errorf("in a window of %d x %d: %+v", width, height, size)
	}
}

// press holds a key until a condition on m holds, as a keyboard does.
func press(ctx context.Context, t *testing.T, code, name, condition string) {
	t.Helper()
	must(t, chromedp.Run(ctx, input.DispatchKeyEvent(input.KeyDown).WithCode(code).WithKey(name)))
	await(ctx, t, condition)
	must(t, chromedp.Run(ctx, input.DispatchKeyEvent(input.KeyUp).WithCode(code).WithKey(name)))
}

// The keys do what the README says.
func TestKeysInBrowser(t *testing.T) {
	ctx := quietBrowser(t)
	open(ctx, t, site(t)+"/?seed=7", 500, 300)
	await(ctx, t, "m.frame > 20")
	press(ctx, t, "KeyD", "d", "m.x > 60")
	press(ctx, t, "ArrowLeft", "ArrowLeft", "m.x < -20")
	for _, paused := range []string{"m.paused", "!m.paused"} {
		press(ctx, t, "KeyP", "p", paused)
	}
	await(ctx, t, "m.frame > 60")
	// A screen can have fingers and a mouse. The last one counts.
	finger := []*input.TouchPoint{{X: 250, Y: 100}}
	must(t, chromedp.Run(ctx, input.DispatchTouchEvent(input.TouchStart, finger)))
	await(ctx, t, "m.touch")
	must(t, chromedp.Run(ctx, input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{})))
	for i := range 5 {
		err := chromedp.Run(ctx, chromedp.MouseEvent(input.MouseMoved, float64(100+20*i), 100),
			chromedp.Sleep(100*time.Millisecond))
		must(t, err)
	}
	await(ctx, t, "!m.touch")
	// Each game has the seed after that of the last one. R works in a pause and at the end.
	var frame int
	must(t, chromedp.Run(ctx, chromedp.Evaluate("missiles.frame", &frame)))
	press(ctx, t, "KeyR", "r", fmt.Sprintf("m.seed != 7 || m.frame > %d", frame+30))
	await(ctx, t, "m.seed == 7 && !m.touch")
	press(ctx, t, "KeyP", "p", "m.paused")
	press(ctx, t, "KeyR", "r", "!m.paused && m.seed == 8 && m.frame < 60 && m.x == 0")
}

// Without input the game is lost, and R starts again.
func TestEndInBrowser(t *testing.T) {
	ctx := quietBrowser(t)
	open(ctx, t, site(t)+"/?seed=7&wave=6", 500, 300)
	await(ctx, t, "m.dead > 0")
	press(ctx, t, "KeyR", "r", "m.seed == 8 && m.dead == 0")
}

// note waits for the text that the page shows instead of a game.
func note(ctx context.Context, t *testing.T) (text string) {
	t.Helper()
	err := chromedp.Run(ctx, chromedp.Poll(`document.body?.innerText.includes("does not run")`, nil,
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(time.Minute)),
		chromedp.Text("#note", &text))
	must(t, err)
	return text
}

// The page shows an error for an invalid address.
func TestWrongAddressInBrowser(t *testing.T) {
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
