package invariants

import "reflect"

// IsZero reports whether *v is the zero T, as in a vacant slot.
func IsZero[T any](v *T) bool { return reflect.ValueOf(v).Elem().IsZero() }
