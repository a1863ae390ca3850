// Package observe shows the containers of a running program: a page with a picture of each pool,
// metrics for Prometheus and expvar, and a profile of the code that inserted the live values.
//
// A [Registry] knows the containers by name. [Registry.Register] takes a function do, which calls a
// callback while holding the container's lock, or in the goroutine that uses the container. So the
// container needs no lock of its own, and is read only for a request.
//
//	observe.Default.Register("sessions", &sessions, func(f func()) {
//		mu.Lock()
//		defer mu.Unlock()
//		f()
//	})
//	debug.Handle("/debug/berth", &observe.Default)
//
// # Late containers
//
// A container whose callback has not returned in time is marked late. The call of do remains, and
// later requests share its result. So there is at most one goroutine for each container, and at
// most one callback in a queue of the program. If do has dropped the callback, do is called again
// after the next garbage collection. A panic in do, or in the container's Stats, is caught, and the
// container is marked as failed.
//
// # Access
//
// A Registry is never mounted on a mux by itself. Mount it where only you can reach it, such as a
// listener on the loopback interface. It shows names, counts and the occupancy of slots, and never
// a value or a handle. It allows GET and HEAD only, and changes nothing.
//
// A Registry that is reached at a loopback address serves only requests for localhost or for an
// address. It refuses those of pages whose names resolve to this machine (DNS rebinding). A reverse
// proxy on the same machine must set the Host header. At other addresses, any name will do.
package observe
