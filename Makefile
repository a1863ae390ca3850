# What the project is checked with. make ci runs all of it; .ci/run, the gate,
# makes the same targets, and installs what they need first.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

# The steps of the gate, cheap ones first. CONTRIBUTING.md says what each is for.
STEPS := fmt sizes tidy docs cross vet lint test race 386 older invariants \
	bench-smoke examples fuzz browser measure
.PHONY: help ci steps bench bench-compare $(STEPS)

FUZZTIME ?= 5s
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

tidy: ## fail on untidy go.mod, go.sum and go.work, and on modules that cannot be required
	.ci/tidy
	go run ./tools/release

# Only what users import must be documented so; internal packages and commands need not be.
docs: ## fail on missing doc comments, examples and costs, dead links, code that is not compiled
	go run ./tools/docgate $$(go list -f '{{.Dir}}' ./... | grep -v /internal/)
	go run ./tools/links README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs
	go run ./tools/snippets . README.md docs/migrating.md docs/recipes.md

# Other operating systems and word sizes. Nothing is built: types are all that differs. What needs
# processes, files or sockets is not for a browser.
cross: ## check the types of all packages and tests for other systems
	go run ./tools/typecheck -for windows/amd64,darwin/arm64,freebsd/amd64,linux/arm64,linux/386 work
	go run ./tools/typecheck -for js/wasm ./... ./lab/trace/... ./examples/missiles/...

# The linters vet all the rest, with the build tag browser. Only the root has files for these two.
vet: ## go vet files that the linters do not see
	go vet -tags berth_invariants,berth_poison ./...

# The linters' versions are pinned in tools/lint/go.mod. It is no part of the
# workspace, so they are built without it, and then run within.
lint: ## run the linters, go vet among them, over all modules
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

# make test tests all of it, but for what takes long, which the tag berth_long adds. In the other
# ways, only what can differ in that way is tested. Most of the time goes into compiling the tests
# anew for each way, so two of them also use an older Go. make vet and make lint have vetted it.
AGAIN := go test -vet off
WHOLE := ./internal/...
ROOMS := . ./freelist/... ./arena/... ./stable/... ./near/... ./pooltest/...

# What is unsafe or has several goroutines. near, freelist and pooltest have neither, and stable has
# one test of the kind. Poison overwrites what ended. It is here by itself: invariants find a mistake
# before it does.
race: ## test with the race detector, which checks unsafe pointers too, in random order
	$(AGAIN) -race -tags berth_poison -shuffle=on $(WHOLE)
	$(AGAIN) -race -tags berth_poison -shuffle=on . ./arena/... ./examples/recipes
	$(AGAIN) -race -short -shuffle=on ./lab/internal/live \
		./examples/hub ./examples/scratch ./examples/missiles/web
	$(AGAIN) -race -short -run 'Inspect|Interrupt|Context|Pipe|Peer|Live' \
		./stable ./lab ./lab/internal/peers

# The older versions of Go that users of the root may have. They see its go.mod, not go.work.
OLD    := GOWORK=off GOTOOLCHAIN=go1.25.14
OLDEST := GOWORK=off GOTOOLCHAIN=go1.24.13

386: ## test where an int has 32 bits, with the Go before this one
	$(OLD) GOARCH=386 $(AGAIN) $(WHOLE)
	$(OLD) GOARCH=386 $(AGAIN) $(ROOMS)

older: ## test more of what takes long, with the oldest Go that go.mod allows
	$(OLDEST) $(AGAIN) -tags berth_long ./...

invariants: ## test with each container checking itself after each change
	$(AGAIN) -tags berth_invariants,berth_poison -shuffle=on $(WHOLE)
	$(AGAIN) -tags berth_invariants,berth_poison -shuffle=on $(ROOMS)
	$(AGAIN) -tags berth_invariants,berth_poison -short ./examples/frame ./examples/missiles/sim

bench-smoke: ## run each benchmark once, so that none can rot
	go test -vet off -run '^$$' -bench . -benchtime 1x \
		$$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n1 dirname | sort -u)

examples: ## run the programs in examples/
	go run ./tools/runexamples -limit 60s ./examples/...

fuzz: ## run each fuzz target for FUZZTIME (5s)
	go run ./tools/fuzz -time $(FUZZTIME) work

browser: ## test what runs in a browser
	.ci/browser

measure: ## run the README's main command, and check what it leaves in lab-out
	@rm -f lab-out/report.html lab-out/thesis.html lab-out/results.json
	@cmd=$$(go run ./tools/readme README.md 'the measurements'); echo "$$cmd"; bash -euc "$$cmd"
	go run ./tools/results lab-out

bench: ## run benchmarks for benchstat: BENCH=regexp PKG=package COUNT=10
	go test -run '^$$' -bench '$(BENCH)' -count $(COUNT) $(PKG)

# Ratios of two revisions mean something only if both ran at the same time.
bench-compare: ## compare with a revision, in turns: BASE=rev HOT=regexp TURNS=20
	go run ./tools/benchcompare -base $(BASE) -bench '$(HOT)' -turns $(TURNS) -out lab-out .
	@stat=$$(GOWORK=off go -C tools/lint tool -n benchstat); \
	cd lab-out && "$$stat" base.txt new.txt
