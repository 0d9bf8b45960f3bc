# The front door. Every target is a thin call of a CMake preset or of a script in scripts/.

.DEFAULT_GOAL := build
.PHONY: build run watch test bench check format clean help packages

JOBS := $(shell nproc)

build: packages ## Build the release (the default).
	@scripts/build release

run: build ## Build and start the server with a demo room; Ctrl-C stops it.
	@build/release/anteroom serve --demo

watch: build ## Build and watch a simulated sale in the terminal.
	@build/release/anteroom-sim --watch

test: build ## Build and run every test.
	@ctest --test-dir build/release -j$(JOBS) --output-on-failure --no-tests=error

bench: build ## Build, measure, print a table, write build/bench.json.
	@build/release/anteroom-bench --json build/bench.json
	@python3 bench/http_bench --build build/release --json build/bench.json

check: packages ## Format, lint, include table, headers, clang build, sanitizers.
	@scripts/check

format: packages ## Format every C++ file in place.
	@scripts/sources | xargs clang-format -i

clean: ## Remove everything that was built.
	@rm -rf build

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages: ## Install the Debian packages of scripts/packages.txt that are missing.
	@scripts/install-packages
