# The checks of the project. make ci runs all of them. .ci/run, the gate, makes the same targets after
# it has installed their tools.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

# The steps of the gate, cheap ones first. CONTRIBUTING.md explains each.
STEPS := fmt sizes tidy docs cross weight lint test race checked \
	bench-smoke examples browser measure
.PHONY: help ci steps lean quick fuzz cover bench bench-compare $(STEPS)

FUZZTIME ?= 10s
COUNT    ?= 10
BENCH    ?= .
PKG      ?= work
BASE     ?= HEAD
TURNS    ?= 20
HOT      ?= Hot

help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/\1\t\2/p' Makefile | expand -t 14

# Most of the gate's time goes into the compiler, which is a third faster if it collects garbage less
# often and writes no debug information. What go test and go run start has Go's own settings.
$(STEPS): export GOGC := 400
$(STEPS): export GOMEMLIMIT := 3GiB
$(STEPS): export GOFLAGS := $(shell go env GOFLAGS) '-exec=env -u GOGC -u GOMEMLIMIT' \
	-gcflags=all=-dwarf=false -ldflags=-w

ci: $(STEPS) ## run every step of the gate, in its order

steps: # for .ci/run
	@echo $(STEPS)

quick: ## check and test one package, between commits: PKG=./near
	@[ '$(PKG)' != work ] || { echo "say which package: make quick PKG=./near"; exit 1; }
	@files=$$(gofmt -l $(PKG)); \
	[ -z "$$files" ] || { echo "not formatted:"; echo "$$files"; exit 1; }
	@go run ./tools/check sizes,comments $(PKG)
	go vet $(PKG)
	go test -short $(PKG)

fmt: ## fail on Go files that gofmt would change
	@files=$$(gofmt -l .); \
	[ -z "$$files" ] || { echo "not formatted:"; echo "$$files"; exit 1; }

sizes: ## fail on Go files that are too long
	go run ./tools/check sizes

tidy: ## fail on untidy go.mod, go.sum and go.work, and on modules that cannot be required
	.ci/tidy
	go run ./tools/release

docs: ## fail on missing doc comments, examples and costs, dead links, code and verbs not in the source
	go run ./tools/check comments,links,snippets,verbs

# Other operating systems and word sizes. Only types differ, so nothing is built. Packages that need
# processes, files or sockets are not checked for a browser.
cross: ## check the types of all packages and tests for other systems
	GOFLAGS=-tags=lab_all_sizes go run ./tools/typecheck \
		-for windows/amd64,darwin/arm64,freebsd/amd64,linux/arm64,linux/386 work
	go run ./tools/typecheck -for js/wasm ./... ./lab/trace/... ./examples/missiles/...

# Each type of values in a container costs a program code, and time in each build.
weight: ## fail if a type in a container costs more or less code than tools/weight/table.txt says
	go run ./tools/weight . tools/weight/table.txt

# The linters' versions are pinned in tools/lint/go.mod, which is outside the workspace. So they are
# built without the workspace, with berthends of module vet among them, and then run in it. They need
# what the compiler exports, so most of their time is that of step test, which compiles it no more.
# The tags add files, and change tests only: what they import is built once.
lint: ## run the linters, go vet's own among them, over all modules
	GOWORK=off go -C tools/lint test ./...
	@linter=$$(GOWORK=off go -C tools/lint tool -n berthlint); \
	go vet -vettool="$$linter" -tags browser,berth_long work

# The command is read from the README, so that the README cannot contain a command that fails.
test: ## run the tests with the README's own command
	@cmd=$$(go run ./tools/check command README.md 'the tests'); echo "$$cmd"; bash -euc "$$cmd"

# make test runs all tests except the long ones, which the tag berth_long adds, and which GitHub's
# workflow runs. The steps below run only the tests that can differ in their configuration. Most of
# their time goes into compiling, so they leave examples and benchmarks out. The linters have vetted
# the code, except for files that need a tag: VETTED vets these.
LEAN   := GOFLAGS="$$(go env GOFLAGS) -overlay=$(CURDIR)/lab-out/lean.json"
AGAIN  := $(LEAN) go test -vet off -timeout 20m
VETTED := $(LEAN) go test -vet all -timeout 20m
ROOMS := . ./internal/... ./freelist/... ./arena/... ./stable/... ./near/... ./concurrent/... ./pooltest/... \
	./observe

