package berth

import "github.com/seed505807e1/berth/internal/inside"

func init() {
	inside.NextBlock = func(pool any, k int) (int, uint64, int) {
		return lookAny(pool).nextBlock(k)
	}
	inside.SetOrigin = func(pool any, index, gen uint32) { lookAny(pool).setOrigin(index, gen) }
}

// nextBlock is [inside.NextBlock] of p.
func (p *core) nextBlock(k int) (block int, live uint64, blocks int) {
	if k = p.live.Next(k); k < 0 {
		return -1, 0, len(p.dir)
	}
	return k, p.dir[k].occ, len(p.dir)
}

// setOrigin is [inside.SetOrigin] of p.
func (p *core) setOrigin(index, gen uint32) {
	if len(p.dir) > 0 || gen&1 != 0 {
		panic("berth: Pool.setOrigin: the pool is not new, or gen is odd")
	}
	p.salt, p.base = index, gen
}
