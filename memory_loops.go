package berth

import (
	"runtime"
	"slices"
	"weak"
)

// loop stands for a loop over a container with a Memory, from enter to leave. The loop holds the
// only pointer to it. So where a panic or Goexit has kept a loop from its leave, the collector
// finds that out, and no loop needs a defer: a function with one is not inlined. On Go's heap, the
// same collector keeps what a loop looks at alive. A loop that iter.Pull has begun and nobody stops
// runs for ever, and memory waits for it as long.
type loop struct {
	self weakLoop
	saw  bool // memory was given up while it ran
}

type weakLoop = weak.Pointer[loop]

// enter notes that a loop begins. It returns what to pass to leave. Neither is inlined: the loops
// would find fewer registers, and be up to two thirds slower (BenchmarkPoolCross/op=spans).
//
//go:noinline
func (s *supply) enter() *loop {
	if s == nil {
		return nil
	}
	return s.begin()
}

// leave notes that a loop has ended.
//
//go:noinline
func (s *supply) leave(l *loop) {
	if l != nil {
		s.end(l)
	}
}

func (s *supply) begin() *loop {
	s.mu.Lock()
	defer s.mu.Unlock()
	var l *loop
	if k := len(s.idle) - 1; k >= 0 {
		l = s.idle[k]
		s.idle[k] = nil // the loop's pointer must be the only one
		s.idle = s.idle[:k]
	} else {
		l = new(loop)
		l.self = weak.Make(l)
	}
	s.loops = append(s.loops, l.self)
	return l
}

func (s *supply) end(l *loop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := len(s.loops) - 1 // the last one, unless loops of several goroutines are interleaved
	for s.loops[at] != l.self {
		at--
	}
	s.loops = slices.Delete(s.loops, at, at+1)
	saw := l.saw
	l.saw = false
	s.idle = append(s.idle, l)
	if saw && !s.running() {
		s.giveLate()
	}
}

// running reports whether a loop runs, and notes for each that does that memory waits for it.
func (s *supply) running() bool {
	s.loops = slices.DeleteFunc(s.loops, func(w weakLoop) bool {
		l := w.Value()
		if l != nil {
			l.saw = true
		}
		return l == nil
	})
	return len(s.loops) > 0
}

// giveLate gives back what has waited for loops.
func (s *supply) giveLate() {
	for k := len(s.late) - 1; k >= 0; k-- {
		b := s.late[k]
		s.late[k] = nil
		s.late = s.late[:k]
		s.memory.Free(b)
	}
}

// settle gives back what has waited for loops that have ended.
func (s *supply) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.late) > 0 && !s.running() {
		s.giveLate()
	}
}

// clip gives back what it can, and cuts the lists. Where memory waits for a loop, it asks the
// collector whether there still is one.
func (s *supply) clip() {
	if s == nil {
		return
	}
	if s.waits() {
		runtime.GC()
	}
	s.settle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pieces, s.late = slices.Clone(s.pieces), slices.Clone(s.late)
	s.loops, s.idle = slices.Clone(s.loops), nil
}

// waits reports whether memory waits for a loop.
func (s *supply) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.late) > 0 && s.running()
}