lean:
	@mkdir -p lab-out && .ci/lean > lab-out/lean.json

# Code that several goroutines run, and the inputs of fuzz targets, which reach all uses of unsafe:
# the detector brings checkptr. Other tests would take ten times as long for nothing. Poison
# overwrites released memory.
race: lean ## test with the race detector and checked pointers, in random order
	$(VETTED) -race -tags berth_poison -shuffle=on \
		-run 'Parallel|Readers|Stale|Scratch|Backing|Poison|Layout|^Fuzz' . ./arena ./stable
	$(VETTED) -race -tags berth_poison -shuffle=on \
		./internal/pages ./concurrent/... ./observe ./examples/recipes
	$(AGAIN) -race -short -shuffle=on ./concurrent/linear ./lab/internal/live ./replica/internal/... \
		./examples/hub ./examples/timers/wheel ./examples/missiles/web
	$(AGAIN) -race -short -run 'Dies|SnapshotEvery|Unreachable' ./replica
	$(AGAIN) -race -short -run 'ComesBack|Tells|UDP|SideBySide|PeerFail|PeerInterrupted' \
		./replica/cmd/replica-demo ./examples/missiles/rollback ./near ./lab/internal/peers

# Users of the root may have an older Go. They see its go.mod, not go.work.
OLD ?= go1.24.13

# One configuration has all that is checked besides races, since each compiles everything anew.
# Containers check themselves after each change, and poison overwrites memory that was given back.
# Some kernels run no 32-bit programs, and qemu-i386 crashes on Go's threads. There the step has the
# int of the machine, and 32 bits are left to step cross, which checks the types, and to GitHub's
# workflow.
CHECKED := -tags berth_invariants,berth_poison

checked: lean ## test with the oldest Go, an int of 32 bits, and containers that check themselves
	@arch=386; GOARCH=386 go test -vet off -run '^$$' ./internal/bitset >/dev/null 2>&1 || { \
		arch=$$(go env GOARCH); echo "this kernel runs no 32-bit programs: GOARCH=$$arch"; }; \
	GOWORK=off GOTOOLCHAIN=$(OLD) GOARCH=$$arch $(VETTED) $(CHECKED) -shuffle=on $(ROOMS)
	$(AGAIN) $(CHECKED) -short ./examples/missiles/sim
	$(VETTED) -tags berth_invariants,berth_schedule -run Schedule ./concurrent

bench-smoke: ## run each benchmark once, so that none can rot
	go test -vet off -run '^$$' -bench . -benchtime 1x \
		$$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n1 dirname | sort -u)

examples: ## run the programs in examples/
	go run ./tools/runexamples -limit 60s ./examples/... ./examples/missiles/rollback

# The gate runs the committed inputs, as tests. Instrumented code is compiled once more, so fuzzing is
# left to the workflow.
fuzz: export GOGC := 400
fuzz: lean ## run each fuzz target for FUZZTIME (10s)
	$(LEAN) go run ./tools/fuzz -time $(FUZZTIME) work

# Counters in the code keep functions from being inlined, so tests of allocations fail. All packages
# of the root module count, whichever package's test reaches them.
cover: ## print the share of the root module's statements that its short tests run
	@mkdir -p lab-out
	go test -vet off -short -skip 'Alloc|Cost|LargeFunctions' -coverprofile lab-out/cover.out -coverpkg ./... ./...
	@go tool cover -func lab-out/cover.out | tail -1

browser: ## test pages and games in a browser: each once, or all of it with LONG=1
	.ci/browser

measure: ## run the README's main command, and check its files in lab-out
	@rm -f lab-out/report.html lab-out/results.json
	@cmd=$$(go run ./tools/check command README.md 'the measurements'); echo "$$cmd"; bash -euc "$$cmd"
	go run ./tools/check results lab-out

bench: ## run benchmarks for benchstat: BENCH=regexp PKG=package COUNT=10
	go test -run '^$$' -bench '$(BENCH)' -count $(COUNT) $(PKG)

# Ratios of two revisions are meaningful only if both run at the same time.
bench-compare: ## compare with a revision, in turns: BASE=rev HOT=regexp TURNS=20
	go run ./tools/benchcompare -base $(BASE) -bench '$(HOT)' -turns $(TURNS) -out lab-out .
	@stat=$$(GOWORK=off go -C tools/lint tool -n benchstat); \
	cd lab-out && "$$stat" base.txt new.txt
