package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// demo is a hub with a few named clients. After an error, its methods do nothing.
type demo struct {
	ctx    context.Context
	out    io.Writer
	server *server
	people map[string]*client
	err    error
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

// run demonstrates the hub step by step, so that each run prints the same.
func run(ctx context.Context, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 50*time.Second)
	defer cancel()
	s, err := serve("127.0.0.1:0", NewHub(Config{Seed: 1, Shards: 1}))
	if err != nil {
		return err
	}
	d := &demo{ctx: ctx, out: out, server: s, people: map[string]*client{}}
	d.talk()
	d.newcomer()
	d.kick()
	d.wave(1000)
	d.goodNight()
	return d.err
}

// talk lets three clients join and send messages to the room and to one client.
func (d *demo) talk() {
	d.come("ann")
	d.come("bob")
	d.come("cyd")
	d.send("ann", "", "hello")
	d.hear("bob")
	d.hear("cyd")
	d.send("bob", d.id("cyd"), "tea?")
	d.hear("cyd")
}

// newcomer lets one client leave, another one join, and a third one send to the first.
func (d *demo) newcomer() {
	d.leave("cyd")
	d.come("dan")
	d.say("dan has the slot of cyd: %v", slot(d.id("dan")) == slot(d.id("cyd")))
	d.send("bob", d.id("cyd"), "are you there?")
	d.send("bob", d.id("dan"), "hello, dan")
	d.hear("dan") // a message to cyd would come first
}

// slot returns the index of an id, which later ids may have again.
func slot(id string) uint32 { return uint32(parseID(id).Uint64()) }

// kick kicks one client twice.
func (d *demo) kick() {
	bob := parseID(d.id("bob"))
	d.say("bob is kicked: %v; and again: %v",
		d.server.hub.Kick(bob, "too loud"), d.server.hub.Kick(bob, "too loud"))
	d.hear("bob")
	d.send("ann", d.id("bob"), "are you there?")
}

// wave lets n clients join and leave.
func (d *demo) wave(n int) {
	d.memory()
	var many []*client
	for range n {
		if d.err != nil {
			return
		}
		var c *client
		if c, d.err = dial(d.ctx, d.server.url); d.err == nil {
			many = append(many, c)
		}
	}
	d.memory()
	for _, c := range many {
		c.leave()
	}
	d.await(2)
	d.memory()
}

func (d *demo) memory() {
	r := d.server.hub.Report()
	d.say("%4d sessions: the pool has %4d slots in memory",
		r.Sessions, r.Memory.Live+r.Memory.Vacant)
}

// goodNight shuts the hub down as soon as it has accepted a message, or after an error.
func (d *demo) goodNight() {
	d.send("ann", "", "good night")
	d.say("the hub is shut down")
	stopped := make(chan error, 1)
	go func() { stopped <- d.server.stop(d.ctx) }()
	d.hear("ann")
	d.hear("dan")
	d.hear("dan")
	d.err = errors.Join(d.err, <-stopped)
}

func (d *demo) come(name string) {
	if d.err != nil {
		return
	}
	var c *client
	if c, d.err = dial(d.ctx, d.server.url); d.err != nil {
		return
	}
	d.people[name] = c
	d.say("%s comes, and is %s", name, c.id)
}

func (d *demo) leave(name string) {
	if c := d.people[name]; c != nil {
		n := d.server.hub.Report().Connections
		c.leave()
		d.await(n - 1)
		d.say("%s leaves", name)
	}
}

// await waits until the hub has a number of connections. The hub's end of a connection ends a
// moment after its client, and then the slot of its session is vacant.
func (d *demo) await(connections int) {
	if d.err == nil {
		d.err = await(d.ctx, func() bool {
			return d.server.hub.Report().Connections == connections
		})
	}
}

// id returns the id that a client has, or had.
func (d *demo) id(name string) string {
	if c := d.people[name]; c != nil {
		return c.id
	}
	return "none"
}

// name is the inverse of id. The room has no id.
func (d *demo) name(id string) string {
	for name, c := range d.people {
		if c.id == id {
			return name
		}
	}
	return "the room"
}

// send sends a message from a client and reads messages up to the answer.
func (d *demo) send(name, to, text string) {
	if d.err != nil {
		return
	}
	d.say("%s to %s: %s", name, d.name(to), text)
	d.err = d.people[name].send(d.ctx, to, text)
	for d.err == nil {
		m := d.next(name)
		switch m.Kind {
		case said:
			d.heard(name, m)
		case ack:
			d.say("  accepted for %d", m.Reached)
			return
		case gone:
			d.say("  nobody has the id %s", m.To)
			return
		}
	}
}

// hear reads one message of a client, or the end of its session.
func (d *demo) hear(name string) {
	if d.err != nil {
		return
	}
	m := d.next(name)
	if code, why := status(d.err); code > 0 {
		d.err = nil
		d.say("  %s is out: %s", name, why)
	} else if d.err == nil {
		d.heard(name, m)
	}
}

func (d *demo) heard(name string, m message) {
	d.say("  %s hears %s: %s", name, d.name(m.From), m.Text)
}

// next returns the next message that a client gets.
func (d *demo) next(name string) message {
	m, err := d.people[name].next(d.ctx)
	if err != nil {
		d.err = fmt.Errorf("%s listens: %w", name, err)
	}
	return m
}
