package pages

// given has one entry for each page, up to the last one that was ever committed. It is for systems
// that may keep the contents of a page that was given back. There, Commit has to clear such a page,
// and must not clear one that is in use.
type given []pageState

type pageState uint8

const (
	fresh pageState = iota // never committed: the system has zeroed it
	inUse                  // committed: the contents matter
	stale                  // given back: the old contents may still be there
)

// commit marks the pages of [from, to) of mem as in use, and clears the stale ones. All of them
// must be accessible.
func (g *given) commit(mem []byte, from, to, size int) {
	first, end := from/size, to/size
	if n := end - len(*g); n > 0 {
		*g = append(*g, make(given, n)...)
	}
	for i := first; i < end; i++ {
		if (*g)[i] == stale {
			clear(mem[i*size : (i+1)*size])
		}
		(*g)[i] = inUse
	}
}

// decommit marks the pages of [from, to) that were in use as stale.
func (g given) decommit(from, to, size int) {
	for i := from / size; i < min(to/size, len(g)); i++ {
		if g[i] == inUse {
			g[i] = stale
		}
	}
}
