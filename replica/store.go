package replica

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed505807e1/berth/replica/internal/replay"
)

// store has the snapshots of a world, in a stream, of which the last message of a subject counts:
//
//	leader     the leader that may write: the one that wrote this last. Earlier ones stay, since a
//	           server with a limit tries for ever if it cannot read what it has to remove
//	SEQ.N      piece N of the snapshot at a sequence of the log
//	SEQ.end    its size and checksum, which are written last
//
// Each message of a snapshot names the sequence of the leader's own message, and the server refuses
// it if another leader has written one. Removals cannot be refused. They are of snapshots before
// one that was read back whole, which no later leader needs, so they do no harm if they come late.
type store struct {
	*conn
	stream jetstream.Stream
	fence  uint64 // sequence of the leader's message
}

// piece is the size of a piece of a snapshot.
const piece = 128 << 10

// openStore opens the store.
func (k *conn) openStore(ctx context.Context) (s store, err error) {
	s.conn = k
	err = k.retry(ctx, func(ctx context.Context) (err error) {
		s.stream, err = k.js.Stream(ctx, k.stream+"_snapshots")
		return lasting(err)
	})
	return s, err
}

// claim makes the leader that took over at seq the one that may write. It fails with ErrFenced if
// another has taken over since, so that the last one to take over is the last one to claim.
func (s *store) claim(ctx context.Context, seq uint64) error {
	subject := s.saved + "leader"
	data := binary.LittleEndian.AppendUint64(nil, seq)
	return s.retry(ctx, func(ctx context.Context) error {
		var before uint64
		switch m, err := s.stream.GetLastMsgForSubject(ctx, subject); {
		case err == nil:
			before = m.Sequence
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			return err
		}
		log, _, err := s.log(ctx)
		if err != nil {
			return err
		}
		m, err := log.GetLastMsgForSubject(ctx, s.lead)
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound): // a later one was trimmed already
			return final(fmt.Errorf("%w: %q has trimmed message %d", ErrFenced, s.Name, seq))
		case err != nil:
			return err
		case m.Sequence != seq:
			return final(fmt.Errorf("%w: message %d of %q", ErrFenced, m.Sequence, s.Name))
		}
		point("lead: claiming")
		s.fence, err = s.send(ctx, &nats.Msg{Subject: subject, Data: data, Header: nats.Header{
			jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(before, 10)},
		}})
		return err // also if another leader came between
	})
}

// mine fails with ErrFenced if another leader has claimed the store.
func (s *store) mine(ctx context.Context) error {
	m, err := s.stream.GetLastMsgForSubject(ctx, s.saved+"leader")
	if err == nil && m.Sequence != s.fence {
		err = final(fmt.Errorf("%w: another leader writes the snapshots of %q", ErrFenced, s.Name))
	}
	return err
}

// send sends a message, and returns its sequence.
func (s *store) send(ctx context.Context, m *nats.Msg) (uint64, error) {
	reply, err := s.nc.RequestMsgWithContext(ctx, m)
	if err != nil {
		return 0, err
	}
	return acknowledged(s.conn.stream+"_snapshots", reply)
}

// refused returns err, unless the server did not find the claim that a piece names. Then the error
// is an ErrFenced if another leader has one, and an ErrStorage if the server cannot read it.
func (s *store) refused(ctx context.Context, err error) error {
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != wrongLast && api.ErrorCode != wrongLastCluster {
		return err
	}
	if end := s.mine(ctx); end != nil && !errors.Is(end, jetstream.ErrMsgNotFound) {
		return end
	}
	return final(fmt.Errorf("%w: %w", ErrStorage, err))
}

// list returns the sequences of the snapshots, the latest first.
func (s *store) list(ctx context.Context) (seqs []uint64, err error) {
	info, err := s.stream.Info(ctx, jetstream.WithSubjectFilter(s.saved+"*.end"))
	if err != nil {
		return nil, err
	}
	for subject := range info.State.Subjects {
		text := strings.TrimSuffix(strings.TrimPrefix(subject, s.saved), ".end")
		if seq, err := strconv.ParseUint(text, 10, 64); err == nil {
			seqs = append(seqs, seq)
		}
	}
	slices.Sort(seqs)
	slices.Reverse(seqs)
	return seqs, nil
}

