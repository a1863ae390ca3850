package replica

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// A block is a file of a server's stream: records, each of its size and its sequence, 4 and 8
// bytes, and more. The highest bit of the size and the two highest of the sequence are marks. Of
// those of the sequence, the lower one says that the record is not of a message of its own.
const (
	blockFiles = "jetstream/*/streams/*/msgs/*.blk"
	indexFile  = "index.db" // what the server remembers of the blocks beside it
	sizeBits   = 1<<31 - 1
	noMessage  = 1 << 62
	marks      = 3 << 62
	maxSkipped = 1 << 20 // sequences that a sound block skips between two records: a block has 8 MB
)

// recheck makes a server that will start in dir check each record of a stream of which a block is
// plainly damaged. If it believed its index, it would make room for all sequences up to a damaged
// one, until there is no memory left.
func recheck(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	blocks, err := fs.Glob(root.FS(), blockFiles)
	if err != nil {
		return err
	}
	for _, name := range blocks {
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		sound := plausible(f)
		_ = f.Close()
		if sound {
			continue
		}
		err = root.Remove(path.Join(path.Dir(name), indexFile))
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("%s is damaged: %w", name, err)
		}
	}
	return nil
}

// plausible reports whether the sequences in a block can be right. What cannot be read counts as
// right: the server finds that out.
func plausible(block io.Reader) bool {
	r := bufio.NewReaderSize(block, 64<<10)
	for last := uint64(0); ; {
		head, err := r.Peek(12)
		if err != nil {
			return true
		}
		seq := binary.LittleEndian.Uint64(head[4:])
		if seq&noMessage == 0 {
			if seq &^= marks; last != 0 && seq > last+maxSkipped {
				return false
			}
			last = max(last, seq)
		}
		size := binary.LittleEndian.Uint32(head) & sizeBits
		if n, err := r.Discard(int(size)); n == 0 || err != nil {
			return true
		}
	}
}
