// Package live serves a world that runs, and a page that shows it, to browsers.
//
// One goroutine, the room's, owns the world and steps it 60 times a second while somebody looks and
// it is not paused. It never waits for a viewer, nor for the network:
//
//	browser -> reader --(door, work: functions to call)--> room: world, Pool of viewers
//	browser <- writer <--(outbox: one place a kind)--------- room
//
// Each connection has two goroutines. Its reader decodes one control message, has the room do it,
// waits until that is done, and only then reads the next one: who sends without end waits for
// himself, and fills nothing but his own socket. Its writer sends what is in the viewer's outbox,
// which has one place for each kind of message: what is newer takes the place of what is older. So
// a browser that is slow gets fewer frames, and not late ones, and a browser that does not read
// costs one write, or one ping, that gets stuck, for [writePatience], at the end of which it is cut
// off.
//
// A frame is encoded once, into a buffer that all viewers share and that is used again when the
// last of them has sent it. In the steady state, frames make no garbage.
//
// A frame has five bytes a thing, and at most 21 KB more. That is 110 KB for the 22 000 things of
// the usual world, 510 KB at the top of its burst, and 1.1 MB at most, since a world has at most
// [world.MaxThings].
//
// A viewer gets a frame only if it has credit, which it gets back by saying that it has drawn one.
// So who draws slowly, or has the page in a hidden tab, has no queue of frames in the network
// either.
package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/seed505807e1/berth/lab/internal/world"
)

const (
	perSecond   = 60 // steps
	maxViewers  = 64
	maxCredit   = 2
	maxRefusals = 8       // of one connection
	maxMessage  = 4 << 10 // bytes of a control message
	maxRemote   = 100     // bytes of what others wrote, in a log line or an error
)

const (
	writePatience = 10 * time.Second       // for a viewer to take one message, or answer a ping
	pingPause     = 30 * time.Second       // between two pings
	byePatience   = 2 * time.Second        // for a viewer to answer a close frame
	noticePause   = 250 * time.Millisecond // between two notices, at least
)

// Config says what a Server shows, and to whom.
type Config struct {
	Scene  world.Scene  // the first one
	Run    []world.Kind // the containers that run at first
	Public bool         // serve also under names that are not of this machine
	Log    *slog.Logger // nil: nothing is logged
}

// Server serves one world.
type Server struct {
	public bool
	log    *slog.Logger
	files  map[string]*file
	room   *room
}

// New returns a server of a scene. It returns an error if the scene is none, or nothing is to run.
func New(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	log := slog.New(&sparing{Handler: c.Log.Handler(), quota: new(quota)})
	if err := c.Scene.Check(); err != nil {
		return nil, err
	}
	if len(c.Run) == 0 || int(slices.Max(c.Run)) >= world.Kinds {
		return nil, fmt.Errorf("live: no container is to run, or an unknown one: %d", c.Run)
	}
	files, err := pageFiles()
	if err != nil {
		return nil, fmt.Errorf("live: the page: %w", err)
	}
	r := newRoom(world.New(c.Scene, c.Run))
	return &Server{public: c.Public, log: log, files: files, room: r}, nil
}

// Serve serves at l until ctx ends, and closes l. It may be called once. Viewers get a close frame,
// and are cut off if they do not answer. When it returns, no viewer is left. It returns nil when
// ctx has ended it.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	go s.room.run()
	h := &http.Server{
		Handler:                      s.handler(),
		ConnContext:                  withConn,
		ReadHeaderTimeout:            writePatience,
		ReadTimeout:                  writePatience,
		WriteTimeout:                 3 * writePatience,
		IdleTimeout:                  writePatience,
		DisableGeneralOptionsHandler: true, // nobody but handler answers
		MaxHeaderBytes:               16 << 10,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case <-ctx.Done():
		err := s.stop(h)
		if failed := <-ended; !errors.Is(failed, http.ErrServerClosed) {
			err = errors.Join(err, failed)
		}
		return err
	case failed := <-ended:
		return errors.Join(failed, s.stop(h))
	}
}

// stop says goodbye to all, and waits until they are gone, for as long as they may take. Requests
// that are not over then are broken off, which is no error.
func (s *Server) stop(h *http.Server) error {
	s.room.close()
	left := make(chan struct{})
	go func() { s.room.conns.Wait(); close(left) }()
	ctx, cancel := context.WithTimeout(context.Background(), byePatience)
	defer cancel()
	err := h.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = h.Close()
	}
	<-left // not later than viewers are cut off
	return err
}
