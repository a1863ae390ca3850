package peers

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// peerImpl is an implementation in another process.
type peerImpl struct {
	peer  *peer
	id    string          // its name in the protocol
	works map[string]bool // the workloads that it runs
	gone  bool            // it failed, and takes part no more
}

// Runs reports whether the peer supports a workload.
func (r *peerImpl) Runs(workload string) bool { return r.works[workload] }

// Start sets up a series of repetitions by a peer. A failure ends the peer's part in the run with a
// line to the user, and a note on its existing figures. It does not end the run.
func (r *peerImpl) Start(t *measure.Trial) func() error {
	s := &remoteSeries{
		command: fmt.Sprintf("start %s %s %d %d", r.id, t.Workload.Name, t.N, t.Elem),
	}
	return func() error {
		if r.gone {
			return nil
		}
		if err := t.Pause(); err != nil {
			return err
		}
		a, err := r.repetition(t, s)
		switch {
		case t.Ctx.Err() != nil:
			return measure.ErrStopped
		case err != nil:
			r.fail(t, err)
		default:
			a.record(t)
		}
		return nil
	}
}

// repetition requests one, and validates the answer.
func (r *peerImpl) repetition(t *measure.Trial, s *remoteSeries) (*remoteAnswer, error) {
	lines, err := r.peer.rep(r.id, s)
	if err != nil {
		return nil, err
	}
	a, err := parseAnswer(t, lines)
	if err != nil {
		r.peer.drop() // its answers may also be out of step
	}
	return a, err
}

// fail ends the part of an implementation in the run.
func (r *peerImpl) fail(t *measure.Trial, err error) {
	r.gone = true
	fmt.Fprintf(r.peer.say, "peers: %s is left out from %s on: %v\n", t.Impl.Name, t.Label(), err)
	t.Fail(err)
}

// remoteAnswer is the answer for one repetition.
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

// errNonsense means that an answer does not follow the protocol.
var errNonsense = errors.New("it answers nonsense")

// nonsense returns an error that quotes the beginning of a line.
func nonsense(line string) error {
	const most = 100
	if len(line) > most {
		line = line[:most] + "..."
	}
	return fmt.Errorf("%w: %q", errNonsense, line)
}

// parseAnswer parses the answer for one repetition of t's job.
func parseAnswer(t *measure.Trial, lines []string) (*remoteAnswer, error) {
	a := new(remoteAnswer)
	for _, line := range lines {
		words := strings.Fields(line)
		ok := false
		switch {
		case len(words) == 5 && words[0] == "metric":
			ok = a.addMetric(t, words[1:])
		case t.Workload.Steps != nil && len(words) == 2+t.Workload.Steps.Count &&
			words[0] == "steps" && a.steps == nil:
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

// addMetric parses NAME UNIT VALUE CHECKSUM.
func (a *remoteAnswer) addMetric(t *measure.Trial, words []string) bool {
	m := remoteMetric{name: words[0], unit: words[1]}
	var known bool
	m.want, known = t.Expect(m.name)
	var wrong, bad error
	m.value, wrong = measured(words[2])
	m.sum, bad = strconv.ParseUint(words[3], 10, 64)
	a.metrics = append(a.metrics, m)
	return known && wrong == nil && bad == nil && (m.unit == "ns" || m.unit == "bytes")
}

// addSteps parses CHECKSUM and the time of each step.
func (a *remoteAnswer) addSteps(t *measure.Trial, words []string) bool {
	_, known := t.Expect(measure.StepsMetric)
	var err error
	a.sum, err = strconv.ParseUint(words[0], 10, 64)
	for _, word := range words[1:] {
		ns, wrong := measured(word)
		a.steps = append(a.steps, ns)
		err = errors.Join(err, wrong)
	}
	return known && err == nil
}

func measured(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err == nil && (v < 0 || math.IsInf(v, 0) || math.IsNaN(v)) {
		err = strconv.ErrRange
	}
	return v, err
}

func (a *remoteAnswer) record(t *measure.Trial) {
	for _, m := range a.metrics {
		t.Add(m.name, m.unit, m.value, m.sum, m.want)
	}
	if a.steps != nil {
		want, _ := t.Expect(measure.StepsMetric)
		t.AddSteps(a.steps, a.sum, want)
	}
}
