package measure

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// Machine describes the machine, without which a figure must not be quoted. Fields that the system
// does not report are empty.
type Machine struct {
	CPU, Go, OS, Berth string
	Cores, Procs       int
	Governor           string // the governor of the processor's clock
	HugePages          string // if supported: always, madvise or never
	Memory             string
	Load, LoadAfter    string // the load average of the last minute
}

func ThisMachine() Machine {
	m := Machine{
		CPU: field("/proc/cpuinfo", "model name"), Go: runtime.Version(),
		OS:    runtime.GOOS + "/" + runtime.GOARCH,
		Cores: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0), Berth: "from this working tree",
		Governor:  firstWord("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		HugePages: bracketed("/sys/kernel/mm/transparent_hugepage/enabled"),
		Memory:    memorySize(field("/proc/meminfo", "MemTotal")),
		Load:      SystemLoad(),
	}
	if m.CPU == "" {
		m.CPU = "unknown processor"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				m.Berth = "at commit " + s.Value
			case "vcs.modified":
				if s.Value == strconv.FormatBool(true) {
					m.Berth += " with changes"
				}
			case "GOAMD64", "GOARM64":
				m.OS += " " + s.Value
			}
		}
	}
	return m
}

// String returns the machine in a line or two.
func (m Machine) String() string {
	s := fmt.Sprintf("%s, %d cores, GOMAXPROCS %d; %s %s", m.CPU, m.Cores, m.Procs, m.Go, m.OS)
	for _, part := range m.Facts() {
		s += "; " + part[0] + " " + part[1]
	}
	return s
}

// Facts lists what the system reports about itself.
func (m Machine) Facts() (facts [][2]string) {
	for _, f := range [][2]string{
		{"governor", m.Governor}, {"huge pages", m.HugePages}, {"memory", m.Memory},
		{"load before", m.Load}, {"load after", m.LoadAfter},
	} {
		if f[1] != "" {
			facts = append(facts, f)
		}
	}
	return facts
}

// The files below exist only on Linux. Elsewhere the results are empty.

// textOf returns the content of a file, or "" if it cannot be read.
func textOf(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// field returns the text after a name and a colon in a file.
func field(path, name string) string {
	for line := range strings.Lines(textOf(path)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// firstWord returns the first word of a file.
func firstWord(path string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(textOf(path)), " ")
	return word
}

// bracketed returns the word of a file in brackets, which is the chosen one of several.
func bracketed(path string) string {
	_, rest, _ := strings.Cut(textOf(path), "[")
	word, _, _ := strings.Cut(rest, "]")
	return word
}

// memorySize converts the system's number of kB to GiB.
func memorySize(kB string) string {
	n, err := strconv.ParseFloat(strings.TrimSuffix(kB, " kB"), 64)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%.1f GiB", n/(1<<20))
}

func SystemLoad() string { return firstWord("/proc/loadavg") }
