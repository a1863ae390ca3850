package buffer

type Pool struct{ n int }

func (p Pool) Get() *Buffer { return nil }

type Buffer struct{ n int }

func (b *Buffer) AppendString(s string) {}
func (b *Buffer) Bytes() []byte         { return nil }
func (b *Buffer) String() string        { return "" }
func (b *Buffer) Free()                 {}

// Recycle uses b after Free, as only the package itself may.
func (b *Buffer) Recycle() { // want Recycle:"frees"
	b.Free()
	b.n = 0
}
