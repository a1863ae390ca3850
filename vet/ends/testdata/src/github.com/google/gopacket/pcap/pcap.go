package pcap

type CaptureInfo struct{ Length int }

type Handle struct{ n int }

func (p *Handle) ReadPacketData() ([]byte, CaptureInfo, error) { return nil, CaptureInfo{}, nil }
func (p *Handle) ZeroCopyReadPacketData() ([]byte, CaptureInfo, error) {
	return nil, CaptureInfo{}, nil
}
