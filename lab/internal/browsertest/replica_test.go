//go:build browser

package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The page of replica-demo is tested here, because module replica does not require a browser.

// startDemo builds and starts replica-demo, and returns the address of its page. The test fails if
// its exit status is not 0 in the end.
func startDemo(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "replica-demo")
	const path = "github.com/seed505807e1/berth/replica/cmd/replica-demo"
	if out, err := exec.Command("go", "build", "-o", exe, path).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(exe, "-plain", "-missiles", "3000")
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	_, url, _ := strings.Cut(lines.Text(), "page ")
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			_ = cmd.Process.Kill()
		}
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("replica-demo: %v", err)
		}
	})
	if url == "" {
		t.Fatalf("replica-demo says %q", lines.Text())
	}
	return url
}

// demo is the page of replica-demo in a tab.
type demo struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
}

func (d *demo) do(actions ...chromedp.Action) {
	d.Helper()
	if err := chromedp.Run(d.ctx, actions...); err != nil {
		d.Fatal(err)
	}
}

// eval evaluates an expression. The page has no eval of its own, by its policy.
func eval[T any](d *demo, expression string) (v T) {
	d.Helper()
	d.do(chromedp.Evaluate(expression, &v))
	return v
}

// wait waits until a condition holds.
func (d *demo) wait(condition string) {
	d.Helper()
	for end := time.Now().Add(time.Minute); !eval[bool](d, condition); {
		if time.Now().After(end) {
			d.Fatalf("not in a minute: %s; the page says:\n%s", condition,
				eval[string](d, "document.body.innerText"))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

const equal = `[...document.querySelectorAll("#rows tr")].slice(-3).every(tr => tr.dataset.state == "running" &&
	tr.querySelector("td.equal")) && document.querySelector("#rows tr") != null`

// cell returns an expression for the text of a cell.
func cell(process, column string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#rows tr")].find(tr => tr.cells[0].textContent == %q)`+
		`.querySelector('[data-label=%q]').textContent`, process, column)
}

// TestReplicaDemoBrowser shows three followers with equal hashes, and kills processes by the
// keyboard.
func TestReplicaDemoBrowser(t *testing.T) {
	ctx, complaints := New(t)
	url := startDemo(t)
	d := &demo{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok {
			d.mu.Lock()
			d.requests = append(d.requests, e.Request.Method+" "+e.Request.URL)
			d.mu.Unlock()
		}
	})
	d.do(log.Enable(), network.Enable(), emulation.SetFocusEmulationEnabled(true),
		emulation.SetDeviceMetricsOverride(1280, 900, 1, false), chromedp.Navigate(url))
	d.wait(equal)
	d.wait(`document.querySelector("#summary").textContent == "3 of 3 followers are equal to the leader"`)
	d.wait(`document.querySelectorAll("canvas").length == 3`)
	d.painted()

	// Tab reaches all buttons, in the order of the table, and Enter presses one.
	for _, name := range []string{"server", "leader", "follower-1", "follower-2", "follower-3"} {
		d.do(chromedp.KeyEvent(kb.Tab))
		if got := eval[string](d, `document.activeElement.getAttribute("aria-label")`); got != "kill "+name {
			t.Fatalf("Tab reaches %q, want the button of %s", got, name)
		}
		pid := eval[string](d, cell(name, "pid"))
		d.do(chromedp.KeyEvent(kb.Enter))
		d.wait(fmt.Sprintf(`%s == "1" && ![%q, ""].includes(%s)`, cell(name, "restarts"), pid, cell(name, "pid")))
		d.wait(equal)
		if got := eval[string](d, `document.activeElement.getAttribute("aria-label")`); got != "kill "+name {
			t.Errorf("the focus went to %q", got)
		}
	}
	frame := eval[string](d, cell("follower-3", "frame"))
	d.wait(fmt.Sprintf(`+%s > %s`, cell("follower-3", "frame"), frame))
	d.wait(equal)
	d.painted()

	for _, scheme := range []string{"light", "dark"} {
		d.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}}))
		d.legible()
		for _, width := range []int64{380, 700, 1280} {
			d.do(emulation.SetDeviceMetricsOverride(width, 900, 1, false))
			if over := eval[int](d, `document.scrollingElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s, %d pixels wide: %d too many", scheme, width, over)
			}
			d.wait(equal)
			Keep(ctx, t, fmt.Sprintf("replica-demo-%s-%d.png", scheme, width))
		}
	}
	if said := complaints(); len(said) > 0 {
		t.Errorf("the browser reports %q", said)
	}
	d.sameOrigin(url)
	d.policy()
}

// painted fails if a picture has no dots of two colours.
func (d *demo) painted() {
	d.Helper()
	d.wait(`[...document.querySelectorAll("canvas")].every(c => {
		const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
		const colours = new Set();
		for (let i = 0; i < data.length; i += 4) {
			if (data[i + 3]) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
		}
		return colours.size == 2;
	})`)
}

// legible fails if text has less contrast than WCAG AA asks for.
func (d *demo) legible() {
	d.Helper()
	d.wait(equal)
	for _, text := range eval[[]string](d, `(() => {
		`+Light+`
		const paper = light(getComputedStyle(document.body).backgroundColor);
		return [...document.querySelectorAll("p, caption, th, td, button, figcaption")].filter(e => {
			const ink = light(getComputedStyle(e).color);
			return (Math.max(ink, paper) + .05) / (Math.min(ink, paper) + .05) < 4.5;
		}).map(e => e.outerHTML);
	})()`) {
		d.Errorf("too little contrast: %s", text)
	}
}

// sameOrigin fails if a request went anywhere but to the page's server.
func (d *demo) sameOrigin(url string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	states, kills := 0, 0
	for _, r := range d.requests {
		method, to, _ := strings.Cut(r, " ")
		switch {
		case !strings.HasPrefix(to, url):
			d.Errorf("a request leaves the page's origin: %s", r)
		case to == url+"state":
			states++
		case method == "POST":
			kills++
		}
	}
	if states < 5 || kills != 5 {
		d.Errorf("%d requests for the state, %d to kill, in %q", states, kills, d.requests)
	}
}

// policy injects a script into the page, and fetches from another site.
func (d *demo) policy() {
	if eval[bool](d, `(() => {
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		return window.injected === true;
	})()`) {
		d.Error("an injected script runs")
	}
	var answer json.RawMessage
	d.do(chromedp.Evaluate(`fetch("http://127.0.0.1:9/").then(() => "reached", e => e.name)`, &answer,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	if string(answer) != `"TypeError"` {
		d.Errorf("a request to another site: %s", answer)
	}
}
