// Package live serves a running world, and a page that shows it, to browsers.
//
// One goroutine, the room's, owns the world. It steps the world 60 times a second while a browser
// is connected and the world is not paused. It never waits for a viewer or for the network:
//
//	browser -> reader --(door, work: functions to call)--> room: world, Pool of viewers
//	browser <- writer <--(outbox: one place a kind)--------- room
//
// Each connection has two goroutines. Its reader decodes one control message, has the room execute
// it, and waits for that before it reads the next one. So a client that sends without end only
// fills its own socket. Its writer sends the messages of the viewer's outbox, in which a newer
// message replaces an older one of its kind. So a slow browser gets fewer frames, but none late. A
// browser that does not read blocks one write or ping for [writePatience], and is then cut off.
//
// A frame is encoded once, into a buffer that all viewers share. The buffer is reused when the last
// of them has sent it. In the steady state, frames make no garbage.
//
// A frame has five bytes a thing, and at most 21 KB more. That is 110 KB for the 22 000 things of
// the usual world, 510 KB at the top of its burst, and at most 1.1 MB, since a world has at most
// [world.MaxThings].
//
// A viewer gets a frame only if it has credit. It regains credit by reporting a drawn frame. So a
// slow browser or a hidden tab has no queue of frames in the network either.
package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"

	"github.com/seed505807e1/berth/lab/internal/world"
)

// Config configures a Server.
type Config struct {
	Scene  world.Scene  // the first scene
	Run    []world.Kind // the containers that run at first
	Public bool         // serve also under names of other machines
	Log    *slog.Logger // nil for no log
}

// Server serves one world.
type Server struct {
	public bool
	log    *slog.Logger
	files  map[string]*file
	room   *room
}

// New returns a server of a scene. It returns an error if the scene is invalid, or no container is
// to run.
func New(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	log := slog.New(&sparing{Handler: c.Log.Handler(), quota: new(quota)})
	if err := c.Scene.Check(); err != nil {
		return nil, err
	}
	if len(c.Run) == 0 || int(slices.Max(c.Run)) >= world.Kinds {
		return nil, fmt.Errorf("live: New: no containers, or an unknown one (got %d)", c.Run)
	}
	files, err := pageFiles()
	if err != nil {
		return nil, fmt.Errorf("live: the page: %w", err)
	}
	r := newRoom(world.New(c.Scene, c.Run))
	return &Server{public: c.Public, log: log, files: files, room: r}, nil
}

// Serve serves at l until ctx ends, and closes l. It may be called once. Viewers get a close frame,
// and are cut off if they do not answer. No viewer is left when it returns. It returns nil if ctx
// has ended it.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	go s.room.run()
	h := &http.Server{
		Handler:                      s.handler(),
		ConnContext:                  withConn,
		ReadHeaderTimeout:            writePatience,
		ReadTimeout:                  writePatience,
		WriteTimeout:                 3 * writePatience,
		IdleTimeout:                  writePatience,
		DisableGeneralOptionsHandler: true, // so that handler answers them
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

// stop says goodbye to all viewers, and waits until they are gone or their time is over. Requests
// that are still running then are aborted, which is not an error.
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
	<-left // no later than viewers are cut off
	return err
}
