// Command golangci is golangci-lint with the linter berthends. Its own command for such builds,
// golangci-lint custom, clones a repository.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/seed505807e1/berth/vet/plugin"
)

func main() {
	// Without a version, its cache is keyed by the executable, so a change of berthends counts.
	err := commands.Execute(commands.BuildInfo{Version: "(devel)", GoVersion: runtime.Version()})
	if err != nil {
		fmt.Fprintln(os.Stderr, "golangci:", err)
		os.Exit(exitcodes.Failure)
	}
}
