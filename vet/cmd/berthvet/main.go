// Command berthvet finds pointers that are used after their lifetime. See docs/vet.md of berth.
//
//	go install github.com/seed505807e1/berth/vet/cmd/berthvet@latest
//	go vet -vettool=$(which berthvet) ./...
//	berthvet ./...
package main

import (
	"flag"
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/seed505807e1/berth/vet/ends"
)

// main also does what go vet asks of its tool.
func main() {
	// The flags have short names too, since there is one analyzer: -some is -berthends.some.
	ends.Analyzer.Flags.VisitAll(func(f *flag.Flag) { flag.Var(brief{f.Value}, f.Name, f.Usage) })
	multichecker.Main(ends.Analyzer)
}

// brief is a flag whose errors take one line, not the usage of all flags, since go vet runs the
// command for each package.
type brief struct{ flag.Value }

// Set implements flag.Value.
func (b brief) Set(value string) error {
	if err := b.Value.Set(value); err != nil {
		fmt.Fprintf(os.Stderr, "berthvet: %v\n", err)
		os.Exit(1)
	}
	return nil
}

// IsBoolFlag reports whether the flag needs no value.
func (b brief) IsBoolFlag() bool {
	v, ok := b.Value.(interface{ IsBoolFlag() bool })
	return ok && v.IsBoolFlag()
}
