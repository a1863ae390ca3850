// The linters' own module: outside go.work, so that their dependencies never choose a version for
// berth, lab or examples.
module github.com/seed505807e1/berth/tools/lint

go 1.26.0

tool (
	github.com/seed505807e1/berth/tools/lint/berthlint
	golang.org/x/perf/cmd/benchstat
)

require (
	github.com/gordonklaus/ineffassign v0.2.0
	github.com/kisielk/errcheck v1.30.0
	github.com/seed505807e1/berth/vet v0.1.0
	golang.org/x/tools v0.52.0
	honnef.co/go/tools v0.8.2
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/seed505807e1/berth/vet => ../../vet
