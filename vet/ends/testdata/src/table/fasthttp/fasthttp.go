// Package table uses requests and responses of fasthttp after their release.
package table

import (
	"bytes"
	"errors"
	"log"
	"time"

	"github.com/valyala/fasthttp"
)

func use(...any) {}

// bad: github.com/valyala/fasthttp.ReleaseResponse github.com/valyala/fasthttp.Response.Body
func fetch(url string) ([]byte, error) {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	return resp.Body(), nil // want `resp.Body\(\) is returned, but the deferred fasthttp.Rel`
}

// good: github.com/valyala/fasthttp.ReleaseResponse github.com/valyala/fasthttp.Response.Body
// good: github.com/valyala/fasthttp.ReleaseRequest
func fetchCopied(url string) ([]byte, error) {
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(url)
	if err := fasthttp.Do(req, resp); err != nil {
		return nil, err
	}
	return append([]byte(nil), resp.Body()...), nil
}

// good: github.com/valyala/fasthttp.ReleaseResponse
func fetchSwapped(resp *fasthttp.Response) []byte {
	defer fasthttp.ReleaseResponse(resp)
	return resp.SwapBody(nil) // the response has another body now
}

// good: github.com/valyala/fasthttp.ReleaseResponse
func fetchUnpacked(resp *fasthttp.Response) ([]byte, error) {
	defer fasthttp.ReleaseResponse(resp)
	return resp.BodyGunzip()
}

// bad: github.com/valyala/fasthttp.ReleaseResponse
func status(req *fasthttp.Request) (int, error) {
	resp := fasthttp.AcquireResponse()
	err := fasthttp.Do(req, resp)
	fasthttp.ReleaseResponse(resp)
	return resp.StatusCode(), err // want `resp is stale: fasthttp.ReleaseResponse on line \d+ gave`
}

// good: github.com/valyala/fasthttp.ReleaseResponse
func statusFirst(req *fasthttp.Request) (int, error) {
	resp := fasthttp.AcquireResponse()
	err := fasthttp.Do(req, resp)
	code := resp.StatusCode()
	fasthttp.ReleaseResponse(resp)
	return code, err
}

// bad: github.com/valyala/fasthttp.ReleaseRequest github.com/valyala/fasthttp.Request.Body
func retry(req *fasthttp.Request, resp *fasthttp.Response) {
	body := req.Body()
	err := fasthttp.Do(req, resp)
	fasthttp.ReleaseRequest(req)
	if err != nil {
		log.Printf("%s: %v", body, err) // want `body is stale: fasthttp.ReleaseRequest on line \d+`
	}
}

// good: github.com/valyala/fasthttp.ReleaseRequest github.com/valyala/fasthttp.Request.Body
func retryFirst(req *fasthttp.Request, resp *fasthttp.Response) {
	body := req.Body()
	if err := fasthttp.Do(req, resp); err != nil {
		log.Printf("%s: %v", body, err)
	}
	fasthttp.ReleaseRequest(req)
}

// bad: github.com/valyala/fasthttp.ResponseHeader.Peek
func location(req *fasthttp.Request) ([]byte, error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	err := fasthttp.Do(req, resp)
	to := resp.Header.Peek("Location")
	return to, err // want `to is returned, but the deferred fasthttp.ReleaseResponse on line \d+`
}

// good: github.com/valyala/fasthttp.ResponseHeader.Peek
func locationCopied(req *fasthttp.Request) (string, error) {
	resp := fasthttp.AcquireResponse()
	defer fasthttp.ReleaseResponse(resp)
	err := fasthttp.Do(req, resp)
	to := resp.Header.Peek("Location")
	return string(to), err
}

// bad: github.com/valyala/fasthttp.Args.Peek github.com/valyala/fasthttp.ReleaseArgs
func query(s string) []byte {
	args := fasthttp.AcquireArgs()
	defer fasthttp.ReleaseArgs(args)
	args.Parse(s)
	return args.Peek("q") // want `args.Peek\("q"\) is returned, but the deferred fasthttp.Release`
}

