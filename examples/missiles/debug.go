//go:build !js

package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/seed505807e1/berth/observe"
)

// observe shows what the pools hold, between two frames, at the address of -debug. It returns what
// ends that.
func (a *app) observe() (end func(), err error) {
	if a.debug == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", a.debug)
	if err != nil {
		return nil, fmt.Errorf("-debug %s: %w", a.debug, err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		_ = l.Close() // nobody has connected
		return nil, fmt.Errorf("-debug %s: others can reach it; use 127.0.0.1", a.debug)
	}
	var pools observe.Registry
	a.register(&pools)
	server := &http.Server{Handler: &pools, ReadTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(l) // the game goes on without
	}()
	fmt.Printf("http://%s/ shows the pools\n", l.Addr())
	return func() {
		_ = server.Close() // nobody waits for an answer
		<-ended
	}, nil
}

// register shows the pools in r. Each is read between two frames. This is not part of package sim,
// since a browser would load package net/http for it.
func (a *app) register(r *observe.Registry) {
	between := func(read func()) {
		a.turn.Lock()
		defer a.turn.Unlock()
		read()
	}
	r.Register("bullets", a.world.Bullets, between)
	r.Register("enemies", a.world.Enemies, between)
	r.Register("gems", a.world.Gems, between)
	r.Register("missiles", a.world.Missiles, between)
	r.Register("particles", a.world.Particles, between)
}
