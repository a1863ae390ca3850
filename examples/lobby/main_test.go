package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/uuid"

	"github.com/seed505807e1/berth/stable"
)

func TestRun(t *testing.T) {
	want, err := os.ReadFile("expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := run(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// While there are no random bits, new players are refused, and the others stay.
func TestNoRandomBits(t *testing.T) {
	l := newLobby(io.Discard)
	ann, err := l.join(Player{name: "ann"})
	if err != nil {
		t.Fatal(err)
	}

	uuid.SetRand(iotest.ErrReader(errors.New("no random bits")))
	_, err = l.join(Player{name: "bob"})
	uuid.SetRand(nil)
	if !errors.Is(err, stable.ErrSpent) {
		t.Errorf("join without random bits = %v, want ErrSpent", err)
	}

	cyd, err := l.join(Player{name: "cyd"})
	if err != nil {
		t.Fatalf("join with random bits again = %v", err)
	}
	if l.find(ann).IsZero() || l.find(cyd).IsZero() || l.players.Len() != 2 {
		t.Errorf("%d players; ann %v, cyd %v", l.players.Len(), l.find(ann), l.find(cyd))
	}
}

func TestFind(t *testing.T) {
	l := newLobby(io.Discard)
	ann, err := l.join(Player{name: "ann"})
	if err != nil {
		t.Fatal(err)
	}

	text, err := json.Marshal(ann)
	if err != nil {
		t.Fatal(err)
	}
	var back ticket
	if err := json.Unmarshal(text, &back); err != nil || back != ann {
		t.Errorf("%s reads as %v, %v; want %v", text, back, err, ann)
	}
	if k := l.find(back); l.players.Ptr(k) == nil || k.String() != "0:"+back.Session.String() {
		t.Errorf("find(%v) = %v", back, k)
	}

	for _, bad := range []ticket{
		{},
		{Slot: 0},
		{Slot: 1, Session: ann.Session},
		{Slot: 1 << 31, Session: ann.Session},
		{Slot: 0, Session: Session(uuid.Max)},
	} {
		if k := l.find(bad); !k.IsZero() {
			t.Errorf("find(%v) = %v, want none", bad, k)
		}
	}
}