// good: github.com/valyala/fasthttp.Args.Peek github.com/valyala/fasthttp.ReleaseArgs
func queryCopied(s string) ([]byte, bool) {
	args := fasthttp.AcquireArgs()
	defer fasthttp.ReleaseArgs(args)
	args.Parse(s)
	return bytes.Clone(args.Peek("q")), args.Has("q")
}

// bad: github.com/valyala/fasthttp.Cookie.Value github.com/valyala/fasthttp.ReleaseCookie
func cookie(s string) ([]byte, error) {
	c := fasthttp.AcquireCookie()
	if err := c.Parse(s); err != nil {
		fasthttp.ReleaseCookie(c)
		return nil, err
	}
	v := c.Value()
	fasthttp.ReleaseCookie(c)
	return v, nil // want `v is stale: fasthttp.ReleaseCookie on line \d+ gave it back`
}

// good: github.com/valyala/fasthttp.Cookie.Value github.com/valyala/fasthttp.ReleaseCookie
func cookieCopied(s string) (string, error) {
	c := fasthttp.AcquireCookie()
	if err := c.Parse(s); err != nil {
		fasthttp.ReleaseCookie(c)
		return "", err
	}
	v := string(c.Value())
	fasthttp.ReleaseCookie(c)
	return v, nil
}

// bad: github.com/valyala/fasthttp.ReleaseURI
func path(s []byte) string {
	u := fasthttp.AcquireURI()
	err := u.Parse(nil, s)
	fasthttp.ReleaseURI(u)
	if err != nil {
		return ""
	}
	return string(u.Path()) // want `u is stale: fasthttp.ReleaseURI on line \d+ gave it back`
}

// good: github.com/valyala/fasthttp.ReleaseURI
func pathFirst(s []byte) string {
	u := fasthttp.AcquireURI()
	defer fasthttp.ReleaseURI(u)
	if err := u.Parse(nil, s); err != nil {
		return ""
	}
	return string(u.Path())
}

// bad: github.com/valyala/fasthttp.RequestCtx
func handler(ctx *fasthttp.RequestCtx) {
	go func() {
		log.Printf("%s", ctx.Path()) // want `ctx is used in a goroutine, but is valid only`
	}()
	ctx.SetBodyString("accepted")
}

func save(b []byte) { use(b) }

// bad: github.com/valyala/fasthttp.RequestCtx.PostBody github.com/valyala/fasthttp.RequestCtx.Path
// bad: github.com/valyala/fasthttp.RequestCtx.FormValue
// bad: github.com/valyala/fasthttp.RequestCtx.QueryArgs
func post(ctx *fasthttp.RequestCtx) {
	body, path, name := ctx.PostBody(), ctx.Path(), ctx.FormValue("name")
	go save(body) // want `body is used in a goroutine, but is valid only until post returns`
	go save(path) // want `path is used in a goroutine, but is valid only until post returns`
	go save(name) // want `name is used in a goroutine, but is valid only until post returns`
	args := ctx.QueryArgs()
	go func() {
		use(args.Has("q")) // want `args is used in a goroutine, but is valid only until post`
	}()
}

// good: github.com/valyala/fasthttp.RequestCtx
// good: github.com/valyala/fasthttp.RequestCtx.PostBody github.com/valyala/fasthttp.RequestCtx.Path
// good: github.com/valyala/fasthttp.RequestCtx.FormValue
// good: github.com/valyala/fasthttp.RequestCtx.QueryArgs
func postCopied(ctx *fasthttp.RequestCtx) {
	body := bytes.Clone(ctx.PostBody())
	path, name := string(ctx.Path()), string(ctx.FormValue("name"))
	all := ctx.QueryArgs().Has("all")
	go func() {
		save(body)
		use(path, name, all)
	}()
}

// good: github.com/valyala/fasthttp.RequestCtx
func slow(ctx *fasthttp.RequestCtx) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		ctx.SetBodyString("done")
	}()
	select {
	case <-done:
	case <-time.After(time.Second):
		ctx.TimeoutError("too late")
	}
}

