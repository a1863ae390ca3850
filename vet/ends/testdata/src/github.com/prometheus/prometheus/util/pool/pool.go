package pool

type Pool struct{ n int }

func (p *Pool) Get(sz int) any { return nil }
func (p *Pool) Put(s any)      {}
