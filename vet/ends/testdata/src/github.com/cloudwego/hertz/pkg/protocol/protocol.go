package protocol

type Request struct{ n int }

func AcquireRequest() *Request    { return nil }
func ReleaseRequest(req *Request) {}
func (req *Request) Body() []byte { return nil }

type Response struct{ n int }

func AcquireResponse() *Response       { return nil }
func ReleaseResponse(resp *Response)   {}
func (resp *Response) Body() []byte    { return nil }
func (resp *Response) StatusCode() int { return 0 }

type URI struct{ n int }

func (u *URI) Path() []byte { return nil }
