package peers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// peer is the program of a language. It runs as one process, which is idle between requests. If the
// process fails, the next request starts another, for the implementations that did not fail.
type peer struct {
	name     string
	ctx      context.Context //nolint:containedctx // as long as the run
	say      io.Writer       // messages to the user
	limit    time.Duration   // of the time of an answer
	command  func(ctx context.Context) *exec.Cmd
	impls    []*peerImpl // its implementations
	compiler string      // the compiler of the program
	process  *process    // nil if none runs
}

// peerProtocol is the version of the protocol in README.md.
const peerProtocol = 1

const (
	repetitionTime = 2 * time.Minute  // for an answer
	greetingTime   = 20 * time.Second // for the first one
	maxAnswerLines = 1000             // in an answer
	maxAnswerLine  = 1 << 20          // bytes in a line
)

type process struct {
	kill  context.CancelFunc
	in    io.WriteCloser
	lines chan string // its output, until it ends
	ended chan error  // its exit
	last  *tail       // of its standard error
}

// remoteSeries is one series of repetitions, which every process must start before a repetition.
type remoteSeries struct {
	command string
	in      *process
}

func newPeer(ctx context.Context, name string, say io.Writer, bin string) *peer {
	return &peer{
		name: name, ctx: ctx, say: say,
		limit:   repetitionTime,
		command: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, bin) },
	}
}

// greet starts the process and requests its implementations.
func (p *peer) greet() error {
	lines, err := p.askWithin(min(p.limit, greetingTime), "hello")
	if err != nil {
		return err
	}
	if len(lines) == 0 || lines[0] != "peer "+strconv.Itoa(peerProtocol) {
		return nonsense(strings.Join(lines, " / "))
	}
	for _, line := range lines[1:] {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "impl" {
			return nonsense(line)
		}
		r := &peerImpl{peer: p, id: words[1], works: map[string]bool{}}
		for _, w := range words[2:] {
			r.works[w] = true
		}
		p.impls = append(p.impls, r)
	}
	return nil
}

// rep requests a repetition, after it has started the series if this process has not.
func (p *peer) rep(id string, s *remoteSeries) ([]string, error) {
	if p.process == nil || s.in != p.process {
		if _, err := p.ask(s.command); err != nil {
			return nil, err
		}
		s.in = p.process
	}
	return p.ask("rep " + id)
}

// ask sends a line and returns the answer without its last line. If the answer is late or invalid,
// it kills the process.
func (p *peer) ask(line string) ([]string, error) { return p.askWithin(p.limit, line) }

// askWithin is ask with another time limit.
func (p *peer) askWithin(limit time.Duration, line string) ([]string, error) {
	if p.process == nil {
		if err := p.run(); err != nil {
			return nil, err
		}
	}
	answer, err := p.process.ask(p.ctx, limit, line)
	if err != nil && !errors.Is(err, errRefused) {
		p.drop()
	}
	return answer, err
}

// errRefused means that a peer answered with an error.
var errRefused = errors.New("it refuses")

func (s *process) ask(ctx context.Context, limit time.Duration, line string) ([]string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		return nil, s.death(ctx)
	}
	var answer []string
	for {
		select {
		case said, ok := <-s.lines:
			switch why, refused := strings.CutPrefix(said, "error "); {
			case !ok:
				return nil, s.death(ctx)
			case said == "end":
				return answer, nil
			case refused:
				return nil, fmt.Errorf("%w: %s", errRefused, why)
			case len(answer) == maxAnswerLines:
				return nil, nonsense(said)
			}
			answer = append(answer, said)
		case <-timer.C:
			return nil, fmt.Errorf("no answer within %v to %q", limit, line)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *peer) run() error {
	ctx, kill := context.WithCancel(p.ctx)
	c := p.command(ctx)
	c.WaitDelay = 2 * time.Second
	s := &process{
		kill: kill, last: new(tail),
		lines: make(chan string), ended: make(chan error, 1),
	}
	c.Stderr = s.last
	in, err := c.StdinPipe()
	if err != nil {
		kill()
		return fmt.Errorf("cannot start it: %w", err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		kill()
		return fmt.Errorf("cannot start it: %w", err)
	}
	s.in = in
	go s.listen(ctx, out, c.Wait)
	p.process = s
	return nil
}

// listen passes on the output of the process, and then its exit.
func (s *process) listen(ctx context.Context, out io.ReadCloser, wait func() error) {
	// A child of the process may live on and hold its end of the pipe, so close this one.
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, maxAnswerLine)
	for scan.Scan() {
		select {
		case s.lines <- scan.Text():
		case <-ctx.Done(): // no one is waiting any more
		}
	}
	s.kill() // it may still run if a line was too long
	err := scan.Err()
	if ended := wait(); err == nil {
		err = ended
	}
	s.ended <- err
	close(s.lines)
}

// death returns the error of a process that ended unexpectedly. An interrupt from the keyboard
// reaches the process too, perhaps before ctx, so it waits a little for ctx.
func (s *process) death(ctx context.Context) error {
	s.kill()
	how := <-s.ended
	s.ended <- how // for the next request
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
	}
	err := errors.New("it ended")
	if how != nil {
		err = fmt.Errorf("it ended: %w", how)
	}
	if said := s.last.String(); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// drop kills the process, and waits for its end.
func (p *peer) drop() {
	if p.process == nil {
		return
	}
	s := p.process
	p.process = nil
	s.kill()
	for range s.lines { // until it is closed
	}
}

// tail keeps the end of its input, and shows it as one line.
type tail struct{ kept []byte }

const maxTail = 500

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if n := len(t.kept) - maxTail; n > 0 {
		t.kept = slices.Clone(t.kept[n:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	return string(bytes.Join(bytes.Fields(t.kept), []byte(" ")))
}
