package recipes

import "github.com/seed505807e1/berth"

// Page is an entry of a Cache.
type Page struct {
	url  string
	Body []byte
}

// Cache has the pages that were used last.
type Cache struct {
	most  int
	pages berth.Pool[Page]
	used  *berth.Order[Page] // the last used first
	byURL map[string]berth.Handle[Page]
}

// NewCache returns an empty Cache for at most most pages.
func NewCache(most int) *Cache {
	c := &Cache{most: most, byURL: map[string]berth.Handle[Page]{}}
	c.used = berth.NewOrder(&c.pages)
	return c
}

// Get returns the handle of a page, or the zero Handle.
func (c *Cache) Get(url string) berth.Handle[Page] {
	h := c.byURL[url]
	c.used.MoveToFront(h)
	return h
}

// Use returns the page of a handle that was kept, or nil if it was evicted since.
func (c *Cache) Use(h berth.Handle[Page]) *Page { return c.used.MoveToFront(h) }

// Add adds a page. It evicts the one that was not used for longest if there are too many.
func (c *Cache) Add(url string, body []byte) berth.Handle[Page] {
	h := c.byURL[url]
	page := c.used.MoveToFront(h)
	switch {
	case page != nil: // is there already
	case len(c.byURL) < c.most:
		h, page = c.pages.New()
		c.used.MoveToFront(h)
	default:
		h, page = c.used.Recycle() // ends the old page's handle, and still has its contents
		delete(c.byURL, page.url)
	}
	*page = Page{url, body}
	c.byURL[url] = h
	return h
}

// Delete removes a page. It reports false if it is not there.
func (c *Cache) Delete(url string) bool {
	h := c.byURL[url]
	delete(c.byURL, url)
	return c.pages.Delete(h) // it leaves the order too
}
