# The two commands are `make run` and `make test`; both begin with `make setup`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test setup lint types bench fuzz lock clean

run: setup ## play the built-in demo streams
	$(BIN)/toolwire watch --demo

test: setup ## all tests
	$(BIN)/pytest

setup: .venv/ready ## prepare .venv

.venv/ready: requirements-dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy
	$(BIN)/pyright

bench: setup ## live values beside their peers
	$(BIN)/python -m bench

fuzz: setup ## mutated recordings, ten minutes a wire
	TOOLWIRE_FUZZ_SECONDS=600 $(BIN)/pytest tests/fuzz -s

lock: ## pin the newest dependencies that pyproject.toml allows
	$(PYTHON) -m venv .venv/lock && .venv/lock/bin/pip install --quiet pip-tools
	.venv/lock/bin/pip-compile --quiet --upgrade --all-extras --strip-extras --generate-hashes --no-emit-index-url \
		--no-emit-find-links --no-header --output-file requirements-dev.lock pyproject.toml

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
