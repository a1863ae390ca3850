package recipes

import (
	"github.com/seed505807e1/berth"
	"github.com/seed505807e1/berth/concurrent"
)

// Member is a client in a room. Another goroutine writes its queue to the client.
type Member struct {
	Name  string
	Queue chan string
}

// Room is a chat room that many goroutines use. The zero Room is empty.
type Room struct {
	members concurrent.Members[*Member]
}

// Join adds a member.
func (r *Room) Join(m *Member) berth.Handle[*Member] { return r.members.Insert(m) }

// Leave removes a member. A broadcast that runs may still send to it.
func (r *Room) Leave(h berth.Handle[*Member]) bool {
	_, ok := r.members.Remove(h)
	return ok
}

// Broadcast sends text to all who are in the room when it begins, and returns the number of those
// who get it. It removes members whose queue is full.
func (r *Room) Broadcast(text string) (reached int) {
	for h, m := range r.members.Snapshot().All() {
		select {
		case m.Queue <- text:
			reached++
		default:
			r.members.Remove(h)
		}
	}
	return reached
}
