//go:build browser

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
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

// browser starts a browser for the duration of the test. Its context is not a tab yet.
func browser(t *testing.T) context.Context {
	t.Helper()
	// Without a UserDataDir, each browser gets a temporary one.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(chromium(t)),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	must(t, chromedp.Run(ctx))
	return ctx
}

// tab is the page in a browser tab.
type tab struct {
	*testing.T
	ctx   context.Context
	close context.CancelFunc
	id    string

	mu         sync.Mutex
	complaints []string
}

func newTab(t *testing.T, browser context.Context, s *server) *tab {
	t.Helper()
	p := &tab{T: t}
	p.ctx, p.close = chromedp.NewContext(browser)
	t.Cleanup(p.close)
	chromedp.ListenTarget(p.ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.complaints = append(p.complaints, "exception: "+e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			p.complaints = append(p.complaints, fmt.Sprintf("console.%s", e.Type))
		case *log.EventEntryAdded:
			p.complaints = append(p.complaints, "log: "+e.Entry.Text+" "+e.Entry.URL)
		}
	})
	p.do(log.Enable(), emulation.SetDeviceMetricsOverride(720, 440, 1, false),
		emulation.SetFocusEmulationEnabled(true), chromedp.Navigate(s.page))
	p.wait(`!document.getElementById("send").disabled`)
	p.do(chromedp.Text("#me", &p.id, chromedp.ByQuery))
	return p
}

func (p *tab) do(actions ...chromedp.Action) {
	p.Helper()
	must(p, chromedp.Run(p.ctx, actions...))
}

// wait waits until a condition holds. chromedp.Poll would need a policy that allows eval, and a tab
// in the foreground.
func (p *tab) wait(condition string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, time.Minute)
	defer cancel()
	var err error
	holds := func() (ok bool) {
		err = chromedp.Run(ctx, chromedp.Evaluate(condition, &ok))
		return ok || err != nil
	}
	if late := await(ctx, holds); late != nil || err != nil {
		var body string
		_ = chromedp.Run(p.ctx, chromedp.Text("body", &body, chromedp.ByQuery))
		p.Fatalf("%s: %v, %v; the page says:\n%s", condition, late, err, body)
	}
}

// sees waits until the last line is as given.
func (p *tab) sees(kind, line string) {
	p.Helper()
	p.wait(fmt.Sprintf(`(l => l != null && l.className == %q && l.textContent == %q)`+
		`(document.querySelector("#log").lastElementChild)`, kind, line))
}

// send sends a message with the keyboard to the id in the field.
func (p *tab) send(text string) {
	p.Helper()
	p.do(chromedp.SendKeys("#text", text+kb.Enter, chromedp.ByQuery))
}

// keep saves a screenshot, if one is wanted.
func (p *tab) keep(name string) {
	p.Helper()
	if dir := os.Getenv("BERTH_HUB_SHOTS"); dir != "" {
		var shot []byte
		p.do(chromedp.CaptureScreenshot(&shot))
		if err := os.WriteFile(dir+"/"+name, shot, 0o600); err != nil {
			p.Error(err)
		}
	}
}

func (p *tab) silent() {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.complaints {
		p.Errorf("the browser reports: %s", c)
	}
}

