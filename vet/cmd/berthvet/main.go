// Command berthvet finds pointers that are used after their lifetime. See docs/vet.md of berth.
//
//	go install github.com/seed505807e1/berth/vet/cmd/berthvet@latest
//	go vet -vettool=$(which berthvet) ./...
//	berthvet ./...
package main

import (
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/seed505807e1/berth/vet/ends"
)

func main() {
	// go vet runs its tool with the name of a file, or asks it for its flags and its version.
	for _, a := range os.Args[1:] {
		if strings.HasSuffix(a, ".cfg") || a == "-flags" || strings.HasPrefix(a, "-V") {
			unitchecker.Main(ends.Analyzer)
		}
	}
	multichecker.Main(ends.Analyzer)
}
