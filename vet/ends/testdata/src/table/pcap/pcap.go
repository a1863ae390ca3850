// Package table keeps packets of pcap's handles.
package table

import "github.com/google/gopacket/pcap"

func use(...any) {}

// bad: github.com/google/gopacket/pcap.Handle.ZeroCopyReadPacketData
func packets(h *pcap.Handle) (all [][]byte) {
	first, _, err := h.ZeroCopyReadPacketData()
	if err != nil {
		return nil
	}
	second, _, err := h.ZeroCopyReadPacketData()
	if err != nil {
		return nil
	}
	return append(all, first, second) // want `first is stale: h.ZeroCopyReadPacketData on line \d+`
}

// good: github.com/google/gopacket/pcap.Handle.ZeroCopyReadPacketData
func packetsCopied(h *pcap.Handle) (all [][]byte) {
	for range 10 {
		data, _, err := h.ZeroCopyReadPacketData()
		if err != nil {
			return all
		}
		all = append(all, append([]byte(nil), data...))
	}
	first, _, _ := h.ReadPacketData()
	second, _, _ := h.ReadPacketData()
	return append(all, first, second)
}
