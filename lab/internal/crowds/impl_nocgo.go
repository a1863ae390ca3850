//go:build !cgo

package crowds

import "github.com/seed505807e1/berth/lab/internal/measure"

var cgoImpls []measure.Impl
