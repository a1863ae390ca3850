package ends

import (
	"slices"
	"strconv"
	"strings"
)

// A Summary lists the effects of a function on the lifetimes of pointers. It is exported as a fact
// for functions with directives and for functions that call such functions.
type Summary struct {
	Effects  []Effect
	Declared bool // by directives, so the body is ignored
}

// AFact makes Summary a fact.
func (*Summary) AFact() {}

// String returns the effects in the form of directives.
func (s *Summary) String() string {
	var parts []string
	for _, e := range s.Effects {
		parts = append(parts, e.String())
	}
	return strings.Join(parts, "; ")
}

// add adds e unless s has it, and reports whether it did.
func (s *Summary) add(e Effect) bool {
	if slices.Contains(s.Effects, e) {
		return false
	}
	s.Effects = append(s.Effects, e)
	return true
}

// has reports whether s has an effect of this verb.
func (s *Summary) has(v verb) bool {
	return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Verb == v })
}

// A verb is the first word of a directive.
type verb string

const (
	lends   verb = "lends"   // a result points into the container
	ends    verb = "ends"    // pointers into the container end
	begins  verb = "begins"  // pointers into the container end when the result is ranged over
	issues  verb = "issues"  // a result is a handle of the container
	asks    verb = "asks"    // the container looks a handle up
	clones  verb = "clones"  // a result, or the container, knows the handles of another container
	housed  verb = "housed"  // a result is a container whose memory is in this one
	revives verb = "revives" // the container can be used again after its memory was taken
	shares  verb = "shares"  // a result is the container or a view of it
	marks   verb = "marks"   // a result is a mark to rewind to
	copies  verb = "copies"  // a result is a copy of a value
	must    verb = "must"    // a result must be used

	// These two have no directive.
	sets verb = "sets" // fields of an operand are assigned
	runs verb = "runs" // an operand is a function that is called
)

// kind says which loans an ends effect invalidates.
type kind string

const (
	endsBy      kind = "by"      // the loans of a handle
	endsAll     kind = "all"     // all loans, since values move; in a loop only those of By
	endsEmptied kind = "emptied" // all loans, since all values are removed
	endsSince   kind = "since"   // the loans since a mark
	endsLent    kind = "lent"    // all loans, since the container gives its memory back
	endsSome    kind = "some"    // unknown loans
	endsOther   kind = "other"   // nothing tracked
)

// An Effect is one directive, or one effect deduced from a body.
type Effect struct {
	Verb  verb
	Kind  kind   // of ends
	What  port   // the result, or the value yielded by a loop
	Of    port   // the operand that is or leads to the container
	Path  string // from the operand to the container, as in place
	By    port   // the operand that is the handle or the mark
	Maybe bool   // not on every path through the function
}

// String returns e in the form of a directive.
func (e Effect) String() string {
	text := string(e.Verb)
	if e.Kind != "" && e.Kind != endsBy && e.Kind != endsSince {
		text += " " + string(e.Kind)
	}
	if e.What != 0 {
		text += " " + e.What.String()
	}
	if e.By != 0 {
		word := " by "
		if e.Kind == endsSince {
			word = " since "
		}
		text += word + e.By.String()
	}
	if e.Of != receiver || e.Path != "" {
		text += " of " + e.Of.String() + e.Path
	}
	if e.Maybe {
		text += " maybe"
	}
	return text
}

// A port is an operand or a result of a call. The zero port is none.
type port int

const (
	receiver port = 1
	param    port = 2   // the first parameter
	result   port = 100 // the first result
	yielded  port = 200 // the first value yielded by a loop over the result
)

func (p port) isOperand() bool { return receiver <= p && p < result }

// String returns a name: recv, p0, r0 or y0.
func (p port) String() string {
	switch {
	case p == 0:
		return "none"
	case p == receiver:
		return "recv"
	case p < result:
		return "p" + strconv.Itoa(int(p-param))
	case p < yielded:
		return "r" + strconv.Itoa(int(p-result))
	}
	return "y" + strconv.Itoa(int(p-yielded))
}
