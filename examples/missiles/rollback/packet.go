package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// packet is what a peer sends in each frame. It repeats everything that the other peer has not
// acknowledged, so a lost packet needs no answer: the next one has the same and more.
//
//	1  version
//	4  ack: the sender has the receiver's inputs of all frames below
//	4  checked: it has compared the hashes of all frames below
//	4  number of the frame of the first input
//	1  number of inputs, and 3 bytes for each
//	4  number of the frame of the first hash
//	1  number of hashes, and 8 bytes for each
type packet struct {
	ack, checked int
	first        int // frame of inputs[0]
	inputs       []input
	firstHash    int // frame of hashes[0]
	hashes       []uint64
}

const version = 1

// errPacket is returned for packets that no peer sends.
var errPacket = errors.New("not a packet of this game")

// appendTo appends the bytes of the packet to b.
func (k *packet) appendTo(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, version)
	b = le.AppendUint32(b, uint32(k.ack))
	b = le.AppendUint32(b, uint32(k.checked))
	b = le.AppendUint32(b, uint32(k.first))
	b = append(b, uint8(len(k.inputs)))
	for _, in := range k.inputs {
		b = append(b, in.move, in.aim, in.buttons)
	}
	b = le.AppendUint32(b, uint32(k.firstHash))
	b = append(b, uint8(len(k.hashes)))
	for _, h := range k.hashes {
		b = le.AppendUint64(b, h)
	}
	return b
}

// parse reads the bytes of a packet into k, in the memory that k has.
func (k *packet) parse(b []byte) error {
	le := binary.LittleEndian
	if len(b) < 14 || b[0] != version {
		return fmt.Errorf("%w: %d bytes", errPacket, len(b))
	}
	k.ack, k.checked = int(le.Uint32(b[1:])), int(le.Uint32(b[5:]))
	k.first = int(le.Uint32(b[9:]))
	n := int(b[13])
	if b = b[14:]; len(b) < 3*n+5 {
		return fmt.Errorf("%w: cut in its inputs", errPacket)
	}
	k.inputs = k.inputs[:0]
	for range n {
		k.inputs = append(k.inputs, input{b[0], b[1], b[2]})
		b = b[3:]
	}
	k.firstHash = int(le.Uint32(b))
	n = int(b[4])
	if b = b[5:]; len(b) != 8*n {
		return fmt.Errorf("%w: %d bytes for %d hashes", errPacket, len(b), n)
	}
	k.hashes = k.hashes[:0]
	for range n {
		k.hashes = append(k.hashes, le.Uint64(b))
		b = b[8:]
	}
	return nil
}
