package main

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// plain is a batch in slices, maps and strings.
type plain struct {
	readings    []plainReading
	at          map[plainPlace]int // index of the reading of a series at a time
	series      map[plainName]*plainSeries
	corrections int
}

type plainName struct{ device, metric string }

type plainPlace struct {
	name plainName
	time uint32
}

type plainReading struct {
	time  uint32
	value int32
}

type plainSeries struct {
	name     plainName
	readings []int
}

func newPlain() *plain {
	return &plain{at: map[plainPlace]int{}, series: map[plainName]*plainSeries{}}
}

// summarisePlain allocates everything for each batch.
func summarisePlain(_ context.Context, body io.Reader, _ int64, reply func([]byte)) error {
	return newPlain().summarise(body, reply)
}

var reused = sync.Pool{New: func() any { return newPlain() }}

// summariseReused clears and reuses slices and maps. Their contents are allocated for each batch.
func summariseReused(_ context.Context, body io.Reader, _ int64, reply func([]byte)) error {
	p := reused.Get().(*plain)
	defer func() {
		p.readings, p.corrections = p.readings[:0], 0
		clear(p.at)
		clear(p.series)
		reused.Put(p)
	}()
	return p.summarise(body, reply)
}

func (p *plain) summarise(body io.Reader, reply func([]byte)) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	if err := p.parse(string(text)); err != nil {
		return err
	}
	reply(p.answer())
	return nil
}

func (p *plain) parse(text string) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if why := p.line(line); why != "" {
			return &lineError{n, why}
		}
	}
	if n == 0 {
		return errEmpty
	}
	return nil
}

// line adds the reading of one line. It returns the reason if the line is malformed.
func (p *plain) line(line string) (why string) {
	device, rest, _ := strings.Cut(line, ",")
	metric, rest, _ := strings.Cut(rest, ",")
	seconds, number, ok := strings.Cut(rest, ",")
	if !ok || strings.Contains(number, ",") {
		return badFields
	}
	if !isName(device) || !isName(metric) {
		return badName
	}
	time, err := strconv.ParseUint(seconds, 10, 32)
	if err != nil {
		return badTime
	}
	value, err := strconv.ParseInt(number, 10, 32)
	if err != nil {
		return badValue
	}
	p.add(plainName{device, metric}, plainReading{uint32(time), int32(value)})
	return ""
}

func (p *plain) add(name plainName, r plainReading) {
	place := plainPlace{name, r.time}
	if i, ok := p.at[place]; ok {
		p.readings[i] = r
		p.corrections++
		return
	}
	s := p.series[name]
	if s == nil {
		s = &plainSeries{name: name}
		p.series[name] = s
	}
	s.readings = append(s.readings, len(p.readings))
	p.at[place] = len(p.readings)
	p.readings = append(p.readings, r)
}

func (p *plain) answer() []byte {
	var all []*plainSeries
	for _, s := range p.series {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *plainSeries) int {
		return cmp.Or(cmp.Compare(a.name.device, b.name.device),
			cmp.Compare(a.name.metric, b.name.metric))
	})
	text := appendCounts(nil, len(p.readings), p.corrections, len(all))
	for _, s := range all {
		var values []int32
		var last plainReading
		for _, i := range s.readings {
			r := p.readings[i]
			values = append(values, r.value)
			if r.time >= last.time {
				last = r
			}
		}
		slices.Sort(values)
		text = appendSeries(text, s.name.device, s.name.metric, values, last.value)
	}
	return text
}
