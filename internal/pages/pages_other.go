//go:build !linux && !darwin && !windows

package pages

import (
	"errors"
	"math"
)

// Supported reports whether the system can reserve addresses without memory. It is true on Linux,
// darwin and Windows.
const Supported = false

const decommitKeeps = false

func reserve(int) ([]byte, error) { return nil, errors.ErrUnsupported }
func commit([]byte) error         { return errors.ErrUnsupported }
func decommit([]byte) error       { return errors.ErrUnsupported }
func forget([]byte) error         { return errors.ErrUnsupported }
func release([]byte) error        { return errors.ErrUnsupported }
func adviseHuge([]byte) bool      { return false }

// maxMappings returns no limit: only Linux counts mappings.
func maxMappings() int { return math.MaxInt }

func leaveAddresses() error { return nil }
