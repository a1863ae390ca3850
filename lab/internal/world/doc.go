// Package world is the simulation behind the lab's live picture: ships fly about a field and fire
// missiles at enemies; each missile keeps the handle of its target, and asks its container for it
// at every step. Another missile may have been quicker. Then the handle is stale and finds nothing,
// and the missile turns to the enemy nearest to it. All things, down to the particles of engines,
// trails and explosions, are of one type, and live in one container.
//
// The same world is played in up to five containers, each of which does the whole of the work:
// [World.Figures] tells what it took. They differ in where things lie, in whether things move, and
// in the order of their loops, which a Go map does not even keep from one step to the next. Yet the
// worlds are the same, bit by bit, step for step, and [World.Sum] shows it.
//
// # Why the order of a loop does not matter
//
// A step is a pass over all things and some smaller ones, between which nothing overlaps:
//
//  1. Everything moves but missiles, each thing by what it is itself: no thing looks at another
//     one. Particles whose time is up are removed on the way. What is no particle is noted.
//  2. The missiles noted move. They look at enemies, all of which have moved, and at nothing else.
//     What hits takes from the health of an enemy. Health is a whole number, and nobody looks at
//     it, so it is no matter who hits first.
//  3. Enemies whose health is used up are removed.
//  4. What is to be born was written down as wishes. They are sorted by the id of the parent, of
//     which there is only one of a kind, and come true in this order.
//
// Ids are given in the order of birth, and so are the same in each container; handles are each
// container's own, and nothing follows from their bits. The nearest of several is the one of the
// least distance, and if distances are equal, of the least id. Chance is a hash of the seed, the
// step and the id of a thing; the world itself, events and the wind have streams of their own. An
// event that leaves one thing in ten, or 25 in all, chooses by such a hash too.
//
// # Why machines do not matter
//
// Positions are float32. Each product is rounded by a conversion before something is added to it,
// which forbids the compiler to fuse both; square roots and quotients are exact everywhere, and
// directions come from a table made by them. So a [Scene], which is a seed, two numbers and a list
// of events, gives the same world everywhere.
//
// # Time
//
// A container's time is that of its turn at a step, and of the events before it. The containers are
// the first in turn by turns. What is measured is loops over things of 40 bytes with little
// arithmetic, insertion of what is born and removal within loops, and lookups by handles.
package world
