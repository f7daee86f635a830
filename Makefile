# The index of commands. `make run` and `make test` are the two that a newcomer needs; both set up
# what they need themselves and say what they do.

.DEFAULT_GOAL := help
.PHONY: help run test check format long bench docs hooks rust lints python

help: ## list the commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: rust ## build Sabot and sit down at a table
	@echo "building sabot (three minutes or so the first time); then you are at the table, q leaves it"
	@cargo build --release --package sabot
	@target/release/sabot play
	@echo "more: target/release/sabot --help"

test: rust lints python ## set up what the tests need, and run them all
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --locked --quiet
	SABOT_FUZZ_SECONDS=60 cargo test --workspace --locked

check: rust lints ## the fast loop: format, lints, types, unit tests
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- --deny warnings
	cargo test --workspace --lib --bins --quiet

format: rust ## format the code
	cargo fmt --all

long: rust ## the long runs: a million shoes through the tests of fairness
	SABOT_SHOES=1000000 cargo test --release --package shoe --test fairness

bench: rust ## measure table, odds and simulation as ratios against a limit of the same run
	@cargo bench --quiet --package testkit --bench table
	@cargo bench --quiet --package odds --bench odds

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

hooks: ## check format and tidiness before every commit
	git config core.hooksPath .githooks

# Rust needs cargo, and a C compiler's linker; Debian's packages have both.
rust:
	@command -v cargo >/dev/null || { \
		echo "cargo is missing: install Rust 1.89 or newer (with rustup, or your system's packages)"; \
		exit 1; }
	@command -v cc >/dev/null || { \
		echo "installing gcc, whose linker Rust uses"; \
		$(call as_root,apt-get update -q && apt-get install -q -y gcc libc6-dev); }

lints:
	@cargo fmt --version >/dev/null 2>&1 || { echo "adding rustfmt"; rustup component add rustfmt; }
	@cargo clippy --version >/dev/null 2>&1 || { echo "adding clippy"; rustup component add clippy; }

# The shoe is verified by a program in another language, too.
python:
	@command -v python3 >/dev/null || { \
		echo "installing python3, which runs the independent verifier"; \
		$(call as_root,apt-get update -q && apt-get install -q -y python3); }

as_root = $$(test "$$(id -u)" = 0 || echo sudo) sh -c '$(1)'
