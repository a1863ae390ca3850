package fiber

import "github.com/valyala/fasthttp"

type Ctx struct{ n int }

func (c *Ctx) Context() *fasthttp.RequestCtx { return nil }
func (c *Ctx) Params(key string) string      { return "" }
func (c *Ctx) SendString(s string) error     { return nil }
func (c *Ctx) SendStatus(status int) error   { return nil }
func (c *Ctx) JSON(v any) error              { return nil }
