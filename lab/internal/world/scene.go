package world

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The limits of a scene.
const (
	MaxSeed   = 1<<31 - 1
	MaxSpawn  = 1000
	MinLife   = 10
	MaxLife   = 1000
	MaxEvents = 64

	DefaultSpawn = 100
	DefaultLife  = 220
)

// ErrScene is wrapped by every error about a scene.
var ErrScene = errors.New("not a scene")

// Scene determines a world: the same scene gives the same world on every machine.
type Scene struct {
	Seed   uint32  // 1 to MaxSeed
	Spawn  int     // particles a step, 0 to MaxSpawn
	Life   int     // mean steps that a particle lives, MinLife to MaxLife
	Events []Event // in order of steps, at most MaxEvents
}

// Event is a change of the world before a step.
type Event struct {
	Step uint32
	Op   Op
	N    int // the new value for OpSpawn and OpLife; else 0
}

// Op is the kind of an event, as its letter.
type Op byte

// The events.
const (
	OpBurst Op = 'b' // Burst particles at once
	OpKill  Op = 'k' // each thing dies with a chance of 90 %
	OpCull  Op = 'l' // all things but 25 die
	OpSpawn Op = 's' // N particles a step from now on
	OpLife  Op = 't' // new particles live for N steps on average
)

// check returns an error if an event of this Op and number is invalid.
func (op Op) check(n int) error {
	least, most := 0, 0
	switch op {
	case OpBurst, OpKill, OpCull:
	case OpSpawn:
		most = MaxSpawn
	case OpLife:
		least, most = MinLife, MaxLife
	default:
		return fmt.Errorf("%w: event %q is none of b, k, l, s, t", ErrScene, rune(op))
	}
	return within(fmt.Sprintf("event %q with", rune(op)), n, least, most)
}

// within returns an error if n is out of bounds; what is its name.
func within(what string, n, least, most int) error {
	if n < least || n > most {
		return fmt.Errorf("%w: %s %d, which must be %d to %d", ErrScene, what, n, least, most)
	}
	return nil
}

func (op Op) numbered() bool { return op == OpSpawn || op == OpLife }

// ParseEvents parses the format of [Scene.EventsText], such as "120b,400k,800s50": step, letter,
// number. It returns a wrapped ErrScene for any other text.
func ParseEvents(text string) ([]Event, error) {
	if text == "" {
		return nil, nil
	}
	if n := strings.Count(text, ",") + 1; n > MaxEvents {
		return nil, fmt.Errorf("%w: %d events, more than %d", ErrScene, n, MaxEvents)
	}
	var events []Event
	for word := range strings.SplitSeq(text, ",") {
		e, err := parseEvent(word)
		if err != nil {
			return nil, fmt.Errorf("%w, at event %d: %.40q", err, len(events)+1, word)
		}
		events = append(events, e)
	}
	if err := checkEvents(events); err != nil {
		return nil, err
	}
	return events, nil
}

func parseEvent(word string) (e Event, err error) {
	i := strings.IndexFunc(word, func(r rune) bool { return r < '0' || r > '9' })
	if i < 0 {
		return e, fmt.Errorf("%w: no letter", ErrScene)
	}
	step, err := strconv.ParseUint(word[:i], 10, 32)
	if err != nil {
		return e, fmt.Errorf("%w: no step below 2^32", ErrScene)
	}
	e.Step, e.Op = uint32(step), Op(word[i])
	rest := word[i+1:]
	if e.Op.numbered() {
		n, err := strconv.ParseUint(rest, 10, 16)
		if err != nil {
			return e, fmt.Errorf("%w: no number below 2^16", ErrScene)
		}
		e.N, rest = int(n), ""
	}
	if rest != "" {
		return e, fmt.Errorf("%w: unexpected text after the letter", ErrScene)
	}
	return e, e.Op.check(e.N)
}

func checkEvents(events []Event) error {
	if len(events) > MaxEvents {
		return fmt.Errorf("%w: %d events, more than %d", ErrScene, len(events), MaxEvents)
	}
	for i, e := range events {
		if err := e.Op.check(e.N); err != nil {
			return fmt.Errorf("%w, at event %d", err, i+1)
		}
		if i > 0 && e.Step < events[i-1].Step {
			return fmt.Errorf("%w: event %d is of step %d, after one of step %d",
				ErrScene, i+1, e.Step, events[i-1].Step)
		}
	}
	return nil
}

// EventsText formats the events for ParseEvents: "120b,400k".
func (s Scene) EventsText() string {
	var b strings.Builder
	for i, e := range s.Events {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatUint(uint64(e.Step), 10))
		b.WriteByte(byte(e.Op))
		if e.Op.numbered() {
			b.WriteString(strconv.Itoa(e.N))
		}
	}
	return b.String()
}

// Check returns a wrapped ErrScene if s is invalid.
func (s Scene) Check() error {
	if s.Seed == 0 || s.Seed > MaxSeed {
		return fmt.Errorf("%w: seed %d, which must be 1 to %d", ErrScene, s.Seed, MaxSeed)
	}
	if err := within("spawn", s.Spawn, 0, MaxSpawn); err != nil {
		return err
	}
	if err := within("life", s.Life, MinLife, MaxLife); err != nil {
		return err
	}
	return checkEvents(s.Events)
}
