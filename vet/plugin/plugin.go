// Package plugin makes the analyzer a linter of golangci-lint, which a custom build of that runs.
// Its name in the configuration is berthends:
//
//	linters:
//	  enable: [berthends]
//	  settings:
//	    custom:
//	      berthends:
//	        type: module
//	        description: finds pointers that are used after their lifetime
package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/seed505807e1/berth/vet/ends"
)

func init() { register.Plugin("berthends", New) }

// New returns the linter. Its settings are the analyzer's flags.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, err
	}
	return linter{s}, nil
}

// Settings are those of the linter.
type Settings struct {
	Some bool `json:"some"` // also report what may have ended, or was given back on some paths
	Nil  bool `json:"nil"`  // also report uses of looked up pointers without a check for nil

	// Table is a file with the directives of other packages.
	Table string `json:"table"`
}

type linter struct{ settings Settings }

// BuildAnalyzers implements register.LinterPlugin.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	for name, on := range map[string]bool{"some": l.settings.Some, "nil": l.settings.Nil} {
		if on {
			if err := ends.Analyzer.Flags.Set(name, "true"); err != nil {
				return nil, err
			}
		}
	}
	if l.settings.Table != "" {
		if err := ends.Analyzer.Flags.Set("table", l.settings.Table); err != nil {
			return nil, err
		}
	}
	a := *ends.Analyzer
	a.Run = run
	return []*analysis.Analyzer{&a}, nil
}

// run is the analyzer without related information. golangci-lint makes reports of their own of it,
// which a nolint comment at the report does not suppress. The messages have the lines too.
func run(pass *analysis.Pass) (any, error) {
	quiet := *pass
	quiet.Report = func(d analysis.Diagnostic) {
		d.Related = nil
		pass.Report(d)
	}
	return ends.Analyzer.Run(&quiet)
}

// GetLoadMode implements register.LinterPlugin.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
