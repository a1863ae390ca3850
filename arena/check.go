package arena

import "fmt"

// fail panics with the number of a broken invariant.
func fail(what string, rule int, format string, args ...any) {
	panic(fmt.Sprintf("arena: %s invariant %d: %s", what, rule, fmt.Sprintf(format, args...)))
}

// checkNow reports whether a container of n values should check itself at this change. Small
// containers always do. Large ones do so every 256 values, so that a loop does not become
// quadratic.
func checkNow(n int) bool { return n <= 256 || n%256 == 0 }
