package fiber

import "github.com/valyala/fasthttp"

type Ctx interface {
	RequestCtx() *fasthttp.RequestCtx
	Abandon()
	Params(key string) string
	SendString(s string) error
	SendStatus(status int) error
}
