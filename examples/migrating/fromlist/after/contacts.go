// Package after has the contacts of a physics engine in a Pool.
package after

import "github.com/seed505807e1/berth"

// Contact is a contact of two bodies.
type Contact struct {
	A, B, Age int
}

// Contacts are in a Pool.
type Contacts struct {
	pool berth.Pool[Contact]
}

// Touch adds a contact.
func (c *Contacts) Touch(a, b int) berth.Handle[Contact] {
	return c.pool.Insert(Contact{A: a, B: b})
}

// Step makes all contacts older, removes those older than oldest, and returns their number.
func (c *Contacts) Step(oldest int) (ended int) {
	for h, v := range c.pool.All() {
		v.Age++
		if v.Age > oldest {
			c.pool.Delete(h)
			ended++
		}
	}
	return ended
}

// Sum returns a sum over all contacts.
func (c *Contacts) Sum() (sum int) {
	for v := range c.pool.Values() {
		sum += v.A*v.B + v.Age
	}
	return sum
}
