package directive

type C struct{ v int }

// A is wrong.
//
//berth:lend r0 // want `unknown verb "lend"`
func (c *C) A() *int { return &c.v }

// B is wrong.
//
//berth:lends r0 by h // want `no parameter is called "h"`
func (c *C) B(i int) *int { return &c.v }

// D is wrong.
//
//berth:ends // want `ends needs by, all`
func (c *C) D() {}

// F is wrong.
//
//berth:lends r0 // want `needs "of"`
func F(c *C) *int { return &c.v }

// G is wrong.
//
//berth:ends all emptied // want `unexpected "emptied"`
func (c *C) G() {}

// H is wrong.
//
//berth:asks // want `asks needs a parameter`
func (c *C) H() {}
