# The index of commands. `make run` and `make test` are the two that a newcomer needs; both set up
# what they need themselves and say what they do.

.DEFAULT_GOAL := help
.PHONY: help run test check format pure mutants long bench docs install uninstall hooks oldest release rust lints python curl dieharder variants web shots page e2e chromium soak

# Where `make install` puts things: PREFIX is the place, DESTDIR a folder that stands for the root.
PREFIX ?= /usr/local
DESTDIR ?=
# The program to install; naming one that is built already saves the building.
SABOT = $(or $(CARGO_TARGET_DIR),target)/release/sabot

# The program that tests try.
DEBUG = $(or $(CARGO_TARGET_DIR),target)/debug/sabot

# The oldest Rust that will do.
OLDEST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

# The cargo-mutants that `make mutants` installs where there is none.
MUTANTS := 27.1.0

# A rustup that was installed a moment ago, or by hand, has its programs here.
export PATH := $(PATH):$(HOME)/.cargo/bin

help: ## list the commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: page release ## build Sabot and open a floor that browsers, terminals and programs join
	@$(SABOT) serve
	@echo "more: $(SABOT) --help"

test: rust lints python curl pure web chromium ## set up what the tests need, and run them all
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --locked --quiet
	tools/web.sh npm run --silent check
	tools/web.sh npm test --silent
	SABOT_FUZZ_SECONDS=60 SABOT_SEED_SECONDS=60 cargo test --workspace --locked
	tools/try_api.py $(DEBUG)
	SABOT_BIN="$(abspath $(DEBUG))" tools/web.sh npm run --silent e2e

check: rust lints web ## the fast loop: format, lints, types, unit tests, the page too
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	tools/web.sh npm run --silent check
	tools/web.sh npm test --silent
	cargo test --package rulebooks --test tidy --quiet
	cargo test --workspace --lib --bins --quiet

format: rust ## format the code
	cargo fmt --all

# With the versions of the workspace, in a target folder of its own: the crates around the core would
# turn on features of the same dependencies that need the standard library.
pure: rust ## prove that the core has no clock, disk, network or randomness in it
	@cp Cargo.lock tools/pure/Cargo.lock
	cargo build --quiet --manifest-path tools/pure/Cargo.toml --target-dir target/pure
	@if grep -q '^name = "getrandom"' tools/pure/Cargo.lock; then \
		echo "the core rests on getrandom: randomness comes from outside"; exit 1; fi

# FILE is a file or a pattern, PACKAGE a crate (that of the file, if there is one), SHARD a part such as
# 0/40. A change must be noticed by the crate's own tests or by a transcript; the test that alters every
# policy takes too long to be run for each.
FILE ?=
PACKAGE ?= $(or $(word 2,$(subst /, ,$(FILE))),table)
SHARD ?=
mutants: rust ## make mistakes on purpose, and see which the tests notice: FILE=… or PACKAGE=…, SHARD=0/40
	@cargo mutants --version >/dev/null 2>&1 || { echo "installing cargo-mutants $(MUTANTS)"; \
		cargo install cargo-mutants --version "$(MUTANTS)" --locked; }
	cargo mutants $(if $(FILE),--file '$(FILE)',--package $(PACKAGE)) $(if $(SHARD),--shard $(SHARD)) \
		--test-package $(PACKAGE),transcript --colors never \
		-- --lib --tests -- --skip nothing_in_a_book_can_be_altered_unnoticed

# The mutants of a day: in forty days, all that a table and a tournament decide.
SHARD_OF_THE_DAY := $(shell expr $$(date +%s) / 86400 % 40)/40

variants: rust python ## add a variant to every enum of the core in a copy, and count where the compiler asks for it
	tools/variants.py

long: rust python dieharder release ## the long runs: a million shoes, the stream of shoes through dieharder, half an hour and 2000 seeds of simulated floors and events, a start with every flipped bit, thousands of requests to the API, a new variant of each enum, and the mutants of the day
	SABOT_SHOES=1000000 cargo test --release --package shoe --test fairness
	SABOT_BATTERY=1 cargo test --release --package shoe --lib battery -- --nocapture
	SABOT_SEED_SECONDS=1800 SABOT_SEEDS=2000 cargo test --release --package testkit --test floor
	SABOT_EVERY_FLIP=1 cargo test --release --package store --test trust every_flipped
	SABOT_API_EXAMPLES=300 tools/try_api.py $(SABOT)
	$(MAKE) variants
	$(MAKE) mutants FILE='crates/table/src/decide/**' SHARD=$(SHARD_OF_THE_DAY)
	$(MAKE) mutants FILE='crates/tournament/src/decide/**' SHARD=$(SHARD_OF_THE_DAY)

