package gnet

type Reader interface {
	Next(n int) (buf []byte, err error)
	Peek(n int) (buf []byte, err error)
	Discard(n int) (discarded int, err error)
	InboundBuffered() int
}

type Conn interface {
	Reader
	AsyncWrite(buf []byte) error
}

type Action int
