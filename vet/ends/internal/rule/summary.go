package rule

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// A Summary lists the effects of a function on the lifetimes of pointers. It is exported as a fact
// for functions with directives and for functions that call such functions.
type Summary struct {
	Effects  []Effect
	Declared bool // by directives, so the body is ignored
	Partial  bool // other effects, such as assignments, are not known
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

// Add adds e unless s has it, and reports whether it did.
func (s *Summary) Add(e Effect) bool {
	if slices.Contains(s.Effects, e) {
		return false
	}
	s.Effects = append(s.Effects, e)
	return true
}

// Has reports whether s has an effect of this verb.
func (s *Summary) Has(v verb) bool {
	return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool { return e.Verb == v })
}

// OnLifetimes returns the effects of s on lifetimes.
func (s *Summary) OnLifetimes() *Summary {
	p := &Summary{Partial: true}
	for _, e := range s.Effects {
		if e.Verb != Sets && e.Verb != Runs {
			p.Effects = append(p.Effects, e)
		}
	}
	return p
}

// Matters reports whether s has an effect on lifetimes.
func Matters(s *Summary) bool {
	return s != nil && slices.ContainsFunc(s.Effects, func(e Effect) bool {
		return e.Verb != Sets && e.Verb != Runs
	})
}

// A verb is the first word of a directive.
type verb string

const (
	Lends   verb = "lends"   // a result points into the container
	Ends    verb = "ends"    // pointers into the container end
	Begins  verb = "begins"  // pointers into the container end when the result is ranged over
	Issues  verb = "issues"  // a result is a handle of the container
	Asks    verb = "asks"    // the container looks a handle up
	Clones  verb = "clones"  // a result, or the container, knows the handles of another container
	Housed  verb = "housed"  // a result is a container whose memory is in this one
	Revives verb = "revives" // the container can be used again after its memory was taken
	Shares  verb = "shares"  // a result is the container or a view of it
	Marks   verb = "marks"   // a result is a mark to rewind to
	Copies  verb = "copies"  // a result is a copy of a value
	Must    verb = "must"    // a result must be used
	Frees   verb = "frees"   // an operand must not be used any more, under any name

	// These two have no directive.
	Sets verb = "sets" // fields of an operand are assigned
	Runs verb = "runs" // an operand is a function that is called
)

// Kind says which loans an ends effect invalidates.
type Kind string

const (
	EndsBy      Kind = "by"      // the loans of a handle
	EndsAll     Kind = "all"     // all loans, since values move; in a loop only those of By
	EndsEmptied Kind = "emptied" // all loans, since all values are removed
	EndsSince   Kind = "since"   // the loans since a mark
	EndsLent    Kind = "lent"    // all loans, since the container gives its memory back
	EndsSome    Kind = "some"    // unknown loans
	EndsOther   Kind = "other"   // nothing tracked
	EndsFreed   Kind = "freed"   // the operand of frees; not a word of a directive
)

// An Effect is one directive, or one effect deduced from a body.
type Effect struct {
	Verb  verb
	Kind  Kind   // of ends
	What  Port   // the result, or the value yielded by a loop
	Of    Port   // the operand that is or leads to the container
	Path  string // from the operand to the container, as in place
	By    Port   // the operand that is the handle or the mark
	Maybe bool   // not on every path through the function

	// Strict effects, those of the table, count only if they happen on every path to a use.
	Strict bool
}

// String returns e in the form of a directive.
func (e Effect) String() string {
	text := string(e.Verb)
	if e.Kind != "" && e.Kind != EndsBy && e.Kind != EndsSince {
		text += " " + string(e.Kind)
	}
	if e.What != 0 {
		text += " " + e.What.String()
	}
	if e.By != 0 {
		word := " by "
		if e.Kind == EndsSince {
			word = " since "
		}
		text += word + e.By.String()
	}
	if e.Of != Receiver || e.Path != "" {
		text += " of " + e.Of.String() + e.Path
	}
	if e.Maybe {
		text += " maybe"
	}
	return text
}

// A Port is an operand or a result of a call. The zero port is none.
type Port int

const (
	Receiver Port = 1
	Param    Port = 2   // the first parameter
	Result   Port = 100 // the first result
	Yielded  Port = 200 // the first value yielded by a loop over the result
)

func (p Port) IsOperand() bool { return Receiver <= p && p < Result }

// String returns a name: recv, p0, r0 or y0.
func (p Port) String() string {
	switch {
	case p == 0:
		return "none"
	case p == Receiver:
		return "recv"
	case p < Result:
		return "p" + strconv.Itoa(int(p-Param))
	case p < Yielded:
		return "r" + strconv.Itoa(int(p-Result))
	}
	return "y" + strconv.Itoa(int(p-Yielded))
}

// Operand returns the argument at port p, or nil.
func Operand(call *ast.CallExpr, p Port) ast.Expr {
	if i := int(p - Param); Param <= p && i < len(call.Args) {
		return call.Args[i]
	}
	return nil
}
