// Package replay is a world without a server: the messages of a log, snapshots, and how they are
// applied to a Pool.
package replay
