package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// remote is an implementation in another process.
type remote struct {
	peer  *peer
	id    string          // its name there
	works map[string]bool // the workloads that it runs
	gone  bool            // it failed, and takes part no more
}

// takes reports whether im has what the workload asks for, or its peer says so.
func (w *workload) takes(im impl) bool {
	if im.remote != nil {
		return im.remote.works[w.name]
	}
	return w.runs(im)
}

// begin sets up a trial's series of repetitions, here or in another process.
func (t *trial) begin() func() error {
	if t.im.remote != nil {
		return startRemote(t)
	}
	return t.w.start(t)
}

// startRemote sets up a series of repetitions by a peer. A failure ends its part in the run, and
// leaves a line to say and a note with the figures that there are; it is no failure of the run.
func startRemote(t *trial) func() error {
	r := t.im.remote
	s := &remoteSeries{command: fmt.Sprintf("start %s %s %d %d", r.id, t.w.name, t.n, t.elem)}
	return func() error {
		if r.gone {
			return nil
		}
		if err := t.pause(); err != nil {
			return err
		}
		a, err := r.repetition(t, s)
		switch {
		case t.ctx.Err() != nil:
			return errStopped
		case err != nil:
			r.fail(t, err)
		default:
			a.record(t)
		}
		return nil
	}
}

// repetition asks for one, and makes sure of the answer.
func (r *remote) repetition(t *trial, s *remoteSeries) (*remoteAnswer, error) {
	lines, err := r.peer.rep(r.id, s)
	if err != nil {
		return nil, err
	}
	a, err := parseAnswer(t, lines)
	if err != nil {
		r.peer.drop() // who says such things may also be out of step
	}
	return a, err
}

// fail ends the part of an implementation in the run.
func (r *remote) fail(t *trial, err error) {
	r.gone = true
	fmt.Fprintf(r.peer.say, "peers: %s is left out from %s on: %v\n", t.im.name, t.label(), err)
	if t.rec == nil {
		return
	}
	for _, f := range t.rec.figures {
		if f.Impl == t.im.name && t.has(f) {
			f.Note = fmt.Sprintf("it failed in repetition %d: %v", t.rec.round+1, err)
		}
	}
}

// remoteAnswer is what a peer says of one repetition.
type remoteAnswer struct {
	metrics []remoteMetric
	steps   []float64
	sum     uint64 // of the steps
}

type remoteMetric struct {
	name, unit string
	value      float64
	sum, want  uint64
}

// errNonsense says that an answer is not one of the protocol.
var errNonsense = errors.New("it answers nonsense")

// nonsense returns an error with as much of a line as one wants to read.
func nonsense(line string) error {
	const most = 100
	if len(line) > most {
		line = line[:most] + "..."
	}
	return fmt.Errorf("%w: %q", errNonsense, line)
}

// parseAnswer reads what a peer says of one repetition of t's job.
func parseAnswer(t *trial, lines []string) (*remoteAnswer, error) {
	a := new(remoteAnswer)
	for _, line := range lines {
		words := strings.Fields(line)
		ok := false
		switch {
		case len(words) == 5 && words[0] == "metric":
			ok = a.addMetric(t, words[1:])
		case len(words) == 2+steps && words[0] == "steps" && a.steps == nil:
			ok = a.addSteps(t, words[1:])
		}
		if !ok {
			return nil, nonsense(line)
		}
	}
	if len(lines) == 0 {
		return nil, nonsense("")
	}
	return a, nil
}

// addMetric reads NAME UNIT VALUE CHECKSUM.
func (a *remoteAnswer) addMetric(t *trial, words []string) bool {
	m := remoteMetric{name: words[0], unit: words[1]}
	var known bool
	m.want, known = wantOf(t.job, t.want, m.name)
	var wrong, bad error
	m.value, wrong = measured(words[2])
	m.sum, bad = strconv.ParseUint(words[3], 10, 64)
	a.metrics = append(a.metrics, m)
	return known && wrong == nil && bad == nil && (m.unit == "ns" || m.unit == "bytes")
}

// addSteps reads CHECKSUM and the time of each step.
func (a *remoteAnswer) addSteps(t *trial, words []string) bool {
	_, known := wantOf(t.job, t.want, stepsMetric)
	var err error
	a.sum, err = strconv.ParseUint(words[0], 10, 64)
	for _, word := range words[1:] {
		ns, wrong := measured(word)
		a.steps = append(a.steps, ns)
		err = errors.Join(err, wrong)
	}
	return known && err == nil
}

// measured reads a time or a number of bytes.
func measured(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err == nil && (v < 0 || math.IsInf(v, 0) || math.IsNaN(v)) {
		err = strconv.ErrRange
	}
	return v, err
}

// record adds the answer to the figures.
func (a *remoteAnswer) record(t *trial) {
	for _, m := range a.metrics {
		t.add(m.name, m.unit, m.value, m.sum, m.want)
	}
	if a.steps != nil {
		want, _ := wantOf(t.job, t.want, stepsMetric)
		t.addSteps(a.steps, a.sum, want)
	}
}

// stepsMetric stands for the steps of a workload that has them, as if they were one metric.
const stepsMetric = "steps"

// wantOf returns the checksum that a metric must come to, given what the job's want returned. It
// reports false if peers have no such metric.
func wantOf(j job, want any, metric string) (uint64, bool) {
	switch j.w {
	case basic:
		switch metric {
		case "insert_reserved", "insert_new", "insert_refill", "iter_sum":
			return want.(basicSums).fresh, true
		case "iter_mut", "get_seq", "get_random", "remove_random":
			return want.(basicSums).mutated, true
		}
	case thesisBasic:
		switch metric {
		case "insert", "iterate", "random_get", "random_remove", "bytes_per_value":
			return want.(basicSums).fresh, true
		}
	case cross, thesisCross:
		if metric == "ns_per_pair" || metric == "ns_per_pair_twokey" {
			return want.(uint64), true
		}
	case churn:
		return want.(uint64), metric == "ns_per_pair"
	case ephemeral, crossEphemeral, thesisEphemeral, thesisCrossEphemeral:
		return want.(uint64), metric == stepsMetric
	case sparse:
		for _, d := range removals {
			tail, ok := strings.CutPrefix(metric, d.name)
			if ok && (tail == "_mut" || tail == "_pass" && d.few || tail == "_sum" && !d.few) {
				return want.(map[string]uint64)[d.name], true
			}
		}
	case memory:
		if metric == "bytes_per_value" || metric == "peak_bytes_per_value" {
			return wantBasic(j.n).fresh, true
		}
		if which, ok := strings.CutPrefix(metric, "left_25_"); ok {
			sum, ok := want.(map[string]uint64)["keep25_"+strings.TrimSuffix(which, "_clip")]
			return sum, ok
		}
	}
	return 0, false
}
