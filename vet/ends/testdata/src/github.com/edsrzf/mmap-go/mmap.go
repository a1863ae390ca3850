package mmap

import "os"

type MMap []byte

func Map(f *os.File, prot, flags int) (MMap, error) { return nil, nil }

func (m *MMap) Unmap() error { return nil }