// subject returns the subject of a piece, or of the end, of the snapshot at a sequence.
func (s *store) subject(seq uint64, part string) string {
	return s.saved + strconv.FormatUint(seq, 10) + "." + part
}

// part reads a part of the snapshot at a sequence.
func (s *store) part(ctx context.Context, seq uint64, part string) (data []byte, err error) {
	err = s.retry(ctx, func(ctx context.Context) error {
		m, err := s.stream.GetLastMsgForSubject(ctx, s.subject(seq, part))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return final(fmt.Errorf("%w: part %s of the snapshot at %d is not there", ErrCorrupt,
				part, seq))
		}
		if err == nil {
			data = m.Data
		}
		return lasting(err)
	})
	return data, err
}

// read calls f with the pieces of the snapshot at a sequence, and checks them.
func (s *store) read(ctx context.Context, seq uint64, f func([]byte) error) error {
	end, err := s.part(ctx, seq, "end")
	if err != nil {
		return err
	}
	bad := fmt.Errorf("%w: the snapshot at %d", ErrCorrupt, seq)
	if len(end) != 12 {
		return bad
	}
	left, sum := binary.LittleEndian.Uint64(end), uint32(0)
	for i := 0; left > 0; i++ {
		data, err := s.part(ctx, seq, strconv.Itoa(i))
		if err != nil {
			return err
		}
		if len(data) == 0 || uint64(len(data)) > left {
			return bad
		}
		left -= uint64(len(data))
		sum = replay.Sum(sum, data)
		if err := f(data); err != nil {
			return err
		}
	}
	if sum != binary.LittleEndian.Uint32(end[8:]) {
		return bad
	}
	return nil
}

// get reads the snapshot at a sequence.
func (s *store) get(ctx context.Context, seq uint64) (snap replay.Snapshot, err error) {
	var data []byte
	err = s.read(ctx, seq, func(b []byte) error {
		data = append(data, b...)
		return nil
	})
	if err != nil {
		return snap, err
	}
	if snap, err = replay.ReadSnapshot(data); err == nil && snap.Seq != seq {
		err = fmt.Errorf("%w: the snapshot at %d is one of %d", ErrCorrupt, seq, snap.Seq)
	}
	return snap, err
}

// put writes the snapshot at a sequence, and reads it back.
func (s *store) put(ctx context.Context, seq uint64, data []byte) error {
	write := func(part string, b []byte) error {
		point("snapshot: piece")
		return s.retry(ctx, func(ctx context.Context) error {
			_, err := s.send(ctx, &nats.Msg{Subject: s.subject(seq, part), Data: b,
				Header: nats.Header{
					jetstream.ExpectedLastSubjSeqHeader:     {strconv.FormatUint(s.fence, 10)},
					jetstream.ExpectedLastSubjSeqSubjHeader: {s.saved + "leader"},
				}})
			return s.refused(ctx, err)
		})
	}
	n := 0
	for b := range slices.Chunk(data, min(piece, int(s.nc.MaxPayload())/2)) {
		if err := write(strconv.Itoa(n), b); err != nil {
			return err
		}
		n++
	}
	end := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	end = binary.LittleEndian.AppendUint32(end, replay.Sum(0, data))
	if err := write("end", end); err != nil {
		return err
	}
	point("snapshot: written")
	return s.read(ctx, seq, func(b []byte) error {
		if !bytes.HasPrefix(data, b) {
			return fmt.Errorf("%w: the snapshot at %d is not what was written", ErrCorrupt, seq)
		}
		data = data[len(b):]
		return nil
	})
}

// remove removes the snapshots before a sequence, also those that were not completed. The end of
// each goes first.
func (s *store) remove(ctx context.Context, before uint64) error {
	info, err := s.stream.Info(ctx, jetstream.WithSubjectFilter(s.saved+">"))
	if err != nil {
		return err
	}
	old := map[string]bool{}
	for subject := range info.State.Subjects {
		text, _, _ := strings.Cut(strings.TrimPrefix(subject, s.saved), ".")
		if seq, err := strconv.ParseUint(text, 10, 64); err == nil && seq < before {
			old[text] = true
		}
	}
	for text := range old {
		for _, part := range []string{"end", "*"} {
			err := s.stream.Purge(ctx, jetstream.WithPurgeSubject(s.saved+text+"."+part))
			if err != nil {
				return err
			}
		}
	}
	return nil
}
