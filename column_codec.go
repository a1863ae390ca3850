package berth

import (
	"github.com/seed505807e1/berth/internal/plain"
	"github.com/seed505807e1/berth/internal/slots"
	"github.com/seed505807e1/berth/internal/wire"
)

// AppendBinary implements [encoding.BinaryAppender]. It appends the Vs of c to b, with the handles
// of their values. The values themselves are in the bytes of the Pool, which must be saved at the
// same time.
//
// It fails, and returns b unchanged, if V has Go pointers or c is closed. For a V without int, uint
// and uintptr, the bytes are the same on every machine.
//
// Cost: O(Len); allocates if b has no room.
func (c *Column[V, T]) AppendBinary(b []byte) ([]byte, error) {
	return blocksOf(c).Append("AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [Column.AppendBinary].
//
// Cost: as AppendBinary; allocates the bytes.
func (c *Column[V, T]) MarshalBinary() ([]byte, error) {
	return blocksOf(c).Append("MarshalBinary", nil)
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the Vs of c by those that
// data holds. Load the Pool first: every V must belong to a value that is live in it, by the same
// handle.
//
// If it fails, c is unchanged. The error wraps [ErrCorrupt] if data is damaged, holds something
// else or Vs of another type, or has a V for a handle that is not live. It wraps [ErrFull] if the
// blocks of 64 slots that have a V would need more than 256 MiB and 64 times len(data).
//
// Cost: O(Len) of both; allocates the chunks that c lacks.
//
// Ends: pointers of c.
//
//berth:ends emptied
func (c *Column[V, T]) UnmarshalBinary(data []byte) error {
	err := blocksOf(c).Load(data, endOf(c).Cleared,
		func(k int, mask uint64, gens *[slots.BlockSlots]uint32) *slots.Head {
			return &c.fill(k, mask, gens).Head
		})
	if err == nil {
		c.changed()
	}
	return err
}

// blocksOf returns the blocks of c.
func blocksOf[V, T any](c *Column[V, T]) slots.ColumnBlocks {
	return slots.ColumnBlocks{
		Pool: look(c.p), Elem: plain.TypeFor[V](), Live: &c.live,
		Block:  func(k int) *slots.Head { return &c.dir[k].Head },
		Blocks: c.blocks, Spares: c.memory - c.blocks, N: c.n,
		Bytes: plain.TypeFor[slots.Block[V]]().Size(),
	}
}

// AppendBinary implements [encoding.BinaryAppender]. It appends the Vs of c to b, with the handles
// of their values. The values themselves are in the bytes of the Dense, which must be saved at the
// same time. It fails as [Column.AppendBinary] does.
//
// Cost: O(Len); allocates if b has no room, and when the Dense has grown.
//
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
func (c *DenseColumn[V, T]) AppendBinary(b []byte) ([]byte, error) {
	return appendDenseColumn(c, "AppendBinary", b)
}

// MarshalBinary implements [encoding.BinaryMarshaler]. It returns the bytes of
// [DenseColumn.AppendBinary].
//
// Cost: as AppendBinary; allocates the bytes.
//
// Ends: as AppendBinary.
//
//berth:ends some
func (c *DenseColumn[V, T]) MarshalBinary() ([]byte, error) {
	return appendDenseColumn(c, "MarshalBinary", nil)
}

// appendDenseColumn is AppendBinary and MarshalBinary.
func appendDenseColumn[V, T any](c *DenseColumn[V, T], op string, b []byte) ([]byte, error) {
	vs, err := slots.ColumnCodec(op, wire.DenseColumn, plain.TypeFor[V](), c.d == nil)
	if err != nil {
		return b, err
	}
	c.reach(len(c.d.vals))
	return slots.DenseOf(&c.d.state).AppendColumn(&vs, b, slots.FirstOf(c.vals)), nil
}

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]. It replaces the Vs of c by those that
// data holds. Load the Dense first: every V must belong to a value that is live in it, by the same
// handle. A value without a V in data gets the zero V.
//
// If it fails, c is unchanged. The error wraps [ErrCorrupt] if data is damaged, holds something
// else or Vs of another type, or has a V for a handle that is not live.
//
// Cost: O(Len) of both; allocates a list of the places, and when the Dense has grown.
//
// Ends: pointers of c, if the Dense has grown.
//
//berth:ends some
func (c *DenseColumn[V, T]) UnmarshalBinary(data []byte) error {
	const op = "UnmarshalBinary"
	vs, err := slots.ColumnCodec(op, wire.DenseColumn, plain.TypeFor[V](), c.d == nil)
	if err != nil {
		return err
	}
	err = denseOf(c.d).LoadColumn(&vs, data, func() slots.Ref {
		denseEndOf(c).Cut(0)
		c.reach(len(c.d.vals))
		c.log.noteFrom(0)
		return slots.FirstOf(c.vals)
	})
	if err == nil {
		c.changed()
	}
	return err
}
