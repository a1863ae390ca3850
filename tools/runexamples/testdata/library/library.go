// Package library is no example.
package library
