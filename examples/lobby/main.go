// Lobby simulates the lobby of a game server, where players wait for opponents. The players live in
// a list whose identifiers are UUIDs. The key of a player is a slot and a session. The client holds
// both as its ticket, and a match server in another process sends tickets back.
//
//   - a client that reconnects is found by its ticket
//   - a message to a player who has left finds nothing, even if another player has the slot
//   - players are paired by a loop over each and all the others; when one of a pair leaves, the key
//     that the other one has of it becomes stale
//   - the list gets shorter after the peak, and gives its memory back
//
// Run it with
//
//	go run ./examples/lobby
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/google/uuid"

	"github.com/seed505807e1/berth/stable"
)

// Player is a player in the lobby, connected or not.
type Player struct {
	name     string
	strength int
	mail     []string
	leaves   int // minute of the evening
	opponent key // stale once the opponent has left
}

// The types of a list with custom identifiers are long, so a program gives them names.
type (
	key  = stable.Key[Player, uint32, Session]
	view = stable.View[Player, uint32, Session]
)

// ticket is a key as it is sent to other processes.
type ticket struct {
	Slot    uint32  `json:"slot"`
	Session Session `json:"session"`
}

// match is sent to a match server, which sends it back with the winner first.
type match struct{ A, B ticket }

const (
	farthest = 50      // largest difference of the strengths of opponents
	closing  = 10 * 60 // the minute at which the lobby closes
)

type lobby struct {
	out     io.Writer
	players *stable.ListOf[Player, uint32, Session]
	log     []Session // of all players, in the order in which they joined
}

func newLobby(out io.Writer) *lobby {
	return &lobby{out: out, players: stable.NewOf[Player, uint32, Session](stable.Config{
		Truncate: stable.TruncateMemory,
		Min:      8,
	})}
}

func (l *lobby) say(format string, args ...any) { fmt.Fprintf(l.out, format+"\n", args...) }

// join adds a player and returns the ticket for the client.
func (l *lobby) join(p Player) (ticket, error) {
	k, err := l.players.TryInsert(p)
	if err != nil {
		return ticket{}, fmt.Errorf("%s cannot join: %w", p.name, err)
	}
	l.log = append(l.log, k.ID())
	return ticket{k.Index(), k.ID()}, nil
}

// find returns the key of the player with a ticket, or the zero key if that player has left. The
// slot leads to the player who has it now. The session tells whether that is the player of the
// ticket.
func (l *lobby) find(t ticket) key {
	if k := l.players.KeyAt(t.Slot); k.ID() == t.Session {
		return k
	}
	return key{}
}

// tell delivers a message to the player with a ticket.
func (l *lobby) tell(t ticket, text string) bool {
	p := l.players.Ptr(l.find(t))
	if p == nil {
		return false
	}
	p.mail = append(p.mail, text)
	return true
}

// nearest returns the key of the player of v without an opponent whose strength is nearest, or the
// zero key if none is near enough. v is the lobby, or for a player in the lobby, the others.
func (l *lobby) nearest(strength int, v view) (best key) {
	least := farthest + 1
	for k, p := range v.All() {
		gap := max(p.strength-strength, strength-p.strength)
		if gap < least && !l.players.Contains(p.opponent) {
			least, best = gap, k
		}
	}
	return best
}

// pair finds an opponent for each player who has none or whose opponent has left.
func (l *lobby) pair() {
	for p, others := range stable.Traverse(l.players) {
		if l.players.Contains(p.Value.opponent) {
			continue
		}
		k := l.nearest(p.Value.strength, others)
		o := others.Ptr(k)
		if o == nil {
			l.say("  %s (%d) waits", p.Value.name, p.Value.strength)
			continue
		}
		p.Value.opponent, o.opponent = k, p.Key
		l.say("  %s (%d) plays %s (%d)", p.Value.name, p.Value.strength, o.name, o.strength)
	}
}

// play is the match server, another process, which has only the message. The first player always
// wins.
func play(message []byte) (result []byte) { return message }

// send sends two players to the match server and records the result for those who are still in the
// lobby.
func (l *lobby) send(a, b ticket) error {
	message, err := json.Marshal(match{a, b})
	if err != nil {
		return err
	}
	var result match
	if err := json.Unmarshal(play(message), &result); err != nil {
		return err
	}
	for i, t := range []ticket{result.A, result.B} {
		p := l.players.Ptr(l.find(t))
		if p == nil {
			l.say("  a result of a player who has left")
			continue
		}
		p.strength += 10 - 20*i
		p.opponent = key{}
		l.say("  %s has %d now", p.name, p.strength)
	}
	return nil
}

