// Package table keeps the memory of closed matrices.
package table

import (
	"slices"

	"gocv.io/x/gocv"
)

// bad: gocv.io/x/gocv.Mat.DataPtrUint8 gocv.io/x/gocv.Mat.Close
func pixels(name string) ([]uint8, error) {
	img := gocv.IMRead(name, 0)
	defer img.Close()
	data, err := img.DataPtrUint8()
	return data, err // want `data is returned, but the deferred img.Close on line \d+ ends it`
}

// good: gocv.io/x/gocv.Mat.DataPtrUint8 gocv.io/x/gocv.Mat.Close
func pixelsCopied(name string) ([]uint8, error) {
	img := gocv.IMRead(name, 0)
	defer img.Close()
	if img.Rows() == 1 {
		return img.ToBytes(), nil
	}
	data, err := img.DataPtrUint8()
	return slices.Clone(data), err
}

// bad: gocv.io/x/gocv.Mat.DataPtrFloat32
func weight(m gocv.Mat) float32 {
	data, _ := m.DataPtrFloat32()
	m.Close()
	return data[0] // want `data is stale: m.Close on line \d+ ended it`
}

// good: gocv.io/x/gocv.Mat.DataPtrFloat32
func weightFirst(m gocv.Mat) float32 {
	data, _ := m.DataPtrFloat32()
	w := data[0]
	m.Close()
	return w
}
