// Package table uses requests of hertz after their release.
package table

import "github.com/cloudwego/hertz/pkg/protocol"

type client interface {
	Do(req *protocol.Request, resp *protocol.Response) error
}

// bad: github.com/cloudwego/hertz/pkg/protocol.ReleaseRequest
// bad: github.com/cloudwego/hertz/pkg/protocol.ReleaseResponse
func call(c client) (int, []byte) {
	req, resp := protocol.AcquireRequest(), protocol.AcquireResponse()
	err := c.Do(req, resp)
	protocol.ReleaseRequest(req)
	protocol.ReleaseResponse(resp)
	if err != nil {
		return 0, req.Body() // want `req is stale: protocol.ReleaseRequest on line \d+`
	}
	return resp.StatusCode(), nil // want `resp is stale: protocol.ReleaseResponse on line \d+ gave`
}

// good: github.com/cloudwego/hertz/pkg/protocol.ReleaseRequest
// good: github.com/cloudwego/hertz/pkg/protocol.ReleaseResponse
func callFirst(c client) (int, string) {
	req, resp := protocol.AcquireRequest(), protocol.AcquireResponse()
	defer func() {
		protocol.ReleaseRequest(req)
		protocol.ReleaseResponse(resp)
	}()
	if err := c.Do(req, resp); err != nil {
		return 0, string(req.Body())
	}
	return resp.StatusCode(), ""
}
