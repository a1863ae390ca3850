package main

import (
	"encoding/json"
	"strconv"

	"github.com/coder/websocket"

	"github.com/seed505807e1/berth"
)

// message is what goes over the wire as JSON, both ways.
type message struct {
	Kind    string `json:"kind,omitempty"`    // from the hub: one of those below
	N       int    `json:"n,omitempty"`       // the sender's number for it, and the answer's
	From    string `json:"from,omitempty"`    // an id
	To      string `json:"to,omitempty"`      // an id; empty is the room
	Text    string `json:"text,omitempty"`    //
	Reached int    `json:"reached,omitempty"` // how many it was accepted for
}

// Kinds of messages from the hub.
const (
	welcome = "welcome" // To is the client's own id
	said    = "said"    // somebody's message, to the room or to the client alone
	ack     = "ack"     // the client's message was accepted: whoever stays and keeps up gets it
	gone    = "gone"    // nobody has the id that the client's message was for, or not any more
)

// id names a session: a handle, of which clients have the text.
type id = berth.Handle[session]

func idText(i id) string { return strconv.FormatUint(i.Uint64(), 16) }

// parseID is the inverse of idText. Any other text is the zero handle, or one that finds nothing.
func parseID(text string) id {
	u, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return id{}
	}
	return berth.HandleFromUint64[session](u)
}

// parcel is a message for one client, or one and the same for all of them; or if it has a code, the
// farewell.
type parcel struct {
	text []byte
	code websocket.StatusCode
	why  string
}

func pack(m message) *parcel {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers can always be written
	}
	return &parcel{text: text}
}
