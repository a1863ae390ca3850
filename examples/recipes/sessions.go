package recipes

import (
	"github.com/google/uuid"

	"github.com/seed505807e1/berth/stable"
)

// Players is a list of users whose keys have a Session as the identifier.
type Players = stable.ListOf[User, uint32, Session]

// Session is a UUID of version 7, which no other process has, and which sorts by time.
type Session struct{ uuid.UUID }

// Next returns a new UUID, or the zero Session if there are no random bits. The list then refuses
// that insert with stable.ErrSpent, and calls Next again at the next.
func (Session) Next() Session {
	id, err := uuid.NewV7()
	if err != nil {
		return Session{}
	}
	return Session{id}
}
