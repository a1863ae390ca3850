package app

import "github.com/cloudwego/hertz/pkg/protocol"

type RequestContext struct{ Request protocol.Request }

func (ctx *RequestContext) Copy() *RequestContext   { return new(RequestContext) }
func (ctx *RequestContext) Path() []byte            { return nil }
func (ctx *RequestContext) URI() *protocol.URI      { return nil }
func (ctx *RequestContext) Param(key string) string { return "" }
func (ctx *RequestContext) JSON(code int, v any)    {}
func (ctx *RequestContext) Exile()                  {}
func (ctx *RequestContext) SetStatusCode(code int)  {}
