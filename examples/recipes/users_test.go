package recipes

import (
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/seed505807e1/berth"
)

// Each goroutine adds users, changes them and looks at all.
func TestUsers(t *testing.T) {
	var users Users
	var wg sync.WaitGroup
	const goroutines, each = 4, 50
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				name := strconv.Itoa(g*each + i)
				h := users.Add(User{Name: "?"})
				if !users.Update(h, func(u *User) { u.Name = name }) {
					t.Errorf("no user %v", h)
				}
				if u, ok := users.Get(h); !ok || u.Name != name {
					t.Errorf("Get(%v) = %q, %v; want %q", h, u.Name, ok, name)
				}
				if !slices.Contains(users.Names(), name) {
					t.Errorf("no user has the name %q", name)
				}
			}
		})
	}
	wg.Wait()
	if n := len(users.Names()); n != goroutines*each {
		t.Errorf("%d users, want %d", n, goroutines*each)
	}
	if users.Update(berth.Handle[User]{}, func(*User) { t.Error("called") }) {
		t.Error("the zero handle found a user")
	}
}

func TestServer(t *testing.T) {
	s := NewServer()
	ada, bob, eve := s.Connect("ada"), s.Connect("bob"), s.Connect("eve")
	for _, h := range []berth.Handle[User]{ada, bob} {
		s.Join("go", h)
	}
	s.Join("chess", ada)
	if n := s.Say("go", "hello"); n != 2 {
		t.Errorf("%d heard it, want 2", n)
	}
	if !s.Disconnect(ada) || s.Disconnect(ada) {
		t.Error("ada did not disconnect once")
	}
	s.Join("chess", s.Connect("dan")) // in ada's slot
	if n := s.Say("go", "bye"); n != 1 {
		t.Errorf("%d heard it, want 1", n)
	}
	if n := len(s.rooms["go"]); n != 1 {
		t.Errorf("the room keeps %d handles, want 1", n)
	}
	if n := s.Say("chess", "check"); n != 1 {
		t.Errorf("%d heard it, want 1", n)
	}
	if n := s.Say("empty", "anybody"); n != 0 {
		t.Errorf("%d heard it, want 0", n)
	}
	for h, want := range map[berth.Handle[User]][]string{bob: {"hello", "bye"}, eve: nil} {
		if u, _ := s.users.Get(h); !slices.Equal(u.Inbox, want) {
			t.Errorf("%s got %q, want %q", u.Name, u.Inbox, want)
		}
	}
}
