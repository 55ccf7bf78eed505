# The two commands that matter: make demo, and make test. make help lists all.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# PROGRAMS are the mains that make builds into bin/.
PROGRAMS := ./mine ./screen ./build ./verify ./publish ./demo
# TEST_TIMEOUT is for one package: the end-to-end tests are the longest.
TEST_TIMEOUT ?= 40m

.PHONY: help programs demo demo-clean test quick check-format vet read-back unit postgres cmake bench bench-jobs

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1	\2/p' Makefile scripts/images.mk | expand -t 20

include scripts/images.mk

programs: ## build the programs into bin/
	@command -v go >/dev/null || { echo "Go is missing: install version 1.26 or later from go.dev" >&2; exit 1; }
	@command -v git >/dev/null || { echo "git is missing: install it, on Debian with apt-get install git" >&2; exit 1; }
	go build -o bin/ $(PROGRAMS)
	CGO_ENABLED=0 go build -trimpath -o bin/ ./verify/evalreport ./build/cargolink # go into images: static

demo: programs demo-images ## the whole pipeline on a small world, from histories to Parquet
	bin/demo

demo-clean: ## remove what the demonstration made, images apart
	rm -rf demo/world

# CI runs this. It needs PostgreSQL, an engine and the base images, which it
# gets itself.
test: check-format vet read-back postgres cmake base-images unit ## everything that CI runs

quick: check-format vet postgres cmake ## what needs no container engine
	go test -race $$(scripts/packages.sh quick)

postgres: ## install the PostgreSQL server that tests start
	scripts/postgres.sh

cmake: ## install CMake, Ninja and a C++ compiler, which tests call
	scripts/cmake.sh

check-format:
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt -w these files:" >&2; echo "$$out" >&2; exit 1; }

vet:
	go vet ./...

read-back: ## a dataset read by pyarrow and the datasets library
	scripts/read-back.sh

# Image builds and matrices run one at a time: side by side they make one
# another's tests time out.
unit:
	scripts/test.sh -timeout $(TEST_TIMEOUT) $$(scripts/packages.sh quick)
	TEST_LOG=bin/test-engine.log scripts/test.sh -p 1 -timeout $(TEST_TIMEOUT) $$(scripts/packages.sh engine)

# REPOS are repositories to measure; without any a history is made.
bench: ## how fast mine reads a history, beside git log
	go run ./mine/bench $(REPOS)

bench-jobs: postgres ## what a job costs, on both engines
	go test ./internal/jobs -run '^$$' -bench Job -benchtime 1000x
