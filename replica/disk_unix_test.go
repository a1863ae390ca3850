//go:build linux || darwin

package replica

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed505807e1/berth"
)

// A disk on which no file can grow any more is an error, and loses no acknowledged frame.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	c := child{Role: "disk", Config: Config{Dir: t.TempDir(), SnapshotEvery: -1}, Ops: 200}
	p := start(t, c)
	var acked, hash uint64
	hashes := map[uint64]uint64{0: 0}
	refused := ""
	for x := range p.lines {
		switch x.what {
		case "frame":
			hashes[x.frame] = x.hash
		case "acked":
			acked, hash = x.frame, hashes[x.frame]
		case "report":
			refused = x.text
		}
		if refused != "" {
			break
		}
	}
	p.kill()
	if acked == 0 || !strings.HasPrefix(refused, "report true true") {
		t.Fatalf("%d frames acknowledged, then %q", acked, refused)
	}
	l := startLead(t, c.Config, split, berth.NewPool[body](berth.Config{}))
	if l.frame < acked || hashes[l.frame] != l.Hash() {
		t.Fatalf("%d frames with hash %x, and %d were acknowledged, with %x", l.frame, l.Hash(),
			acked, hash)
	}
	newPlay(1, l.pool).flush(t, l, 100)
	f := startFollow[body](t, Config{URL: l.URL()})
	same(t, l, f)
}

// fillDisk leads a world until no file can grow, and reports what Flush says then.
func (c *child) fillDisk(ctx context.Context) error {
	p := berth.NewPool[body](berth.Config{Seed: 1})
	l, err := Lead(ctx, c.Config, split, p)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = 300_000
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for g := newPlay(c.Seed, p); ; {
		g.frame(l, c.Ops)
		fmt.Println("frame", l.frame+1, l.Hash(), 0)
		short, cancel := context.WithTimeout(ctx, 20*time.Second)
		_, err := l.Flush(short)
		cancel()
		if err != nil {
			again := l.Wait(ctx) // still
			fmt.Println("report", errors.Is(err, ErrStorage), errors.Is(again, ErrStorage), err)
			select {}
		}
		fmt.Println("acked", l.frame)
	}
}
