// Package testkit has what the tests of several packages use.
package testkit

import "testing"

// Must fails the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
