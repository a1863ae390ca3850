package gin

import "net/http"

type Context struct {
	Request *http.Request
	Writer  http.ResponseWriter
}

func (c *Context) Copy() *Context                 { return new(Context) }
func (c *Context) Param(key string) string        { return "" }
func (c *Context) ClientIP() string               { return "" }
func (c *Context) Status(code int)                {}
func (c *Context) String(code int, format string) {}
func (c *Context) Next()                          {}
