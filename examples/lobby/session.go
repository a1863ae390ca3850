package main

import "github.com/google/uuid"

// Session identifies one stay of a player. It is a UUID of version 7, which is unique in the world.
// Clients, logs and other processes have it. It is not a secret, so a real server would
// authenticate the client as well.
type Session uuid.UUID

// Next returns a new UUID, which does not depend on s. The list relies on package uuid for
// identifiers that do not repeat: in one process each is greater than the one before, and 62 random
// bits distinguish them from those of other processes.
//
// If the source of random bits fails, Next returns the zero Session. The list then refuses that one
// player with stable.ErrSpent, and calls Next again for the next player. A panic would end the
// other sessions as well, and an identifier without random bits might not be unique.
func (s Session) Next() Session {
	id, err := uuid.NewV7()
	if err != nil {
		return Session{}
	}
	return Session(id)
}

// String returns the usual form of a UUID.
func (s Session) String() string { return uuid.UUID(s).String() }

// MarshalText returns the usual form, for encoding/json.
func (s Session) MarshalText() ([]byte, error) { return uuid.UUID(s).MarshalText() }

// UnmarshalText is the inverse of MarshalText.
func (s *Session) UnmarshalText(text []byte) error { return (*uuid.UUID)(s).UnmarshalText(text) }
