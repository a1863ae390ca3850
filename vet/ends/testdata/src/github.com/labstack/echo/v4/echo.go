package echo

import "net/http"

type Context interface {
	Request() *http.Request
	Param(name string) string
	String(code int, s string) error
	NoContent(code int) error
}
