// Command readme prints a command from a README.
//
//	readme README.md 'the tests'
//
// prints the line after "# the tests" in a fenced block of sh. The gate runs the printed commands,
// so that a README cannot contain commands that fail.
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: readme file title")
		os.Exit(2)
	}
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		var cmd string
		if cmd, err = command(string(data), os.Args[2]); err == nil {
			fmt.Println(cmd)
			return
		}
	}
	fmt.Fprintf(os.Stderr, "readme: %s: %v\n", os.Args[1], err)
	os.Exit(1)
}

// command returns the single line that follows "# title" in a block of sh in text. It fails if
// there is none, or more than one.
func command(text, title string) (cmd string, err error) {
	inside, next := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			inside, next = !inside && line == "```sh", false
		case next && line != "" && !strings.HasPrefix(line, "#"):
			if cmd != "" {
				return "", fmt.Errorf("two commands under %q", "# "+title)
			}
			cmd, next = line, false
		default:
			next = inside && line == "# "+title
		}
	}
	if cmd == "" {
		return "", fmt.Errorf("no block of sh has a command under %q", "# "+title)
	}
	return cmd, nil
}
