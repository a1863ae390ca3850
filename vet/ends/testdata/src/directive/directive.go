// Package directive has directives that are mistakes. TestParse has the others.
package directive

type C struct{ v int }

// A is wrong.
//
//berth:lend r0 // want `unknown verb "lend"`
func (c *C) A() *int { return &c.v }

type I interface {
	// B is wrong.
	//
	//berth:ends // want `unexpected`
	B()
}
