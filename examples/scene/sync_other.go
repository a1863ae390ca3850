//go:build !unix

package main

// syncDir does nothing: this system cannot sync a directory.
func syncDir(string) error { return nil }
