//go:build !linux

package replica

// faultsOfLinux returns those that need signals and mounts.
func faultsOfLinux() []fault { return nil }
