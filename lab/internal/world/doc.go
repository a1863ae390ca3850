// Package world is the simulation behind the lab's live picture. Ships fly about a field and fire
// missiles at enemies. Each missile keeps the handle of its target, and looks it up at every step.
// If another missile was faster, the handle is stale, the lookup finds nothing, and the missile
// turns to the nearest enemy. All things, down to the particles of engines, trails and explosions,
// have one type and live in one container.
//
// The same world runs in up to five containers, each of which does all of the work.
// [World.Figures] returns their costs. They differ in the positions of values, in whether values
// move, and in the order of their loops, which in a Go map changes at every step. Yet the worlds
// are equal, bit by bit and step for step, as [World.Sum] shows.
//
// # Why the order of a loop does not matter
//
// A step is a pass over all things, followed by smaller ones that do not overlap:
//
//  1. All things but missiles move, each by its own state alone. Particles whose time is up are
//     removed. Other things are noted.
//  2. The missiles noted move. They read only enemies, all of which have moved. A hit reduces
//     the health of an enemy. Health is an integer that no rule reads in this pass, so the order of
//     the hits does not matter.
//  3. Enemies without health are removed.
//  4. Births were recorded as wishes. They are sorted by the id of the parent, of which there is
//     only one of a kind, and executed in this order.
//
// Ids are assigned in order of birth, so they are the same in each container. Handles differ
// between containers, and no rule depends on their bits. The nearest of several things is the one
// at the smallest distance, and of equal distances the one with the smallest id. Random numbers
// are hashes of the seed, the step and the id of a thing; the world itself, events and the wind
// have separate streams. An event that spares one thing in ten, or 25 in all, chooses by such a
// hash too.
//
// # Why machines do not matter
//
// Positions are float32. Each product in a sum is rounded by a conversion first, so that the
// compiler must not fuse the two operations. Square roots and quotients are correctly rounded
// everywhere, and directions come from a table made with them. So a [Scene], which is a seed, two
// numbers and a list of events, gives the same world everywhere.
//
// # Time
//
// A container's time is that of its turn at a step, and of the events before it. The containers
// take turns in being the first. The work is loops over things of 40 bytes with little arithmetic,
// inserts, removals within loops, and lookups by handles.
package world
