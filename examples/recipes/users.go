// Package recipes has the code that docs/recipes.md shows.
package recipes

import (
	"slices"
	"sync"

	"github.com/seed505807e1/berth"
)

// User is a user of a server.
type User struct {
	Name  string
	Inbox []string
}

// Users is a Pool that several goroutines use. The zero Users is empty.
type Users struct {
	mu   sync.RWMutex
	pool berth.Pool[User]
}

// Add adds a user.
func (u *Users) Add(v User) berth.Handle[User] {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.pool.Insert(v)
}

// Get returns a copy. A pointer would be used when the lock is no longer held.
func (u *Users) Get(h berth.Handle[User]) (User, bool) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	return u.pool.Get(h)
}

// Update calls f with the user, which f may change. It reports false if there is none.
func (u *Users) Update(h berth.Handle[User], f func(*User)) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	v := u.pool.Ptr(h)
	if v != nil {
		f(v)
	}
	return v != nil
}

// Names returns the names of all users.
func (u *Users) Names() (names []string) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	for v := range u.pool.Values() {
		names = append(names, v.Name)
	}
	return names
}

// Server has one Pool for the users of all rooms. A room is a slice of handles.
type Server struct {
	users berth.Pool[User]
	rooms map[string][]berth.Handle[User]
}

// NewServer returns a server without users.
func NewServer() *Server { return &Server{rooms: map[string][]berth.Handle[User]{}} }

// Connect adds a user, who is in no room.
func (s *Server) Connect(name string) berth.Handle[User] { return s.users.Insert(User{Name: name}) }

// Disconnect removes a user. The rooms keep a stale handle until somebody speaks there.
func (s *Server) Disconnect(h berth.Handle[User]) bool { return s.users.Delete(h) }

// Join adds a user to a room.
func (s *Server) Join(room string, h berth.Handle[User]) {
	s.rooms[room] = append(s.rooms[room], h)
}

// Say sends text to all in a room, and returns how many they are.
func (s *Server) Say(room, text string) int {
	present := slices.DeleteFunc(s.rooms[room], func(h berth.Handle[User]) bool {
		u := s.users.Ptr(h)
		if u == nil {
			return true
		}
		u.Inbox = append(u.Inbox, text)
		return false
	})
	s.rooms[room] = present
	return len(present)
}

// Rename has a bug: it keeps a pointer to a value that done removes.
func Rename(p *berth.Pool[User], h berth.Handle[User], name string, done func()) {
	u := p.Ptr(h)
	done()
	u.Name = name
}
