package main

import (
	"sync/atomic"
	"time"
)

// runtimeTimers starts a timer of the Go runtime for each of ours. A tick is a millisecond. An hour
// is added to each delay, so that none fires here.
type runtimeTimers struct {
	n     int
	fired atomic.Int64 // timers fire in goroutines of their own
}

type runtimeTimer struct {
	timer *time.Timer
	data  uint64
}

func (r *runtimeTimers) Len() int { return r.n - int(r.fired.Load()) }

func (r *runtimeTimers) Start(delay, data uint64) runtimeTimer {
	r.n++
	d := time.Hour + time.Duration(delay)*time.Millisecond
	return runtimeTimer{time.AfterFunc(d, func() { r.fired.Add(1) }), data}
}

func (r *runtimeTimers) Stop(t runtimeTimer) (data uint64, ok bool) {
	if !t.timer.Stop() {
		return 0, false
	}
	r.n--
	return t.data, true
}
