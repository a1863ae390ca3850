package main

import (
	"encoding/json"
	"strconv"

	"github.com/seed505807e1/berth"
)

// message is sent as JSON in both directions.
type message struct {
	Kind    string `json:"kind,omitempty"`    // one of the kinds below, if the hub sent it
	N       int    `json:"n,omitempty"`       // the sender's number, repeated in the answer
	From    string `json:"from,omitempty"`    // an id
	To      string `json:"to,omitempty"`      // an id; empty is the room
	Text    string `json:"text,omitempty"`    //
	Reached int    `json:"reached,omitempty"` // the number of sessions that it was accepted for
}

// Kinds of messages from the hub.
const (
	welcome = "welcome" // To is the client's own id
	said    = "said"    // a message to the room or to the client
	ack     = "ack"     // the client's message is in the queues of the sessions it is for
	gone    = "gone"    // the client's message was for an id that no session has, or no longer has
)

// id is a handle to a session. Clients have it as text.
type id = berth.Handle[session]

func idText(i id) string { return strconv.FormatUint(i.Uint64(), 16) }

// parseID is the inverse of idText. Other texts give the zero handle or one that finds nothing.
func parseID(text string) id {
	u, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return id{}
	}
	return berth.HandleFromUint64[session](u)
}

// parcel is a packed message, which the queues of several clients may share.
type parcel []byte

func pack(m message) parcel {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // a message can always be marshaled
	}
	return text
}
