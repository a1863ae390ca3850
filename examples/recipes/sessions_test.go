package recipes

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/google/uuid"

	"github.com/seed505807e1/berth/stable"
)

// A key is a ticket that a client keeps. It is found by its slot, and told apart by its Session.
func ExamplePlayers() {
	var players Players
	cyd := players.Insert(User{Name: "cyd"})
	data, err := json.Marshal(cyd) // "0:", and the UUID in its usual form
	var ticket stable.Key[User, uint32, Session]
	fmt.Println(err, json.Unmarshal(data, &ticket), players.Ptr(ticket).Name)

	players.Remove(cyd)
	gil := players.Insert(User{Name: "gil"})
	fmt.Println(gil.Index() == ticket.Index(), players.Contains(ticket))
	fmt.Println(gil.ID().Version(), gil.ID().String() > ticket.ID().String())
	// Output:
	// <nil> <nil> cyd
	// true false
	// VERSION_7 true
}

// While there are no random bits, new players are refused, and the others stay.
func TestNoRandomBits(t *testing.T) {
	var players Players
	ann := players.Insert(User{Name: "ann"})
	uuid.SetRand(iotest.ErrReader(errors.New("no random bits")))
	_, err := players.TryInsert(User{Name: "bob"})
	uuid.SetRand(nil)
	if !errors.Is(err, stable.ErrSpent) {
		t.Errorf("TryInsert without random bits = %v, want ErrSpent", err)
	}
	if _, err := players.TryInsert(User{Name: "cyd"}); err != nil || !players.Contains(ann) {
		t.Errorf("TryInsert with random bits again = %v; ann stays: %v", err, players.Contains(ann))
	}
}
