// Command berthvet finds pointers that are used after their lifetime. See docs/vet.md of berth.
//
//	go install github.com/seed505807e1/berth/vet/cmd/berthvet@latest
//	go vet -vettool=$(which berthvet) ./...
//	berthvet ./...
package main

import (
	"flag"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/seed505807e1/berth/vet/ends"
)

func main() {
	// The flags have short names too, since there is one analyzer: -some is -berthends.some.
	ends.Analyzer.Flags.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) })
	// go vet runs its tool with the name of a file, or asks it for its flags and its version.
	for _, a := range os.Args[1:] {
		if strings.HasSuffix(a, ".cfg") || a == "-flags" || strings.HasPrefix(a, "-V") {
			unitchecker.Main(ends.Analyzer)
		}
	}
	multichecker.Main(ends.Analyzer)
}