// TestChatInBrowser chats in two tabs. One leaves, and a message to its id finds nothing, even when
// a third tab has its slot.
func TestChatInBrowser(t *testing.T) {
	b := browser(t) // ends after the hub, whose connections must end first
	s := open(t, Config{Seed: 1, Shards: 1})
	ann, bob := newTab(t, b, s), newTab(t, b, s)
	if ann.id == bob.id || parseID(ann.id).IsZero() || len(bob.id) != 16 {
		t.Fatalf("the ids are %q and %q", ann.id, bob.id)
	}
	ann.send("hello, room")
	ann.sees("said", "you: hello, room")
	bob.sees("said", ann.id+": hello, room")
	ann.wait(`document.getElementById("state").textContent == "accepted for 2"`)

	answer := chromedp.Click("#log li:last-child .from", chromedp.ByQuery) // to its sender alone
	bob.do(answer)
	bob.send("tea?")
	bob.sees("note", "to "+ann.id+": tea?")
	ann.sees("said", bob.id+" to you alone: tea?")
	ann.do(answer)
	ann.send("at five")
	bob.sees("said", ann.id+" to you alone: at five")

	bob.silent()
	bob.close()
	must(t, await(b, func() bool { return s.hub.Report().Sessions == 1 }))
	ann.send("are you there?")
	ann.sees("gone", "nobody has the id "+bob.id+": are you there?")
	cyd := newTab(t, b, s)
	if slot(cyd.id) != slot(bob.id) || cyd.id == bob.id {
		t.Errorf("cyd is %s, bob was %s; want the same slot and another id", cyd.id, bob.id)
	}
	ann.send("and now?")
	ann.sees("gone", "nobody has the id "+bob.id+": and now?")
	cyd.send("I am new here")
	ann.sees("said", cyd.id+": I am new here")
	ann.keep("picture.png")

	ann.do(answer)
	ann.send("<img src=x onerror=alert(1)>")
	cyd.sees("said", ann.id+" to you alone: <img src=x onerror=alert(1)>")
	var lines int
	cyd.do(chromedp.Evaluate(`document.querySelectorAll("#log li").length`, &lines))
	if lines != 2 {
		t.Errorf("cyd has %d lines, want one of cyd's and the one for cyd", lines)
	}
	ann.silent()
	cyd.silent()
}

// TestEndInBrowser kicks a tab, which joins again with another id, and closes the hub.
func TestEndInBrowser(t *testing.T) {
	b := browser(t)
	s := open(t, Config{Seed: 1, Shards: 1})
	ann := newTab(t, b, s)
	if !s.hub.Kick(parseID(ann.id), "too loud") {
		t.Fatal("there is no session to kick")
	}
	ann.wait(`document.getElementById("state").textContent == "You are out: too loud."`)
	ann.wait(`document.getElementById("send").disabled`)
	ann.do(chromedp.Click("#again", chromedp.ByQuery))
	ann.wait(`!document.getElementById("send").disabled`)
	var id string
	ann.do(chromedp.Text("#me", &id, chromedp.ByQuery))
	if id == ann.id || slot(id) != slot(ann.id) {
		t.Errorf("back as %s, was %s; want the same slot and another id", id, ann.id)
	}
	ann.do(chromedp.SetValue("#to", ann.id, chromedp.ByQuery))
	ann.send("am I still there?")
	ann.sees("gone", "nobody has the id "+ann.id+": am I still there?")
	must(t, s.stop(bounded(t)))
	ann.wait(`document.getElementById("state").textContent == "You are out: the hub closes."`)
	ann.silent()
}

// TestPolicyInBrowser injects a script into the page, and fetches from another site.
func TestPolicyInBrowser(t *testing.T) {
	b := browser(t)
	ann := newTab(t, b, open(t, Config{}))
	var ran bool
	ann.do(chromedp.Evaluate(`(() => {
		const script = document.createElement("script");
		script.textContent = "window.injected = true";
		document.body.append(script);
		const button = document.createElement("div");
		button.innerHTML = "<button onclick='window.injected = true'>";
		document.body.append(button);
		button.firstChild.click();
		return window.injected === true;
	})()`, &ran))
	if ran {
		t.Error("an injected script runs")
	}
	var outside string
	ann.do(chromedp.Evaluate(`fetch("http://127.0.0.1:9/").then(() => "reached", e => e.name)`, &outside,
		func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	ann.mu.Lock()
	defer ann.mu.Unlock()
	if all := strings.Join(ann.complaints, "\n"); strings.Count(all, "Content Security Policy") < 3 {
		t.Errorf("fetch: %s; the browser reports\n%s", outside, all)
	}
}
