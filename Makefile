# The front door. Every target is a thin call of a CMake preset or of a script in scripts/.

.DEFAULT_GOAL := build
.PHONY: build run watch test test-long test-peers bench check check-quick format dist clean help packages

# Tests wait more than they compute: twice as many as there are cores.
JOBS := $(shell expr 2 '*' $$(nproc))

# Each target installs the packages of its own purposes (scripts/packages.txt) and builds no more than it needs.
build: ## Build the server (the default).
	@scripts/install-packages run
	@scripts/build release anteroom

run: build ## Build and start the server with a demo room; Ctrl-C stops it.
	@build/release/anteroom serve --demo

watch: ## Build and watch a simulated sale in the terminal.
	@scripts/install-packages run
	@scripts/build release anteroom-sim
	@build/release/anteroom-sim --watch

test: ## Build and run every test that fits into a quarter of an hour.
	@scripts/install-packages run test
	@scripts/build release
	@ctest --test-dir build/release -j$(JOBS) --output-on-failure --no-tests=error -LE long

test-long: ## Fuzzing, the deep model, sanitizers, the package on a fresh machine.
	@scripts/install-packages run test long dist
	@scripts/test-long

test-peers: ## Tests against programs that come from other registries.
	@scripts/install-packages run peers
	@scripts/build release anteroom
	@scripts/test-peers

bench: ## Build, measure, print a table, write build/bench.json.
	@scripts/install-packages run bench
	@scripts/build release anteroom bench_programs
	@build/release/anteroom-bench --json build/bench.json
	@python3 bench/http_bench --build build/release --json build/bench.json

check: ## Format, include table, tree, headers, clang build, clang-tidy, TSan.
	@scripts/install-packages run test check
	@scripts/check

check-quick: ## The steps of `make check` that take minutes: format, include table, tree, headers.
	@scripts/install-packages run test check
	@scripts/check formatting include-table tree headers

format: ## Format every C++ file in place.
	@scripts/install-packages check
	@scripts/sources | xargs clang-format -i

dist: ## Make the Debian packages, in build/dist.
	@scripts/install-packages run dist
	@scripts/dist

clean: ## Remove everything that was built.
	@rm -rf build

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

PURPOSES := run test long peers check bench dist
packages: ## Install the packages of every purpose, or of PURPOSES="run test".
	@scripts/install-packages $(PURPOSES)
