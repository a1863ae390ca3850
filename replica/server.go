package replica

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is a NATS server in this process, with JetStream. Lead has one of its own unless
// [Config.URL] is set. A program that starts one by [Serve] can close its leader, and the followers
// stay connected.
//
// It asks for a password. The user leader may do anything, and the user follower may only read.
// Their passwords come from a secret in [Config.Dir], which is random, and which only the user of
// the operating system that made it can read. Programs that may read it give Dir, too. To others
// give the follower's address, which is [Leader.URL]. The connection is not encrypted. For all
// else, such as more users, TLS and clusters, run a nats-server, and use its URL.
type Server struct {
	nats   *server.Server
	lock   *os.File
	dir    string
	temp   bool // the directory goes with the server, which keeps all in memory
	secret string
}

// Users of an own server.
const (
	userLeader   = "leader"
	userFollower = "follower"
)

// secretFile is the name of the file in Config.Dir that has the secret.
const secretFile = "berth.secret"

// readSecret returns the secret of a directory, or "" if it has none.
func readSecret(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, secretFile))
	return strings.TrimSpace(string(text))
}

// makeSecret returns the secret of a directory, and makes it if it has none.
func makeSecret(dir string) (string, error) {
	if s := readSecret(dir); s != "" {
		return s, nil
	}
	s := rand.Text()
	return s, os.WriteFile(filepath.Join(dir, secretFile), []byte(s+"\n"), 0o600)
}

// readPassword returns the password of a user of the server with a directory, or "".
func readPassword(dir, user string) string {
	if s := readSecret(dir); s != "" {
		return passwordOf(s, user)
	}
	return ""
}

// passwordOf returns the password of a user. That of one does not tell those of the others.
func passwordOf(secret, user string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(user))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// password returns the password of a user.
func (s *Server) password(user string) string { return passwordOf(s.secret, user) }

// users returns the users. A follower makes consumers, and reads messages.
func (s *Server) users() []*server.User {
	api := func(names ...string) *server.SubjectPermission {
		for i, name := range names {
			names[i] = "$JS.API." + name + ".>"
		}
		return &server.SubjectPermission{Allow: names}
	}
	return []*server.User{
		{Username: userLeader, Password: s.password(userLeader)},
		{Username: userFollower, Password: s.password(userFollower),
			Permissions: &server.Permissions{
				Publish: api("STREAM.INFO", "STREAM.MSG.GET", "DIRECT.GET", "CONSUMER.CREATE",
					"CONSUMER.DELETE", "CONSUMER.MSG.NEXT"),
				Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
			}},
	}
}

// sync waits until the disk has the files of a stream.
func (s *Server) sync(stream string) error {
	if s.temp {
		return nil
	}
	dir := filepath.Join(s.nats.StoreDir(), server.DEFAULT_GLOBAL_ACCOUNT, "streams", stream)
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) { // the server has removed it meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// Serve starts a server in c.Dir, at c.Listen. It uses no other field of c than these and NoSync.
// It sets no signal handlers, and writes no log.
//
// It fails with [ErrLocked] if another server, in this or another process, uses c.Dir; with the
// error of ctx if that ends before the server is ready; and if the address is taken.
//
// Cost: milliseconds, and the time to read what c.Dir holds.
func Serve(ctx context.Context, c Config) (*Server, error) {
	c, err := c.check()
	if err != nil {
		return nil, err
	}
	s, err := newServer(c)
	if err != nil {
		return nil, fmt.Errorf("replica: Serve: %w", err)
	}
	s.nats.Start()
	for !s.nats.ReadyForConnections(10 * time.Millisecond) {
		if err := context.Cause(ctx); err != nil {
			s.Close()
			return nil, fmt.Errorf("replica: Serve: the server is not ready: %w", err)
		}
		if !s.nats.Running() {
			s.Close()
			return nil, fmt.Errorf("replica: Serve: the server stopped; is %s free?", c.Listen)
		}
	}
	if !s.nats.JetStreamEnabled() {
		s.Close()
		return nil, errors.New("replica: Serve: the server cannot use " + s.dir)
	}
	return s, nil
}

// newServer returns a server that is not started.
func newServer(c Config) (*Server, error) {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, fmt.Errorf("Config.Listen: %w", err)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return nil, fmt.Errorf("Config.Listen: %q is not a port", port)
	}
	if n == 0 {
		n = server.RANDOM_PORT
	} else if err := available(c.Listen); err != nil {
		return nil, err
	}
	s := &Server{dir: c.Dir, temp: c.Dir == ""}
	if s.temp {
		s.dir, err = os.MkdirTemp("", "replica")
	} else if err = os.MkdirAll(c.Dir, 0o700); err == nil {
		s.lock, err = lock(filepath.Join(c.Dir, "berth.lock"))
	}
	if err == nil {
		s.secret, err = makeSecret(s.dir)
	}
	if err == nil {
		err = recheck(s.dir)
	}
	if err != nil {
		s.release()
		return nil, err
	}
	s.nats, err = server.NewServer(&server.Options{
		Users:                  s.users(),
		ServerName:             "berth",
		Host:                   host,
		Port:                   n,
		JetStream:              true,
		StoreDir:               s.dir,
		SyncAlways:             !c.NoSync && !s.temp,
		NoLog:                  true,
		NoSigs:                 true,
		DisableJetStreamBanner: true,
	})
	if err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// available reports why a server cannot listen at the address. The server itself would end the
// process.
func available(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// URL returns the address for [Config.URL] of leaders, with their user and password.
//
// Cost: allocates the string.
func (s *Server) URL() string { return s.url(userLeader) }

// url returns the address for a user.
func (s *Server) url(user string) string {
	u := url.URL{Scheme: "nats", User: url.UserPassword(user, s.password(user)),
		Host: s.nats.Addr().String()}
	return u.String()
}

// Close ends the server, waits for its end, and gives up the directory. All acknowledged frames are
// in it.
//
// Cost: milliseconds.
func (s *Server) Close() {
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
	s.release()
}

// broken returns the error of a write to a stream that failed, or nil. After that, the server does
// not answer to the stream's messages any more until it is started again.
func (s *Server) broken(stream string) error {
	h := s.nats.Healthz(&server.HealthzOptions{
		Account: server.DEFAULT_GLOBAL_ACCOUNT, Stream: stream,
	})
	if strings.Contains(h.Error, "write error") {
		return errors.New(h.Error)
	}
	return nil
}

// release gives up the directory.
func (s *Server) release() {
	if s.lock != nil {
		unlock(s.lock)
		s.lock = nil
	}
	if s.temp {
		os.RemoveAll(s.dir)
		s.temp = false
	}
}
