package trace

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

// Summary holds the totals of a stream.
type Summary struct {
	Frames uint64
	Ops    uint64 // in total, frames included
	Bytes  int64  // of the stream, as far as it was read
	Tracks []TrackSummary
}

// TrackSummary holds the totals of one track.
type TrackSummary struct {
	TrackInfo
	Inserts, Removals, Gets, Misses, Passes uint64

	Peak, Final int // live values: the maximum, and the number at the end

	// Lifetimes of removed values, in frames. A value removed in the frame of its insert has lived
	// for 0. The median is exact up to 1024, and beyond that to a thousandth.
	MedianLifetime uint64
	MeanLifetime   float64

	MostInserts uint64 // in one frame
}

// Summarise reads r to its end. If the stream is truncated or corrupt, it returns the error with
// the Summary of the valid part.
//
// Cost: O(ops); allocates 8 bytes per name, and up to 10 KiB for each doubling of the longest
// lifetime, for each track.
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
	born    []uint64 // by name: the frame of the value's insert
	live    int
	frames  float64  // sum of the lifetimes
	lived   []uint64 // number of lifetimes by bin
	inserts uint64   // in the current frame
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

// summary completes the counts.
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

// bin returns the bin of a lifetime: its own up to 2^binBits, and above that a fixed number of bins
// for each power of two.
func bin(life uint64) int {
	if life < 1<<binBits {
		return int(life)
	}
	e := bits.Len64(life) - 1 - binBits
	return (e+1)<<binBits + int(life>>e&(1<<binBits-1))
}

// least returns the smallest lifetime of a bin.
func least(bin int) uint64 {
	e, m := bin>>binBits, uint64(bin)&(1<<binBits-1)
	if e == 0 {
		return m
	}
	return (1<<binBits | m) << (e - 1)
}

// String formats s as a few lines of text.
func (s Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d frames, %d other ops in %d bytes (%.2f bits per op)\n",
		s.Frames, s.Ops-s.Frames, s.Bytes, float64(8*s.Bytes)/float64(max(1, s.Ops)))
	for _, t := range s.Tracks {
		fmt.Fprintf(&b, "%q, values of %d bytes\n", t.Name, t.Bytes)
		fmt.Fprintf(&b, "  live       %d at the end, %d at most\n", t.Final, t.Peak)
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
