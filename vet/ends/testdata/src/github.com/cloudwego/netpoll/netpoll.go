package netpoll

type Reader interface {
	Next(n int) (p []byte, err error)
	Peek(n int) (buf []byte, err error)
	Skip(n int) (err error)
	ReadBinary(n int) (p []byte, err error)
	Release() (err error)
}
