package main

import "github.com/google/uuid"

// Session is the identifier of a player's stay: a UUID of version 7, which nobody else in the world
// has. The client holds it, the logs have it, and other processes send it back. What stands in logs
// is no secret, so a real server would have the client prove who it is besides.
type Session uuid.UUID

// Next returns a new UUID. It does not depend on s, so the list takes on trust of package uuid that
// identifiers do not repeat: in one process each is greater than the one before, and 62 random bits
// set them apart from those of others.
//
// Making one fails when the source of random bits does. Next returns the zero Session then, and so
// the list refuses that one player with stable.ErrSpent, and asks again for the next. A panic would
// throw all the others out too, and anything made up in its place might be somebody else's.
func (s Session) Next() Session {
	id, err := uuid.NewV7()
	if err != nil {
		return Session{}
	}
	return Session(id)
}

// String returns the usual form of a UUID.
func (s Session) String() string { return uuid.UUID(s).String() }

// MarshalText writes the usual form, for encoding/json.
func (s Session) MarshalText() ([]byte, error) { return uuid.UUID(s).MarshalText() }

// UnmarshalText reads what MarshalText has written.
func (s *Session) UnmarshalText(text []byte) error { return (*uuid.UUID)(s).UnmarshalText(text) }
