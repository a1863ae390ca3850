package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/seed505807e1/berth/arena"
)

// chunk is the size of an arena's chunks. An arena keeps one chunk between requests.
const chunk = 256 << 10

// batch is a batch in an arena. It has the contents of plain without pointers. The containers are
// made once. Reset frees their memory, and Clear makes them usable again.
type batch struct {
	arena       *arena.Arena
	names       names
	readings    *arena.Vec[reading]
	at          *arena.Map[place, uint32] // index of the reading of a series at a time
	series      *arena.Vec[series]
	byName      *arena.Map[seriesName, seriesID]
	corrections int
}

type seriesID uint32

type seriesName struct{ device, metric nameID }

type place struct {
	series seriesID
	time   uint32
}

type reading struct {
	time  uint32
	value int32
}

type series struct {
	name     seriesName
	readings arena.Nested[uint32]
}

func newBatch() *batch {
	a := arena.NewChunked(chunk)
	b := &batch{
		arena:    a,
		names:    newNames(a),
		readings: arena.NewVec[reading](a),
		at:       arena.NewMap[place, uint32](a),
		series:   arena.NewVec[series](a),
		byName:   arena.NewMap[seriesName, seriesID](a),
	}
	b.end()
	return b
}

// end empties the batch. After an unusually large one, it gives memory back, too.
func (b *batch) end() {
	b.arena.Reset()
	arena.New[byte](b.arena) // keeps the first chunk through Clip
	if b.arena.Stats().Reserved > chunk {
		b.arena.Clip()
	}
	b.names.clear()
	b.readings.Clear()
	b.at.Clear()
	b.series.Clear()
	b.byName.Clear()
	b.corrections = 0
}

// batches is a free list of batches. Their number bounds the memory of all requests together.
type batches struct {
	free     chan *batch
	patience time.Duration // how long a request waits for a batch
}

func newBatches(n int, patience time.Duration) *batches {
	bs := &batches{make(chan *batch, n), patience}
	for range n {
		bs.free <- newBatch()
	}
	return bs
}

// errBusy reports that no batch was free in time.
var errBusy = errors.New("busy: too many requests at a time")

// take returns a batch, which belongs to the caller until give.
func (bs *batches) take(ctx context.Context) (*batch, error) {
	select {
	case b := <-bs.free:
		return b, nil
	default:
	}
	ctx, cancel := context.WithTimeout(ctx, bs.patience)
	defer cancel()
	select {
	case b := <-bs.free:
		return b, nil
	case <-ctx.Done():
		return nil, errBusy
	}
}

func (bs *batches) give(b *batch) {
	b.end()
	bs.free <- b
}

// summarise is the version with arenas. The answer is in the arena too, so reply must not keep it.
// The arena is reset when reply returns, and also if reply or body panics.
func (bs *batches) summarise(
	ctx context.Context, body io.Reader, size int64, reply func([]byte),
) error {
	b, err := bs.take(ctx)
	if err != nil {
		return err
	}
	defer bs.give(b)
	if err := b.read(body, size); err != nil {
		return err
	}
	if err := b.parse(); err != nil {
		return err
	}
	reply(b.answer())
	return nil
}

// read reads the text of the batch. The size is negative if it is unknown.
func (b *batch) read(r io.Reader, size int64) error {
	room := int(min(max(size, 4<<10), mostBytes))
	text := arena.MakeSliceDirty[byte](b.arena, 0, room+1) // the last read needs room
	for {
		if len(text) == cap(text) {
			text, _ = arena.Append(b.arena, text, 0) // a chunked arena always has room
			text = text[:len(text)-1]
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		if errors.Is(err, io.EOF) {
			b.names.text = text
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// shortestLine is the length of the shortest reading. A malformed line ends the batch, so a batch
// has at most len(text)/shortestLine+1 readings.
const shortestLine = len("a,b,1,1\n")

func (b *batch) parse() error {
	text := b.names.text
	if len(text) == 0 {
		return errEmpty
	}
	lines := min(bytes.Count(text, []byte{'\n'}), len(text)/shortestLine) + 1
	b.readings.Reserve(lines)
	b.at.Grow(lines)
	start := 0
	for n := 1; start < len(text); n++ {
		end := len(text)
		if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := text[start:end]
		if end < len(text) {
			end++
		}
		if why := b.line(start, bytes.TrimSuffix(line, []byte{'\r'})); why != "" {
			return &lineError{n, why}
		}
		start = end
	}
	return nil
}

// line adds the reading of one line, which begins at start in the text. It returns the reason if
// the line is malformed.
func (b *batch) line(start int, line []byte) (why string) {
	device, rest, _ := bytes.Cut(line, []byte{','})
	metric, rest, _ := bytes.Cut(rest, []byte{','})
	seconds, number, ok := bytes.Cut(rest, []byte{','})
	if !ok || bytes.IndexByte(number, ',') >= 0 {
		return badFields
	}
	if !isName(device) || !isName(metric) {
		return badName
	}
	time, err := strconv.ParseUint(string(seconds), 10, 32) // does not allocate
	if err != nil {
		return badTime
	}
	value, err := strconv.ParseInt(string(number), 10, 32)
	if err != nil {
		return badValue
	}
	comma := start + len(device)
	b.add(seriesName{
		b.names.number(start, comma),
		b.names.number(comma+1, comma+1+len(metric)),
	}, reading{uint32(time), int32(value)})
	return ""
}

func (b *batch) add(name seriesName, r reading) {
	id := b.find(name)
	if i := b.at.Ptr(place{id, r.time}); i != nil {
		*b.readings.Ptr(int(*i)) = r
		b.corrections++
		return
	}
	i := uint32(b.readings.Len())
	b.series.Ptr(int(id)).readings.Push(b.arena, i)
	b.at.Set(place{id, r.time}, i)
	b.readings.Push(r)
}

// find returns the number of a series. A new series gets the next one.
func (b *batch) find(name seriesName) seriesID {
	if id := b.byName.Ptr(name); id != nil {
		return *id
	}
	id := seriesID(b.series.Len())
	b.series.Push(series{name: name})
	b.byName.Set(name, id)
	return id
}

func (b *batch) answer() []byte {
	n := b.series.Len()
	order := arena.MakeSliceDirty[seriesID](b.arena, n, n)
	for i := range order {
		order[i] = seriesID(i)
	}
	slices.SortFunc(order, func(i, j seriesID) int {
		x, y := b.series.Ptr(int(i)).name, b.series.Ptr(int(j)).name
		return cmp.Or(bytes.Compare(b.names.name(x.device), b.names.name(y.device)),
			bytes.Compare(b.names.name(x.metric), b.names.name(y.metric)))
	})
	text := arena.MakeSliceDirty[byte](b.arena, 0, (n+1)*longestLine)
	text = appendCounts(text, b.readings.Len(), b.corrections, n)
	for _, id := range order {
		text = b.appendSeries(text, b.series.Ptr(int(id)))
	}
	return text
}

// appendSeries appends the line of s. The sorted values are in a scope, which ends with the line.
func (b *batch) appendSeries(text []byte, s *series) []byte {
	b.arena.Scope(func(a *arena.Arena) {
		list := s.readings.Slice(a)
		values := arena.MakeSliceDirty[int32](a, len(list), len(list))
		var last reading
		for k, i := range list {
			r := b.readings.At(int(i))
			values[k] = r.value
			if r.time >= last.time {
				last = r
			}
		}
		slices.Sort(values)
		text = appendSeries(text, b.names.name(s.name.device), b.names.name(s.name.metric),
			values, last.value)
	})
	return text
}
