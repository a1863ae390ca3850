// Package table uses processes that were released.
package table

import (
	"log"
	"os"
	"os/exec"
)

// bad: os.Process.Release
func start(name string) (int, error) {
	cmd := exec.Command(name)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if err := cmd.Process.Release(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, nil // want `cmd.Process is stale: cmd.Process.Release on line \d+ gave`
}

// good: os.Process.Release
func startKnown(name string) (int, error) {
	cmd := exec.Command(name)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid := cmd.Process.Pid
	return pid, cmd.Process.Release()
}

// bad: os.Process.Release
func kill(pid int) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	p.Release()
	if err := p.Kill(); err != nil { // want `p is stale: p.Release on line \d+ gave it back`
		log.Print(err)
	}
}

// good: os.Process.Release
func killFirst(pid int) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return
	}
	defer p.Release()
	if err := p.Kill(); err != nil {
		log.Print(err)
	}
}
