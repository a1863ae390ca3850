package replica

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// keptSnapshots is the number of snapshots that put leaves.
const keptSnapshots = 2

// store is the object store of a world.
type store struct {
	*conn
	objs   jetstream.ObjectStore
	stream jetstream.Stream // of the object store
}

// openStore opens the object store.
func (k *conn) openStore(ctx context.Context) (s store, err error) {
	s.conn = k
	err = retry(ctx, func() error {
		ctx, cancel := brief(ctx)
		defer cancel()
		if s.objs, err = k.js.ObjectStore(ctx, k.bucket); err != nil {
			return lasting(err)
		}
		s.stream, err = k.js.Stream(ctx, k.objects)
		return lasting(err)
	})
	return s, err
}

// content is what an object store holds.
type content struct {
	seqs   []uint64          // of the snapshots, the latest first
	chunks map[string]uint64 // of data, by the name under which it lies
}

// upTo returns the sequences that are not beyond seq.
func (c *content) upTo(seq uint64) []uint64 {
	for i, s := range c.seqs {
		if s <= seq {
			return c.seqs[i:]
		}
	}
	return nil
}

// list returns what the store holds.
func (s *store) list(ctx context.Context) (c content, err error) {
	info, err := s.stream.Info(ctx, jetstream.WithSubjectFilter("$O."+s.bucket+".>"))
	if err != nil {
		return c, err
	}
	c.chunks = map[string]uint64{}
	for subject, n := range info.State.Subjects {
		if name, ok := strings.CutPrefix(subject, "$O."+s.bucket+".C."); ok {
			c.chunks[name] = n
		}
		name, ok := strings.CutPrefix(subject, "$O."+s.bucket+".M.")
		text, err := base64.URLEncoding.DecodeString(name)
		if !ok || err != nil {
			continue
		}
		if seq, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			c.seqs = append(c.seqs, seq)
		}
	}
	slices.Sort(c.seqs)
	slices.Reverse(c.seqs)
	return c, nil
}

// objectName returns the name of the snapshot at a sequence.
func objectName(seq uint64) string { return strconv.FormatUint(seq, 10) }

// get reads the snapshot at a sequence.
func (s *store) get(ctx context.Context, seq uint64, c content) (snap replay.Snapshot, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*patience)
	defer cancel()
	info, err := s.objs.GetInfo(ctx, objectName(seq))
	if err != nil {
		return snap, err
	}
	if c.chunks[info.NUID] != uint64(info.Chunks) { // Get would wait for the others
		return snap, fmt.Errorf("%w: snapshot %d has %d of its %d pieces", ErrCorrupt, seq,
			c.chunks[info.NUID], info.Chunks)
	}
	r, err := s.objs.Get(ctx, objectName(seq))
	if err != nil {
		return snap, err
	}
	defer func() { _ = r.Close() }()
	data, err := io.ReadAll(r)
	if err != nil {
		return snap, err
	}
	if snap, err = replay.ReadSnapshot(data); err == nil && snap.Seq != seq {
		err = fmt.Errorf("%w: snapshot %d is one of %d", ErrCorrupt, seq, snap.Seq)
	}
	return snap, err
}

// put writes a snapshot, and removes all before it but one. It returns the sequence of the oldest
// that is left. Those after it are of a later leader, or of messages that the log has lost.
func (s *store) put(ctx context.Context, seq uint64, data []byte) (oldest uint64, err error) {
	if err := s.upload(ctx, objectName(seq), data); err != nil {
		return 0, err
	}
	point("snapshot: written")
	c, err := s.list(ctx)
	if err != nil {
		return 0, err
	}
	point("snapshot: read back")
	seqs := c.upTo(seq)
	if len(seqs) == 0 {
		return 0, fmt.Errorf("%w: snapshot %d is not in its store", ErrCorrupt, seq)
	}
	kept := min(len(seqs), keptSnapshots)
	for _, old := range seqs[kept:] {
		if err := s.remove(ctx, old); err != nil {
			return 0, err
		}
	}
	point("snapshot: removed")
	return seqs[kept-1], nil
}

