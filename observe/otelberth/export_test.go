package otelberth

import "time"

// HurryForTest shortens the time that a collection waits for a container.
func HurryForTest() { patience = 10 * time.Millisecond }
