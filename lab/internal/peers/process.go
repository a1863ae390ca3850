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

// peer is the program of a language. It runs as one process, which does nothing while it is not
// asked; where the process fails, the next request starts another, for the sake of the
// implementations that did not fail.
type peer struct {
	name     string
	ctx      context.Context //nolint:containedctx // as long as the run
	say      io.Writer       // for what the user should know
	limit    time.Duration   // to an answer
	command  func(ctx context.Context) *exec.Cmd
	impls    []*peerImpl // what it has
	compiler string      // what built it
	process  *process    // nil where none runs
}

// peerProtocol is the version of the protocol that README.md tells of.
const peerProtocol = 1

const (
	repetitionTime = 2 * time.Minute  // for an answer
	greetingTime   = 20 * time.Second // for the first one
	maxAnswerLines = 1000             // in an answer
	maxAnswerLine  = 1 << 20          // bytes in a line
)

// process is a running program.
type process struct {
	kill  context.CancelFunc
	in    io.WriteCloser
	lines chan string // what it says, until it ends
	ended chan error  // how it ended
	last  *tail       // of what it complains of
}

// remoteSeries is one series of repetitions. Whichever process does them must have been told of it.
type remoteSeries struct {
	command string
	in      *process
}

// newPeer returns the program at bin, not yet started.
func newPeer(ctx context.Context, name string, say io.Writer, bin string) *peer {
	return &peer{
		name: name, ctx: ctx, say: say,
		limit:   repetitionTime,
		command: func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, bin) },
	}
}

// greet starts the process and asks what it has.
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

// rep asks for a repetition, and before it for the series if this process does not know it.
func (p *peer) rep(id string, s *remoteSeries) ([]string, error) {
	if p.process == nil || s.in != p.process {
		if _, err := p.ask(s.command); err != nil {
			return nil, err
		}
		s.in = p.process
	}
	return p.ask("rep " + id)
}

// ask sends a line and returns the answer without its last line. If there is none in time, or none
// that makes sense, it kills the process.
func (p *peer) ask(line string) ([]string, error) { return p.askWithin(p.limit, line) }

// askWithin is ask with a limit of its own.
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

// errRefused says that a peer answered, but will not do what it was asked for.
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

// run starts a process.
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

// listen passes on what the process says, and then how it ended.
func (s *process) listen(ctx context.Context, out io.ReadCloser, wait func() error) {
	// A child of the process may live on and hold its end: close ours.
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, maxAnswerLine)
	for scan.Scan() {
		select {
		case s.lines <- scan.Text():
		case <-ctx.Done(): // nobody asks any more
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

// death tells how a process ended that should not have. An interrupt from the keyboard reaches the
// process too, perhaps before ctx knows of it: so it waits a little for that.
func (s *process) death(ctx context.Context) error {
	s.kill()
	how := <-s.ended
	s.ended <- how // for who asks next
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

// drop kills the process, and waits until it is gone.
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

// tail keeps the last of what is written to it, and shows it as one line.
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
