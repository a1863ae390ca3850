// Package peers builds and runs collections of other languages beside Go's.
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

// Peers are collections of other languages. Each language has one program (rust, cpp), which the
// local compiler builds. It runs as long as the lab does: it waits for a line, does one repetition
// of a workload, times it, and answers. So peers take turns with Go's collections, repetition by
// repetition, and a disturbance of the machine affects both.

// language is a language with peers.
type language struct {
	name    string // the name in the flag -peers
	prefix  string // of the names of its implementations
	needs   string // the Debian packages for the build
	sources string // their folder in peerSources
	tools   []string
	// version identifies the compiler, in a line, and the libraries. It fails if one of them is
	// missing.
	version func(ctx context.Context) (string, error)
	// build builds the program from the sources in dir, and returns its path. Its messages go to
	// log.
	build func(ctx context.Context, dir string, log io.Writer) (bin string, err error)
	bytes string                  // how bytes are counted
	impls map[string]measure.Impl // the descriptions of its implementations, by their names there
}

var languages = []*language{rustLang, cppLang}

// Start builds and starts the programs of the languages in list, "rust", "cpp" or both separated by
// commas, and returns their collections as implementations. A language whose tools are missing, or
// whose program cannot be built or started, is left out with one line to say; another line
// announces each build. stop ends the programs, and so does the end of ctx.
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
				break // the user interrupted it
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

// start builds the program if necessary, and starts it.
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

// implsOf returns the implementations of a program, in its order.
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
