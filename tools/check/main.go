// Command check finds mistakes in the project's files that no compiler finds. Run it in the root.
//
//	check [-write] name[,name...] [path]
//	check results dir
//	check command file title
//
// The first form runs checks on the files below the path, or below the root. It skips hidden
// directories, testdata, node_modules, and those whose names begin with "_". The checks are
//
//	sizes      Go files, lines and functions that are too long
//	comments   missing doc comments, Examples, costs and directives in packages for users
//	links      dead relative links in Markdown
//	snippets   code in Markdown that no source has
//	verbs      differences between docs/verbs.md and the containers; -write writes the page
//
// check results checks the files that a run of the measurements leaves. check command prints the
// line after "# title" in a block of sh in a Markdown file. The gate runs these lines, so that a
// README cannot contain commands that fail.
//
// A mistake is a line of output, and status 1.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// checks are the checks of files. Each returns a line for each mistake.
var checks = map[string]func([]file) []string{
	"sizes":    sizes,
	"comments": comments,
	"links":    links,
	"snippets": snippets,
	"verbs":    verbs,
}

func main() {
	flag.Parse()
	found, err := run(flag.Args())
	for _, f := range found {
		fmt.Println(f)
	}
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%d mistakes", len(found))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

// run does what the arguments say, and returns a line for each mistake.
func run(args []string) (found []string, err error) {
	switch {
	case len(args) == 2 && args[0] == "results":
		return results(args[1])
	case len(args) == 3 && args[0] == "command":
		cmd, err := command(args[1], args[2])
		if err == nil {
			fmt.Println(cmd)
		}
		return nil, err
	case len(args) == 1:
		args = append(args, ".")
	case len(args) != 2:
		return nil, fmt.Errorf("which? see the top of tools/check/main.go")
	}
	files, err := walk(args[1])
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(args[0], ",") {
		if checks[name] == nil {
			return nil, fmt.Errorf("no check %q", name)
		}
		found = append(found, checks[name](files)...)
	}
	return found, nil
}
