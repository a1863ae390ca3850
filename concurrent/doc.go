// Package concurrent implements a slot map for many goroutines. A [Pool] holds values that any
// goroutine inserts, looks up and removes by [berth.Handle]. A handle to a removed value finds
// nothing, even after its slot is reused.
//
//	var sessions concurrent.Pool[Session]
//	h := sessions.Insert(Session{...})
//	...
//	sessions.Use(h, func(s *Session) { s.send(message) }) // false once h is removed
//
// A value in use is not taken away. [Pool.Use] and [Pool.Acquire] take a lease of it. [Pool.Delete]
// never waits: from then on the handle finds nothing, for anybody, and the value stays whole until
// its last lease ends. Then Config.Drop is called for it, once, and its slot is vacated.
//
//	p := concurrent.New(concurrent.Config[Conn]{
//		Drop: func(_ berth.Handle[Conn], c *Conn) { c.Close() }, // nobody uses c any more
//	})
//
// # Two goroutines may hold leases of one value
//
// A lease keeps a value in place. It does not lock it. Goroutines that write to one value through
// their *T must use a lock or atomics inside of T. [Pool.Get] reads the value as well: call it for
// values that do not change after their insertion.
//
// # Choosing a container
//
// On a few processors, a mutex beside a [berth.Pool] is the fastest container for short operations.
// Take a Pool of this package if values are used for longer than a lock may be held, if they need
// an orderly end, or if many goroutines contend for the lock. Take a [Members] if many goroutines
// loop over all values while few insert and remove them, as for the members of a room.
package concurrent
