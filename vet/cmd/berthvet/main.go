// Command berthvet finds pointers that are used after their lifetime. See docs/vet.md of berth.
//
//	go install github.com/seed505807e1/berth/vet/cmd/berthvet@latest
//	go vet -vettool=$(which berthvet) ./...
//	berthvet ./...
package main

import (
	"flag"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/seed505807e1/berth/vet/ends"
)

// main also does what go vet asks of its tool.
func main() {
	// The flags have short names too, since there is one analyzer: -some is -berthends.some.
	ends.Analyzer.Flags.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) })
	multichecker.Main(ends.Analyzer)
}
