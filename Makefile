# The checks of the project. make ci runs all of them. .ci/run, the gate, makes the same targets after
# it has installed their tools.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

# The steps of the gate, cheap ones first. CONTRIBUTING.md explains each.
STEPS := fmt sizes tidy docs cross vet lint test race 386 older invariants \
	bench-smoke examples fuzz browser measure
.PHONY: help ci steps bench bench-compare $(STEPS)

FUZZTIME ?= 3s
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

# Only packages that users import need this documentation, not internal packages and commands.
docs: ## fail on missing doc comments, examples and costs, dead links, code that is not compiled
	go run ./tools/docgate $$(go list -f '{{.Dir}}' ./... | grep -v /internal/)
	go run ./tools/links README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs
	go run ./tools/snippets . README.md docs/migrating.md docs/recipes.md

# Other operating systems and word sizes. Only types differ, so nothing is built. Packages that need
# processes, files or sockets are not checked for a browser.
cross: ## check the types of all packages and tests for other systems
	go run ./tools/typecheck -for windows/amd64,darwin/arm64,freebsd/amd64,linux/arm64,linux/386 work
	go run ./tools/typecheck -for js/wasm ./... ./lab/trace/... ./examples/missiles/...

# The linters vet all other files, with the build tag browser. Only the root has files for these tags.
vet: ## go vet files that the linters do not see
	go vet -tags berth_invariants,berth_poison ./...
	go vet -tags berth_schedule ./concurrent

# The linters' versions are pinned in tools/lint/go.mod, which is outside the workspace. So they are
# built without the workspace, with berthends of module vet among them, and then run in it.
lint: ## run the linters, go vet among them, over all modules
	@linter=$$(GOWORK=off go -C tools/lint tool -n golangci); \
	dirs=$$(go list -m -f '{{.Dir}}'); \
	bad=0; \
	for dir in $$dirs; do \
		echo "lint $${dir#"$(CURDIR)/"}"; \
		(cd "$$dir" && "$$linter" run --config "$(CURDIR)/.golangci.yml" ./...) || bad=1; \
	done; \
	exit $$bad

# The command is read from the README, so that the README cannot contain a command that fails.
test: ## run the tests with the README's own command
	@cmd=$$(go run ./tools/readme README.md 'the tests'); echo "$$cmd"; bash -euc "$$cmd"

# make test runs all tests except the long ones, which the tag berth_long adds. The steps below run
# only the tests that can differ in their configuration. Most of the time goes into compiling the
# tests for each configuration, so two of them also use an older Go. make vet and make lint have
# vetted the code.
AGAIN := go test -vet off
WHOLE := ./internal/...
ROOMS := . ./freelist/... ./arena/... ./stable/... ./near/... ./concurrent/... ./pooltest/...

# Packages with unsafe code or several goroutines. near, freelist and pooltest have neither, and
# stable has one such test. Poison overwrites released memory. Here it is without the invariants,
# which would find a mistake first.
race: ## test with the race detector, which checks unsafe pointers too, in random order
	$(AGAIN) -race -tags berth_poison -shuffle=on $(WHOLE)
	$(AGAIN) -race -tags berth_poison -shuffle=on . ./arena/... ./concurrent/... ./examples/recipes
	$(AGAIN) -race -short -shuffle=on ./concurrent/linear
	$(AGAIN) -race -short -shuffle=on ./lab/internal/live \
		./examples/hub ./examples/scratch ./examples/missiles/web
	$(AGAIN) -race -short -run UDP ./examples/missiles/rollback
	$(AGAIN) -race -short -run 'Inspect|Interrupt|Context|Pipe|Peer|Live' \
		./stable ./lab ./lab/internal/peers

# The older versions of Go that users of the root may have. They see its go.mod, not go.work.
OLD    := GOWORK=off GOTOOLCHAIN=go1.25.14
OLDEST := GOWORK=off GOTOOLCHAIN=go1.24.13

386: ## test with an int of 32 bits, and the previous Go
	$(OLD) GOARCH=386 $(AGAIN) $(WHOLE)
	$(OLD) GOARCH=386 $(AGAIN) $(ROOMS)

older: ## run the long tests too, with the oldest Go that go.mod allows
	$(OLDEST) $(AGAIN) -tags berth_long ./...
	$(OLDEST) go -C tools/soagen build -o /dev/null .

invariants: ## test with each container checking itself after each change
	$(AGAIN) -tags berth_invariants,berth_poison -shuffle=on $(WHOLE)
	$(AGAIN) -tags berth_invariants,berth_poison -shuffle=on $(ROOMS)
	$(AGAIN) -tags berth_invariants,berth_poison -short ./examples/frame ./examples/missiles/sim
	$(AGAIN) -tags berth_invariants,berth_schedule -run Schedule ./concurrent

bench-smoke: ## run each benchmark once, so that none can rot
	go test -vet off -run '^$$' -bench . -benchtime 1x \
		$$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n1 dirname | sort -u)

examples: ## run the programs in examples/
	go run ./tools/runexamples -limit 60s ./examples/... ./examples/missiles/rollback

fuzz: ## run each fuzz target for FUZZTIME (3s)
	go run ./tools/fuzz -time $(FUZZTIME) work

browser: ## test pages and games in a browser
	.ci/browser

measure: ## run the README's main command, and check its files in lab-out
	@rm -f lab-out/report.html lab-out/thesis.html lab-out/results.json
	@cmd=$$(go run ./tools/readme README.md 'the measurements'); echo "$$cmd"; bash -euc "$$cmd"
	go run ./tools/results lab-out

bench: ## run benchmarks for benchstat: BENCH=regexp PKG=package COUNT=10
	go test -run '^$$' -bench '$(BENCH)' -count $(COUNT) $(PKG)

# Ratios of two revisions are meaningful only if both run at the same time.
bench-compare: ## compare with a revision, in turns: BASE=rev HOT=regexp TURNS=20
	go run ./tools/benchcompare -base $(BASE) -bench '$(HOT)' -turns $(TURNS) -out lab-out .
	@stat=$$(GOWORK=off go -C tools/lint tool -n benchstat); \
	cd lab-out && "$$stat" base.txt new.txt