// report prints the rank of a player among the others.
func (l *lobby) report(k key) {
	stable.Apply(l.players, k, func(p *Player, others stable.Others[Player, uint32, Session]) {
		stronger := 0
		for o := range others.Values() {
			if o.strength > p.strength {
				stronger++
			}
		}
		l.say("%d of %d others are stronger than %s", stronger, others.Len(), p.name)
	})
}

// afternoon has six players, and a seventh who takes the slot of one of them.
func (l *lobby) afternoon() error {
	tickets := map[string]ticket{}
	for _, p := range []Player{
		{name: "ann", strength: 1500}, {name: "bob", strength: 1720}, {name: "cyd", strength: 1310},
		{name: "dan", strength: 1330}, {name: "eve", strength: 1710}, {name: "fay", strength: 2000},
	} {
		p.leaves = closing
		t, err := l.join(p)
		if err != nil {
			return err
		}
		tickets[p.name] = t
	}
	l.say("%d players are here:", l.players.Len())
	l.pair()

	l.say("bob's connection drops; eve writes to bob: %v", l.tell(tickets["bob"], "are you there?"))
	bob := l.players.Ptr(l.find(tickets["bob"])) // his client sends the ticket
	l.say("bob is back, and has %d message; %s is still the opponent",
		len(bob.mail), l.players.Ptr(bob.opponent).name)

	l.players.Remove(l.find(tickets["cyd"]))
	l.say("cyd leaves; a player of 1480 would play %s",
		l.players.Ptr(l.nearest(1480, l.players)).name)
	gil, err := l.join(Player{name: "gil", strength: 1490, leaves: closing})
	if err != nil {
		return err
	}
	l.say("gil comes, and has the slot of cyd: %v", gil.Slot == tickets["cyd"].Slot)
	l.say("dan writes to cyd: %v; gil has %d messages",
		l.tell(tickets["cyd"], "where are you?"), len(l.players.Ptr(l.find(gil)).mail))
	l.say("players without an opponent:")
	l.pair()

	l.say("results come from the match servers:")
	if err := l.send(tickets["bob"], tickets["eve"]); err != nil {
		return err
	}
	if err := l.send(tickets["dan"], tickets["cyd"]); err != nil {
		return err
	}
	l.report(l.find(tickets["dan"]))
	return nil
}

// evening has many players, each of whom stays for half an hour to three hours.
func (l *lobby) evening() error {
	comeEachMinute := []int{1, 4, 12, 30, 20, 6, 1, 0, 0, 0} // by hour, from 17:00 on
	l.say("hour   players  slots  truncations")
	for hour, come := range comeEachMinute {
		for minute := 60 * hour; minute < 60*hour+60; minute++ {
			l.players.RemoveFunc(func(_ key, p *Player) bool { return p.leaves <= minute })
			for range come {
				n := len(l.log)
				stay := 30 + 37*n%150
				_, err := l.join(Player{name: fmt.Sprint("guest ", n), leaves: minute + stay})
				if err != nil {
					return err
				}
			}
		}
		l.say("%02d:00  %7d  %5d  %11d", (17+hour+1)%24,
			l.players.Len(), l.players.Cap(), l.players.Stats().Truncations)
	}
	return nil
}

// sessions checks the sessions of all players and prints their properties.
func (l *lobby) sessions() {
	version7, ascending := true, true
	unique := map[Session]bool{}
	for i, s := range l.log {
		version7 = version7 && uuid.UUID(s).Version() == 7
		ascending = ascending && (i == 0 || bytes.Compare(l.log[i-1][:], s[:]) < 0)
		unique[s] = true
	}
	l.say("%d sessions: version 7 %v, ascending %v, unique %v",
		len(l.log), version7, ascending, len(unique) == len(l.log))
}

func run(out io.Writer) error {
	l := newLobby(out)
	if err := l.afternoon(); err != nil {
		return err
	}
	if err := l.evening(); err != nil {
		return err
	}
	l.sessions()
	l.say("at the end of the night:")
	for p := range l.players.Values() {
		l.say("  %s, %d", p.name, p.strength)
	}
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lobby:", err)
		os.Exit(1)
	}
}
