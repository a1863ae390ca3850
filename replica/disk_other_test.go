//go:build !linux && !darwin

package replica

import (
	"context"
	"errors"
)

// fillDisk is for systems that can limit the size of files.
func (c *child) fillDisk(context.Context) error { return errors.ErrUnsupported }
