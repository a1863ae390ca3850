// Package soa compares a structure of arrays with an array of structures: the loops that a
// simulation has over particles, as structs of 48 bytes and as the columns that soagen generates.
package soa

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Particle

// Particle is a particle as one writes it: 48 bytes, of which each loop uses some.
type Particle struct {
	X, Y, VX, VY float32
	Age, Kind    uint32
	Mass, Radius float32
	Tag          [16]byte
}