bench: rust ## measure table, log, floor, odds and simulation as ratios against a limit of the same run
	@cargo bench --quiet --package testkit --bench table
	@cargo bench --quiet --package live --bench log
	@cargo bench --quiet --package live --bench floor
	@cargo bench --quiet --package server --bench door
	@cargo bench --quiet --package odds --bench odds

soak: rust python release ## ten minutes of play through HTTP, and what the server's memory does
	tools/soak.py $(SABOT)

docs: rust ## write the references, and man pages and completions into target/docs
	@mkdir -p target/docs docs/reference
	cargo run --quiet --release --package sabot -- judge --reference > docs/reference/transcripts.md
	cargo run --quiet --release --package sabot -- judge --refusals > docs/reference/refusals.md
	cargo run --quiet --release --package sabot -- judge --index > transcripts/README.md
	cargo run --quiet --release --package sabot -- tournament keys > docs/reference/conditions.md
	cargo run --quiet --release --package sabot -- man target/docs
	@for shell in bash zsh fish; do \
		cargo run --quiet --release --package sabot -- completions $$shell > target/docs/sabot.$$shell; \
	done

# Where the page cannot be built, the server shows plain ones, and says so.
page:
	@tools/web.sh || echo "the page could not be built: the server shows plain pages in its place"

e2e: web release chromium ## the page in a real browser against the real server, times included
	@SABOT_TIMED=1 SABOT_BIN="$(abspath $(SABOT))" tools/web.sh npm run --silent e2e

chromium:
	@command -v chromium >/dev/null || { \
		echo "installing chromium, in which the page is tried"; \
		$(call as_root,apt-get update -q && apt-get install -q -y chromium) >/dev/null; }

web: ## build the page into web/dist, with its own Node if there is none; only what changed
	@tools/web.sh

shots: web chromium ## pictures of every view and state of the page into web/shots; SHOTS=06,09 for some
	@SABOT_BIN="$(or $(SABOT_BIN),$(abspath $(SABOT)))" tools/web.sh npm run --silent shots

install: $(if $(filter command line,$(origin SABOT)),,release) ## install program, manual and completions under PREFIX (/usr/local)
	@tools/install.sh install "$(SABOT)" "$(PREFIX)" "$(DESTDIR)"

uninstall: ## remove what `make install` installed
	@tools/install.sh uninstall "$(SABOT)" "$(PREFIX)" "$(DESTDIR)"

oldest: rust ## check that the oldest Rust that Cargo.toml names compiles everything
	rustup toolchain install "$(OLDEST)" --profile minimal
	CARGO_TARGET_DIR=target/oldest cargo "+$(OLDEST)" check --workspace --all-targets --locked

hooks: ## check format and tidiness before every commit
	git config core.hooksPath .githooks

release: rust
	@test -x "$(SABOT)" || echo "building sabot (three minutes or so the first time)"
	@cargo build --release --locked --package sabot

# Rust needs cargo, and a C compiler's linker. How new it must be stands in Cargo.toml alone.
rust:
	@tools/rust.sh "$(OLDEST)"

lints:
	@cargo fmt --version >/dev/null 2>&1 || { echo "adding rustfmt"; $(call component,rustfmt); }
	@cargo clippy --version >/dev/null 2>&1 || { echo "adding clippy"; $(call component,clippy); }

# The shoe is verified by a program in another language, too.
python:
	@command -v python3 >/dev/null || { \
		echo "installing python3, which runs the independent verifier"; \
		$(call as_root,apt-get update -q && apt-get install -q -y python3); }

# A battery of tests for generators.
dieharder:
	@command -v dieharder >/dev/null || { \
		echo "installing dieharder, which tests the stream of shoes"; \
		$(call as_root,apt-get update -q && apt-get install -q -y dieharder); }

# The lines of docs/API.md are tried as they stand there.
curl:
	@command -v curl >/dev/null || { \
		echo "installing curl, which runs the lines of docs/API.md"; \
		$(call as_root,apt-get update -q && apt-get install -q -y curl); }

component = rustup component add $(1) || { echo "install your system's package of $(1)"; exit 1; }

as_root = $$(test "$$(id -u)" = 0 || echo sudo) sh -c '$(1)'
