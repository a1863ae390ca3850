package replica

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A block is a file of a server's stream: records, each of its size and its sequence, 4 and 8
// bytes, and more. The highest bit of the size and the two highest of the sequence are marks. Of
// those of the sequence, the lower one says that the record is not of a message of its own.
const (
	sizeBits   = 1<<31 - 1
	noMessage  = 1 << 62
	marks      = 3 << 62
	maxSkipped = 1 << 20 // sequences that a sound block skips between two records: a block has 8 MB
)

// recheck makes a server that will start in dir check each record of a stream of which a block is
// plainly damaged, by removing its index. If it believed the index, it would make room for all
// sequences up to a damaged one, until there is no memory left.
func recheck(dir string) error {
	files := os.DirFS(dir)
	blocks, _ := fs.Glob(files, "jetstream/*/streams/*/msgs/*.blk") // never fails
	for _, name := range blocks {
		block, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if plausible(block) {
			continue
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		err = os.Remove(filepath.Join(filepath.Dir(name), "index.db"))
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("%s is damaged: %w", name, err)
		}
	}
	return nil
}

// plausible reports whether the sequences in a block could be right. It accepts what it cannot
// read, since the server detects that.
func plausible(block []byte) bool {
	for last := uint64(0); len(block) >= 12; {
		size := int(binary.LittleEndian.Uint32(block) & sizeBits)
		seq := binary.LittleEndian.Uint64(block[4:])
		if seq&noMessage == 0 {
			if seq &^= marks; last != 0 && seq > last+maxSkipped {
				return false
			}
			last = max(last, seq)
		}
		if size == 0 || size > len(block) {
			break
		}
		block = block[size:]
	}
	return true
}
