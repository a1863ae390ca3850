// Package before has the contacts of a physics engine in two linked lists.
package before

// Contact is a contact of two bodies.
type Contact struct {
	A, B, Age int
	next      *Contact // the next live contact, or the next free one
}

// Contacts are in a list. Those that ended are in another, and are used again.
type Contacts struct {
	live, free *Contact
}

// Touch adds a contact.
func (c *Contacts) Touch(a, b int) *Contact {
	v := c.free
	if v == nil {
		v = new(Contact)
	} else {
		c.free = v.next
	}
	*v = Contact{A: a, B: b, next: c.live}
	c.live = v
	return v
}

// Step makes all contacts older, removes those older than oldest, and returns their number.
func (c *Contacts) Step(oldest int) (ended int) {
	for at := &c.live; *at != nil; {
		v := *at
		v.Age++
		if v.Age <= oldest {
			at = &v.next
			continue
		}
		*at = v.next
		v.next = c.free
		c.free = v
		ended++
	}
	return ended
}

// Sum returns a sum over all contacts.
func (c *Contacts) Sum() (sum int) {
	for v := c.live; v != nil; v = v.next {
		sum += v.A*v.B + v.Age
	}
	return sum
}
