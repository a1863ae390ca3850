//go:build berth_schedule

package concurrent

import (
	"sync"
	"sync/atomic"
)

// scheduled makes goroutines stop at named points, so that a test can choose who goes on. A point
// stands before every step of an operation that other goroutines can see.
const scheduled = true

// controller is called at each point. The goroutine goes on when it returns. That must not be
// before ready reports true, if there is a ready. A goroutine holds a lock at some points.
var controller atomic.Pointer[func(name string, ready func() bool)]

// point is a point.
func point(name string) { pointWhen(name, nil) }

// pointWhen is a point before a step that blocks until ready reports true.
func pointWhen(name string, ready func() bool) {
	if f := controller.Load(); f != nil {
		(*f)(name, ready)
	}
}

// pointLock is a point before a lock of mu.
func pointLock(name string, mu *sync.Mutex) {
	pointWhen(name, func() bool {
		free := mu.TryLock()
		if free {
			mu.Unlock()
		}
		return free
	})
}
