package trace

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// Lifetime is the distribution of the lifetimes of a [Model]'s values. The zero Lifetime is
// forever.
type Lifetime struct {
	shape  shape
	lo, hi time.Duration // for exp and const, both are the mean
}

type shape uint8

const (
	forever shape = iota
	exponential
	constant
	uniform
)

// Forever returns the lifetime of values that are never removed.
func Forever() Lifetime { return Lifetime{} }

// Exp returns an exponential distribution: a value may be removed at any time, whatever its age.
// [Model.Validate] rejects a mean that [ParseLifetime] rejects.
//
// Cost: O(1); never allocates.
func Exp(mean time.Duration) Lifetime { return Lifetime{exponential, mean, mean} }

// Const returns a distribution of one lifetime. [Model.Validate] rejects what [ParseLifetime]
// rejects.
//
// Cost: O(1); never allocates.
func Const(d time.Duration) Lifetime { return Lifetime{constant, d, d} }

// Uniform returns a uniform distribution from lo to hi. [Model.Validate] rejects what
// [ParseLifetime] rejects, and hi below lo.
//
// Cost: O(1); never allocates.
func Uniform(lo, hi time.Duration) Lifetime { return Lifetime{uniform, lo, hi} }

// ParseLifetime parses the format of [Lifetime.String]: "exp:2s", "const:500ms", "uniform:1s-3s" or
// "forever". Durations are those of [time.ParseDuration]. They must be positive, and at most 1000
// hours.
func ParseLifetime(s string) (Lifetime, error) {
	l, err := parseLifetime(s)
	if err == nil {
		err = l.validate()
	}
	if err != nil {
		return Lifetime{}, fmt.Errorf("trace: lifetime %q: %w", s, err)
	}
	return l, nil
}

func parseLifetime(s string) (Lifetime, error) {
	name, arg, _ := strings.Cut(s, ":")
	switch name {
	case "exp", "const":
		d, err := time.ParseDuration(arg)
		if name == "exp" {
			return Exp(d), err
		}
		return Const(d), err
	case "uniform":
		from, to, ok := strings.Cut(arg, "-")
		if !ok {
			return Lifetime{}, errors.New("uniform needs two durations, as in uniform:1s-3s")
		}
		lo, err := time.ParseDuration(from)
		if err != nil {
			return Lifetime{}, err
		}
		hi, err := time.ParseDuration(to)
		return Uniform(lo, hi), err
	case "forever":
		if s == name {
			return Forever(), nil
		}
	}
	return Lifetime{}, errors.New("want exp:2s, const:500ms, uniform:1s-3s or forever")
}

const mostDuration = 1000 * time.Hour

func (l Lifetime) validate() error {
	switch {
	case l.shape == forever:
		return nil
	case l.lo <= 0:
		return fmt.Errorf("%v is not positive", l.lo)
	case l.hi < l.lo:
		return fmt.Errorf("%v is less than %v", l.hi, l.lo)
	case l.hi > mostDuration:
		return fmt.Errorf("%v is more than %v", l.hi, mostDuration)
	}
	return nil
}

// String formats l for ParseLifetime.
func (l Lifetime) String() string {
	switch l.shape {
	case exponential:
		return "exp:" + l.lo.String()
	case constant:
		return "const:" + l.lo.String()
	case uniform:
		return "uniform:" + l.lo.String() + "-" + l.hi.String()
	default:
		return "forever"
	}
}

// Mean returns the mean lifetime, or 0 for forever.
func (l Lifetime) Mean() time.Duration { return l.lo + (l.hi-l.lo)/2 }

// lives draws lifetimes in whole frames, at least 1. It uses integers only, so that it draws the
// same on every machine, since logarithms differ in the last bit.
type lives struct {
	shape  shape
	lo, hi uint64 // frames, for const and uniform

	// The exponential distribution in whole frames is geometric, and the binary digits of a
	// geometric number are independent: digit i is 1 with probability ones[i] / 2^64.
	ones []uint64

	// The mean in frames is num/den.
	num, den uint64
}

// in returns l in frames at fps frames a second.
func (l Lifetime) in(fps int) lives {
	f := uint64(fps)
	frames := func(d time.Duration) uint64 {
		return max(1, (uint64(d)*f+uint64(time.Second)/2)/uint64(time.Second))
	}
	s := lives{shape: l.shape}
	switch l.shape {
	case exponential:
		s.num, s.den = uint64(l.lo)*f, uint64(time.Second)
		if s.num <= s.den {
			s.num, s.den = 1, 1
			break
		}
		// A value outlives a frame with probability 1 - den/num, and 2^i frames with its 2^i-th
		// power, which is stay / 2^64. A number with digit i is rarer by this factor than the same
		// one without it: of 1+stay cases, stay have the digit.
		stay, _ := bits.Div64(s.num-s.den, 0, s.num)
		for stay != 0 {
			one, _ := bits.Div64(stay>>1, stay<<63, 1<<63|stay>>1) // stay/(1+stay), halved
			s.ones = append(s.ones, one)
			stay, _ = bits.Mul64(stay, stay)
		}
	case constant, uniform:
		s.lo, s.hi = frames(l.lo), frames(l.hi)
		s.num, s.den = s.lo+s.hi, 2
	}
	return s
}

// newborn draws the lifetime of a new value.
func (s *lives) newborn(r *rng) uint64 {
	if s.shape == exponential {
		k := uint64(0)
		for i, one := range s.ones {
			if r.next() < one {
				k |= 1 << i
			}
		}
		return k + 1
	}
	return s.lo + r.below(s.hi-s.lo+1)
}

// rest draws the remaining lifetime of a value that is live at some frame. Long lives are more
// likely to be live then, and any part of them may be over.
func (s *lives) rest(r *rng) uint64 {
	if s.shape == exponential {
		return s.newborn(r) // whatever its age
	}
	for {
		if k := s.newborn(r); r.below(s.hi) < k {
			return 1 + r.below(k)
		}
	}
}
