# What the project is checked with. make ci runs all of it; .ci/run, the gate,
# makes the same targets, and installs what they need first.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

# The steps of the gate, cheap ones first.
STEPS := fmt sizes tidy vet docs lint test race 386 invariants cross \
	bench-smoke examples fuzz browser measure
.PHONY: help ci steps bench bench-compare $(STEPS)

FUZZTIME ?= 10s
COUNT    ?= 10
BENCH    ?= .
PKG      ?= work
BASE     ?= HEAD
TURNS    ?= 20
HOT      ?= Hot

help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 14

ci: $(STEPS) ## run every step of the gate, in its order

steps: # for .ci/run
	@echo $(STEPS)

fmt: ## fail on Go files that gofmt would change
	@files=$$(gofmt -l .); \
	[ -z "$$files" ] || { echo "not formatted:"; echo "$$files"; exit 1; }

sizes: ## fail on Go files that are too long
	go run ./tools/sizes -max 600 -maxtest 800 .

tidy: ## fail on untidy go.mod, go.sum and go.work
	.ci/tidy

# lab_few_sizes leaves out of the lab more sizes of the same generic code, which take long to compile.
vet: ## go vet, also of files behind build tags
	go vet work
	go vet -tags berth_invariants,berth_poison,lab_few_sizes work
	go vet -tags browser,lab_few_sizes work

# Only what users import must be documented so; internal packages and commands need not be.
docs: ## fail on missing doc comments, examples and costs, and on dead links
	go run ./tools/docgate $$(go list -f '{{.Dir}}' ./... | grep -v /internal/)
	go run ./tools/links README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs

# The linters' versions are pinned in tools/lint/go.mod. It is no part of the
# workspace, so they are built without it, and then run within.
lint: ## run the linters over all modules
	@linter=$$(GOWORK=off go -C tools/lint tool -n golangci-lint); \
	dirs=$$(go list -m -f '{{.Dir}}'); \
	bad=0; \
	for dir in $$dirs; do \
		echo "lint $${dir#"$(CURDIR)/"}"; \
		(cd "$$dir" && "$$linter" run --config "$(CURDIR)/.golangci.yml" ./...) || bad=1; \
	done; \
	exit $$bad

# The README's commands are read out of it, so that it cannot promise what fails.
test: ## run the tests with the README's own command
	@cmd=$$(go run ./tools/readme README.md 'the tests'); echo "$$cmd"; bash -euc "$$cmd"

# make test tests all of it. In the other ways, what takes long is tested in short, and only what
# can differ in that way is tested at all.
WHOLE := ./internal/...
SHORT := . ./freelist/... ./arena/... ./stable/... ./near/... ./pooltest/...

# Of the programs, those with several goroutines, and of the lab's tests those that start some.
race: ## test with the race detector, which checks unsafe pointers too, in random order
	go test -race -shuffle=on $(WHOLE)
	go test -race -short -shuffle=on $(SHORT) ./lab/trace/... ./lab/internal/live ./examples/...
	go test -race -short -run 'Interrupt|Context|Pipe|Peer|Live' ./lab

386: ## test where an int has 32 bits
	GOARCH=386 go test $(WHOLE)
	GOARCH=386 go test -short $(SHORT)

invariants: ## test with each container checking itself after each change
	go test -tags berth_invariants -shuffle=on $(WHOLE)
	go test -tags berth_invariants,berth_poison -short -shuffle=on $(SHORT) ./examples/frame ./examples/missiles/sim
	go test -tags berth_poison -short -run 'Stale|Dense|Pool|Poison|Example' . ./stable

cross: ## build and vet for other systems
	.ci/cross

bench-smoke: ## run each benchmark once, so that none can rot
	go test -run '^$$' -bench . -benchtime 1x work

examples: ## run the programs in examples/
	go run ./tools/runexamples -limit 60s ./examples/...

fuzz: ## run each fuzz target for FUZZTIME (10s)
	go run ./tools/fuzz -time $(FUZZTIME) work

browser: ## test what runs in a browser
	.ci/browser

measure: ## run the README's main command, and check what it leaves in lab-out
	@rm -f lab-out/report.html lab-out/results.json
	@cmd=$$(go run ./tools/readme README.md 'the measurements'); echo "$$cmd"; bash -euc "$$cmd"
	go run ./tools/results lab-out

bench: ## run benchmarks for benchstat: BENCH=regexp PKG=package COUNT=10
	go test -run '^$$' -bench '$(BENCH)' -count $(COUNT) $(PKG)

# Ratios of two revisions mean something only if both ran at the same time.
bench-compare: ## compare with a revision, in turns: BASE=rev HOT=regexp TURNS=20
	go run ./tools/benchcompare -base $(BASE) -bench '$(HOT)' -turns $(TURNS) -out lab-out .
	@stat=$$(GOWORK=off go -C tools/lint tool -n benchstat); \
	cd lab-out && "$$stat" base.txt new.txt
