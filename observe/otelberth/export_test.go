package otelberth

import "time"

// HurryForTest shortens the time that a collection waits for an owner.
func HurryForTest() { patience = 10 * time.Millisecond }
