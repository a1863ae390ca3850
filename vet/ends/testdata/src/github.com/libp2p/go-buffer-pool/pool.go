package pool

type BufferPool struct{ n int }

func (p *BufferPool) Get(length int) []byte { return nil }
func (p *BufferPool) Put(buf []byte)        {}

func Get(length int) []byte { return nil }
func Put(slice []byte)      {}
