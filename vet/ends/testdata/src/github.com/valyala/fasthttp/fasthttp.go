package fasthttp

type Request struct{ Header RequestHeader }

func AcquireRequest() *Request              { return nil }
func ReleaseRequest(req *Request)           {}
func (req *Request) Body() []byte           { return nil }
func (req *Request) SetRequestURI(s string) {}

type RequestHeader struct{ n int }

func (h *RequestHeader) Peek(key string) []byte { return nil }

type Response struct{ Header ResponseHeader }

func AcquireResponse() *Response                   { return nil }
func ReleaseResponse(resp *Response)               {}
func (resp *Response) Body() []byte                { return nil }
func (resp *Response) StatusCode() int             { return 0 }
func (resp *Response) SwapBody(b []byte) []byte    { return nil }
func (resp *Response) BodyGunzip() ([]byte, error) { return nil, nil }

type ResponseHeader struct{ n int }

func (h *ResponseHeader) Peek(key string) []byte { return nil }

type Args struct{ n int }

func AcquireArgs() *Args               { return nil }
func ReleaseArgs(a *Args)              {}
func (a *Args) Parse(s string)         {}
func (a *Args) Peek(key string) []byte { return nil }
func (a *Args) Has(key string) bool    { return false }

type Cookie struct{ n int }

func AcquireCookie() *Cookie             { return nil }
func ReleaseCookie(c *Cookie)            {}
func (c *Cookie) Parse(src string) error { return nil }
func (c *Cookie) Value() []byte          { return nil }

type URI struct{ n int }

func AcquireURI() *URI                      { return nil }
func ReleaseURI(u *URI)                     {}
func (u *URI) Parse(host, uri []byte) error { return nil }
func (u *URI) Path() []byte                 { return nil }

type RequestCtx struct {
	Request  Request
	Response Response
	Kept     []byte
}

func (ctx *RequestCtx) Path() []byte                { return nil }
func (ctx *RequestCtx) QueryArgs() *Args            { return nil }
func (ctx *RequestCtx) FormValue(key string) []byte { return nil }
func (ctx *RequestCtx) PostBody() []byte            { return nil }
func (ctx *RequestCtx) SetBodyString(s string)      {}
func (ctx *RequestCtx) TimeoutError(msg string)     {}

func (ctx *RequestCtx) TimeoutErrorWithCode(msg string, code int) {}
func (ctx *RequestCtx) TimeoutErrorWithResponse(resp *Response)   {}

func Do(req *Request, resp *Response) error { return nil }
