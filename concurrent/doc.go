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
// It depends on the use of the values:
//
//   - Operations are short, and the values are plain: a mutex beside a [berth.Pool] is the fastest
//     on a few processors. A lookup takes 13 ns, as it does in a Pool of this package.
//   - Values are in use for longer than a lock may be held, while others remove them, or they need
//     an orderly end: a [Pool]. A lease takes 16 ns.
//   - Many goroutines loop over all values, and few insert and remove them: a [Members]. A loop
//     over 10 000 takes as long as one over a slice.
//   - A handle is needed before its value, as for a task that is started with its own name:
//     [Reserve] and [Fill].
package concurrent
