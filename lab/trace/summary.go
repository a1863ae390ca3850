package trace

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

// Summary says what there is in a stream.
type Summary struct {
	Frames uint64
	Ops    uint64 // all, frames included
	Bytes  int64  // of the stream, as far as it was read
	Tracks []TrackSummary
}

// TrackSummary says what there is of one track.
type TrackSummary struct {
	TrackInfo
	Inserts, Removals, Gets, Misses, Passes uint64

	Peak, Final int // living values: the most, and how many at the end

	// Of the values that are gone, in frames. A value that goes in the frame in which it came has
	// lived for 0. The median is exact up to 1024, and beyond to a thousandth.
	MedianLifetime uint64
	MeanLifetime   float64

	MostInserts uint64 // in one frame
}

// Summarise reads r to its end. If the stream is truncated or corrupt, the error says so, and the
// Summary is that of what came before.
// Cost: O(ops); allocates 8 bytes per name, and up to 10 KiB for each doubling of the longest
// lifetime, of each track.
func Summarise(r *Reader) (Summary, error) {
	var s Summary
	var all []*tally
	for {
		op, err := r.Next()
		if err != nil {
			s.Bytes = r.Offset()
			for i, info := range r.Tracks() {
				if i == len(all) {
					all = append(all, new(tally))
				}
				s.Tracks = append(s.Tracks, all[i].summary(info))
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return s, err
		}
		s.Ops++
		if op.Kind == Frame {
			s.Frames++
			continue
		}
		for op.Track >= len(all) {
			all = append(all, new(tally))
		}
		all[op.Track].count(op, s.Frames)
	}
}

// tally counts the ops of a track.
type tally struct {
	TrackSummary
	born    []uint64 // by name: the frame in which its value came
	live    int
	frames  float64  // lifetimes together
	lived   []uint64 // how many lifetimes fell into which bin
	inserts uint64   // in the frame now
	now     uint64
}

func (t *tally) count(op Op, frame uint64) {
	switch op.Kind {
	case Insert:
		if frame != t.now {
			t.now, t.inserts = frame, 0
		}
		t.inserts++
		t.MostInserts = max(t.MostInserts, t.inserts)
		t.Inserts++
		t.live++
		t.Peak = max(t.Peak, t.live)
		if int(op.Value) == len(t.born) {
			t.born = append(t.born, 0)
		}
		t.born[op.Value] = frame
	case Remove:
		t.Removals++
		t.live--
		life := frame - t.born[op.Value]
		t.frames += float64(life)
		b := bin(life)
		for b >= len(t.lived) {
			t.lived = append(t.lived, 0)
		}
		t.lived[b]++
	case Get:
		t.Gets++
	case Miss:
		t.Misses++
	case Pass:
		t.Passes++
	}
}

// summary completes what was counted.
func (t *tally) summary(info TrackInfo) TrackSummary {
	s := t.TrackSummary
	s.TrackInfo, s.Final = info, t.live
	if s.Removals == 0 {
		return s
	}
	s.MeanLifetime = t.frames / float64(s.Removals)
	seen := uint64(0)
	for b, n := range t.lived {
		if seen += n; seen > (s.Removals-1)/2 {
			s.MedianLifetime = least(b)
			break
		}
	}
	return s
}

const binBits = 10

// bin returns where a lifetime is counted: by itself up to 2^binBits, and above in bins of which
// there are as many for each power of two.
func bin(life uint64) int {
	if life < 1<<binBits {
		return int(life)
	}
	e := bits.Len64(life) - 1 - binBits
	return (e+1)<<binBits + int(life>>e&(1<<binBits-1))
}

// least returns the least lifetime that is counted in a bin.
func least(bin int) uint64 {
	e, m := bin>>binBits, uint64(bin)&(1<<binBits-1)
	if e == 0 {
		return m
	}
	return (1<<binBits | m) << (e - 1)
}

// String returns s as a few lines for people.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d frames, %d other ops in %d bytes (%.2f bits per op)\n",
		s.Frames, s.Ops-s.Frames, s.Bytes, float64(8*s.Bytes)/float64(max(1, s.Ops)))
	for _, t := range s.Tracks {
		fmt.Fprintf(&b, "%q, values of %d bytes\n", t.Name, t.Bytes)
		fmt.Fprintf(&b, "  living     %d at the end, %d at most\n", t.Final, t.Peak)
		fmt.Fprintf(&b, "  inserts    %d, at most %d in a frame\n", t.Inserts, t.MostInserts)
		fmt.Fprintf(&b, "  removals   %d", t.Removals)
		if t.Removals > 0 {
			fmt.Fprintf(&b, ", after %d frames (median; mean %.1f)",
				t.MedianLifetime, t.MeanLifetime)
		}
		b.WriteByte('\n')
		fmt.Fprintf(&b, "  lookups    %d found, %d missed\n", t.Gets, t.Misses)
		fmt.Fprintf(&b, "  passes     %d\n", t.Passes)
	}
	return b.String()
}
