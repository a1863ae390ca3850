//go:build !race

package pooltest

const scale = 1
