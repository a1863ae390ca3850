package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// machine is what a figure must be quoted with.
type machine struct {
	CPU, Go, OS, Berth string
	Cores, Procs       int
}

func thisMachine() machine {
	m := machine{
		CPU: cpuName(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0), Berth: "from this working tree",
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				m.Berth = "at commit " + s.Value
			}
			if s.Key == "vcs.modified" && s.Value == strconv.FormatBool(true) {
				m.Berth += " with changes"
			}
		}
	}
	return m
}

// cpuName returns the processor's name where the system tells it in a file, which Linux does.
func cpuName() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
