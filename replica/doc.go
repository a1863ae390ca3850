// Package replica keeps one world on many machines. A leader changes a [berth.Pool], and followers
// hold copies of it, with the same values under the same handles, through NATS JetStream.
//
//	leader, err := replica.Lead(ctx, config, replica.LeadOptions[Ship]{}, ships)
//	h := leader.Insert(Ship{X: 1}) // changes ships at once
//	leader.Edit(h).X++
//	seq, err := leader.Flush(ctx) // ends the frame, and publishes it
//
//	follower, err := replica.Follow[Ship](ctx, config, replica.FollowOptions{}) // elsewhere
//	n, err := follower.Step(ctx)     // applies the frames that have come, n of them
//	ship := follower.View().Ptr(h)   // by the leader's handle
//
// A world is a log and snapshots. [Lead] loads the latest snapshot and the log after it, and takes
// the world over. The leader changes the Pool by its methods, and [Leader.Flush] ends a frame: the
// changes are published, in one message, or one for each cell that has changes. [Follow] loads a
// snapshot too, and [Follower.Step] applies the frames that have come. Inserts are repeated, not
// copied: from the same state a Pool issues the same handles, and the follower checks that it did.
//
// The server runs in the leader's process, unless [Config.URL] names another, or a cluster. It must
// be a nats-server of version 2.12 or later.
//
// # Cells
//
// If [LeadOptions.Cell] is set, each value is in the cell of its position, and a follower may get
// some cells only. A value that crosses from one cell to another leaves and enters in the same
// frame, under its handle. The last message of a frame, its commit, goes to all followers. They
// apply a frame when it comes, so they never hold half of one: a frame without a commit, of a
// leader that died before it was published, never happened.
//
// # What survives
//
// A frame that is acknowledged is in the log. [Leader.Flush] waits for the acknowledgement of its
// own frame, or, to lose no time, of that [Config.MaxUnacked] frames ago; [Leader.Wait] waits for
// all. A promise to the outside should be in an acknowledged frame: the others may be lost
// with the leader.
//
// A server of the leader's own writes a frame to its disk before it acknowledges it, unless
// [Config.NoSync] is set. By default, NATS servers and clusters acknowledge earlier, and write to
// their disks every two minutes. Several machines that lose their power at the same time can then
// lose acknowledged frames. Let a cluster keep three replicas ([Config.Replicas]), on machines that
// do not fail together, or set "sync: always" in its configuration. No setting delivers a frame
// exactly once through a loss of power: a follower may have applied a frame that the log has lost.
// It reports an [ErrBehind] or [ErrDiverged] when it is connected again, and loads a snapshot. A
// leader gets [ErrFenced]. Do not set limits by age or number on the log: the leader trims it.
//
// The leader records what is acknowledged beside the log. [Lead] compares the log with the record
// and with the snapshots. If acknowledged frames are missing, it returns an [ErrBehind] with their
// sequences, and leaves the world as it is. [LeadOptions.Accept] goes on from what is whole. The
// log is trimmed up to the last snapshot but one, after the last one was read back, and with
// NoSync, after an own server's disk has it.
//
// # One leader
//
// The leader names in each message the one before, and the server refuses a message if another one
// ends the log. So of two leaders, only the one that took over last can write, and the other one
// gets [ErrFenced]. After a lost connection, the leader reads the end of the log before it
// publishes anything again, so no frame is in the log twice.
//
// # What the network can do
//
// Messages that are lost, delayed, repeated or in another order are found by their sequences, and
// read again. The parts of a cell have a sum in the commit. A slow network is waited for as long as
// it brings something. A message that no leader has written is skipped with an [ErrCorrupt]; it is
// checked before anything is changed, and nothing is allocated by what it says. Only the server can
// keep others from writing messages that look like a leader's. An own server does, see [Server].
// Give the leader a user of its own on another one.
package replica
