// Package own has a pool with directives.
package own

type Page struct{ Data []byte }

// Take returns a page.
func Take() *Page { return new(Page) }

// Give gives a page back.
//
//berth:frees p
func Give(p *Page) {}

// Release gives p back.
//
//berth:frees
func (p *Page) Release() {}
