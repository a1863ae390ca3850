package stable

import (
	"errors"
	"fmt"
)

// errNoJSON is the error of MarshalJSON and UnmarshalJSON.
var errNoJSON = fmt.Errorf("stable: a list has no JSON: save it with MarshalBinary, "+
	"or marshal its values in a loop (%w)", errors.ErrUnsupported)

// MarshalJSON fails with an [errors.ErrUnsupported]. Without it, package encoding/json would write
// {} for a list. A loop over the list can marshal its values, and [ListOf.MarshalBinary] saves all
// of it. json.Marshal still writes {} for a ListOf held by value, since it finds the method only
// through a pointer.
//
// Cost: O(1); never allocates.
func (l *ListOf[T, I, D]) MarshalJSON() ([]byte, error) { return nil, errNoJSON }

// UnmarshalJSON fails as [ListOf.MarshalJSON] does.
//
// Cost: O(1); never allocates.
func (l *ListOf[T, I, D]) UnmarshalJSON([]byte) error { return errNoJSON }
