//go:build !berth_schedule

package concurrent

import "sync"

// scheduled makes goroutines stop at named points, so that a test can choose who goes on. A point
// stands before every step of an operation that other goroutines can see. The build tag
// berth_schedule turns it on. Without the tag, a point and a block under if scheduled cost nothing.
const scheduled = false

func point(string) {}

func pointWhen(string, func() bool) {}

func pointLock(string, *sync.Mutex) {}
