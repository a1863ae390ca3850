// Package peers builds and runs collections of other languages beside ours.
package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/seed505807e1/berth/lab/internal/measure"
)

// Peers are collections of other languages. Each language has one program (rust, cpp),
// which is built on the machine that measures, by the compiler that it has, and then runs beside
// this process for as long as the lab does: it waits for a line, does one repetition of a workload,
// times it itself, and answers. So peers take turns with ours, repetition by repetition, and what
// disturbs the machine disturbs both.

// language is one in which there are peers.
type language struct {
	name    string // as the flag -peers has it
	prefix  string // of the names of its implementations
	needs   string // the Debian packages that must be there to build it
	sources string // folder of them among peerSources
	tools   []string
	// version says what it is built with: the compiler, in a line, and the libraries. It fails
	// where one of them is missing.
	version func(ctx context.Context) (string, error)
	// build builds the program from sources in folder dir, and returns where it is. What is said
	// meanwhile goes to log.
	build func(ctx context.Context, dir string, log io.Writer) (bin string, err error)
	bytes string                  // how bytes are counted
	impls map[string]measure.Impl // what is to be said of its implementations, by names there
}

var languages = []*language{rustLang, cppLang}

// Start builds and starts the programs of the languages in list, "rust", "cpp" or both
// separated by commas, and returns their collections as implementations. A language whose tools are
// missing, or whose program cannot be built or started, is left out with one line to say; another
// tells of each build. stop ends the programs, and so does the end of ctx.
func Start(ctx context.Context, list string, say io.Writer) (
	ims []measure.Impl, stop func(), err error,
) {
	chosen, err := chooseLanguages(list)
	if err != nil {
		return nil, nil, err
	}
	say = &shared{w: say}
	ready := make([]*peer, len(chosen))
	trouble := make([]error, len(chosen))
	var wait sync.WaitGroup
	for i, l := range chosen {
		wait.Go(func() { ready[i], trouble[i] = l.start(ctx, say) })
	}
	wait.Wait()
	for i, l := range chosen {
		if trouble[i] != nil {
			if ctx.Err() != nil {
				break // that is the trouble, and the user's doing
			}
			fmt.Fprintf(say, "peers: %s is left out: %v\n", l.name, trouble[i])
			continue
		}
		ims = append(ims, l.implsOf(ready[i])...)
	}
	stop = func() {
		for _, p := range ready {
			if p != nil {
				p.drop()
			}
		}
	}
	return ims, stop, nil
}

// chooseLanguages returns those in list, each once and in the order of languages.
func chooseLanguages(list string) ([]*language, error) {
	known := make([]string, len(languages))
	for i, l := range languages {
		known[i] = l.name
	}
	asked := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("-peers: unknown language %q; known are %s",
				name, strings.Join(known, ", "))
		}
		asked[name] = true
	}
	return slices.DeleteFunc(slices.Clone(languages), func(l *language) bool {
		return !asked[l.name]
	}), nil
}

// shared is a writer for several goroutines.
type shared struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

// start builds the program unless that was done before, and starts it.
func (l *language) start(ctx context.Context, say io.Writer) (*peer, error) {
	bin, compiler, err := l.binary(ctx, say)
	if errors.Is(err, errMissing) {
		return nil, fmt.Errorf("%w; it needs the Debian packages %s", err, l.needs)
	}
	if err != nil {
		return nil, err
	}
	p := newPeer(ctx, l.name, say, bin)
	p.compiler = compiler
	if err := p.greet(); err != nil {
		p.drop()
		return nil, err
	}
	return p, nil
}

// implsOf returns the implementations that a program said it has, in its order.
func (l *language) implsOf(p *peer) (ims []measure.Impl) {
	for _, r := range p.impls {
		im := l.impls[r.id]
		im.Name = l.prefix + " " + r.id
		im.About += " Built by " + p.compiler + "."
		im.Loops += " " + l.bytes
		im.Remote = r
		ims = append(ims, im)
	}
	return ims
}