// truncate removes the snapshots beyond a sequence.
func (s *store) truncate(ctx context.Context, seq uint64) error {
	c, err := s.list(ctx)
	if err != nil {
		return err
	}
	for _, lost := range c.seqs[:len(c.seqs)-len(c.upTo(seq))] {
		if err := s.remove(ctx, lost); err != nil {
			return err
		}
	}
	return nil
}

// upload writes an object: its data in pieces, and then its entry. (The Put of nats.go v1.55.0
// leaves a goroutine behind if it is quick: its cleanup resets a channel before the goroutine that
// waits for it has read it.)
func (s *store) upload(ctx context.Context, name string, data []byte) error {
	const piece = 128 << 10
	info := jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{
			Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: piece},
		},
		Bucket: s.bucket,
		NUID:   rand.Text(),
		Size:   uint64(len(data)),
	}
	sum := sha256.Sum256(data)
	info.Digest = "SHA-256=" + base64.URLEncoding.EncodeToString(sum[:])
	for part := range slices.Chunk(data, min(piece, int(s.nc.MaxPayload()))) {
		id := info.NUID + "." + strconv.FormatUint(uint64(info.Chunks), 10)
		m := &nats.Msg{Subject: "$O." + s.bucket + ".C." + info.NUID, Data: part,
			Header: nats.Header{jetstream.MsgIDHeader: {id}}} // a piece is there once
		if err := s.request(ctx, m); err != nil {
			_ = s.removeData(ctx, info.NUID) // or the next leader does
			return err
		}
		info.Chunks++
		point("snapshot: piece")
	}
	entry, err := json.Marshal(info)
	if err != nil {
		return err
	}
	return s.request(ctx, &nats.Msg{
		Subject: "$O." + s.bucket + ".M." + base64.URLEncoding.EncodeToString([]byte(name)),
		Header:  nats.Header{jetstream.MsgRollup: {jetstream.MsgRollupSubject}},
		Data:    entry,
	})
}

// request sends a message to the store until it is there.
func (s *store) request(ctx context.Context, m *nats.Msg) error {
	return retry(ctx, func() error {
		ctx, cancel := brief(ctx)
		defer cancel()
		reply, err := s.nc.RequestMsgWithContext(ctx, m)
		if err != nil {
			return err
		}
		var ack pubAck
		if err := json.Unmarshal(reply.Data, &ack); err != nil {
			return err
		}
		if ack.Error != nil {
			return final(fmt.Errorf("%w: %w", ErrStorage, ack.Error))
		}
		return nil
	})
}

// remove removes a snapshot without leaving a mark that it was there. The entry goes first.
func (s *store) remove(ctx context.Context, seq uint64) error {
	info, err := s.objs.GetInfo(ctx, objectName(seq))
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return err
	}
	entry := base64.URLEncoding.EncodeToString([]byte(objectName(seq)))
	err = s.stream.Purge(ctx, jetstream.WithPurgeSubject("$O."+s.bucket+".M."+entry))
	if err == nil && info != nil {
		err = s.removeData(ctx, info.NUID)
	}
	return err
}

// removeData removes the data under a name.
func (s *store) removeData(ctx context.Context, name string) error {
	return s.stream.Purge(ctx, jetstream.WithPurgeSubject("$O."+s.bucket+".C."+name))
}

// sweep removes the data of snapshots that were not completed.
func (s *store) sweep(ctx context.Context) error {
	c, err := s.list(ctx)
	if err != nil {
		return err
	}
	for _, seq := range c.seqs {
		info, err := s.objs.GetInfo(ctx, objectName(seq))
		if err != nil {
			return err
		}
		delete(c.chunks, info.NUID)
	}
	for name := range c.chunks {
		if err := s.removeData(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