func run(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("done") }

// good: github.com/valyala/fasthttp.RequestCtx github.com/valyala/fasthttp.RequestCtx.TimeoutError
// good: github.com/valyala/fasthttp.RequestCtx.TimeoutErrorWithCode
// good: github.com/valyala/fasthttp.RequestCtx.TimeoutErrorWithResponse
func background(ctx *fasthttp.RequestCtx, code int, resp *fasthttp.Response) {
	path := ctx.Path()
	go save(path)
	go run(ctx)
	go func() { ctx.SetBodyString("done") }()
	switch { // on each way ctx is not reused
	case resp != nil:
		ctx.TimeoutErrorWithResponse(resp)
	case code != 0:
		ctx.TimeoutErrorWithCode("later", code)
	default:
		ctx.TimeoutError("later")
	}
}

// bad: github.com/valyala/fasthttp.RequestCtx github.com/valyala/fasthttp.RequestCtx.TimeoutError
// bad: github.com/valyala/fasthttp.RequestCtx.TimeoutErrorWithCode
// bad: github.com/valyala/fasthttp.RequestCtx.TimeoutErrorWithResponse
func another(ctx, old *fasthttp.RequestCtx, resp *fasthttp.Response) {
	old.TimeoutErrorWithResponse(resp)
	old.TimeoutErrorWithCode("gone", 410)
	old.TimeoutError("gone")
	go run(old)
	go run(ctx) // want `ctx is used in a goroutine, but is valid only until another returns`
}

var last []byte

var errEmpty = errors.New("empty")

// bad: github.com/valyala/fasthttp.RequestHeader.Peek
func remember(ctx *fasthttp.RequestCtx) {
	last = ctx.Request.Header.Peek("X-Id") // want `is kept, but is valid only until remember`
}

// good: github.com/valyala/fasthttp.RequestHeader.Peek
func rememberCopied(ctx *fasthttp.RequestCtx) {
	last = append(last[:0], ctx.Request.Header.Peek("X-Id")...)
}

// good: github.com/valyala/fasthttp.RequestCtx.PostBody
func body(ctx *fasthttp.RequestCtx) ([]byte, error) {
	b := ctx.PostBody()
	if len(b) == 0 {
		return nil, errEmpty
	}
	return b, nil // to the handler, which has not returned
}

// A session is the context of a framework. It is pooled with its request.
type session struct {
	ctx  *fasthttp.RequestCtx
	path []byte
}

// good: github.com/valyala/fasthttp.RequestCtx github.com/valyala/fasthttp.RequestCtx.Path
func (s *session) reset(ctx *fasthttp.RequestCtx) {
	s.ctx = ctx
	s.path = append(s.path[:0], ctx.Path()...)
}

// good: github.com/valyala/fasthttp.RequestCtx.PostBody github.com/valyala/fasthttp.RequestCtx.Path
func copiedInCall(ctx *fasthttp.RequestCtx) {
	go use(string(ctx.PostBody()), string(ctx.Path()[1:]))
}

// good: github.com/valyala/fasthttp.RequestCtx.PostBody
func withinItself(ctx *fasthttp.RequestCtx) {
	ctx.Kept = ctx.PostBody()
}

var bodies = make(chan []byte, 1)

// bad: github.com/valyala/fasthttp.RequestCtx.PostBody
func sent(ctx *fasthttp.RequestCtx) {
	bodies <- ctx.PostBody() // want `ctx.PostBody\(\) is kept, but is valid only until sent returns`
}

type context = fasthttp.RequestCtx

// bad: github.com/valyala/fasthttp.RequestCtx.Path
func named(ctx *context) {
	last = ctx.Path() // want `ctx.Path\(\) is kept, but is valid only until named returns`
}

// good: github.com/valyala/fasthttp.RequestCtx.PostBody
func bodyByName(ctx *fasthttp.RequestCtx) (b []byte, err error) {
	b = ctx.PostBody()
	return b, nil
}
