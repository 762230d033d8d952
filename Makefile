# The two commands are `make run` and `make test`; both begin with `make setup`.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test setup node lint types bench wheels fuzz lock clean

run: setup ## play the built-in demo streams
	$(BIN)/toolwire watch --demo

test: setup ## all tests; those with Node's clients where there is npm
	@command -v npm >/dev/null && $(MAKE) --no-print-directory node || echo "no npm packages: tests with them are skipped"
	$(BIN)/pytest

setup: .venv/ready .venv/compiled ## prepare .venv, and compile what can be compiled

.venv/ready: requirements-dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	TOOLWIRE_PURE=1 \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Compiled modules go before their source: they are made again whenever that changes.
.venv/compiled: .venv/ready hatch_build.py $(wildcard src/toolwire/*.py src/toolwire/framing/*.py \
		src/toolwire/partial/*.py src/toolwire/wire/*.py)
	test "$$TOOLWIRE_PURE" = 1 || { $(BIN)/python hatch_build.py && touch $@; }

NODE := tests/interop/node

node: $(patsubst %/package.json,%/node_modules/.ready,$(wildcard $(NODE)/*/package.json)) ## the clients of the interop tests

$(NODE)/%/node_modules/.ready: $(NODE)/%/package-lock.json
	cd $(NODE)/$* && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy
	$(BIN)/pyright

bench: setup .venv-bench/ready .venv-bench-instructor/ready ## everything measured beside its peers: docs/benchmarks.md
	$(BIN)/python -m bench $(BENCH)

.venv-bench/ready: bench/requirements.txt
.venv-bench-instructor/ready: bench/requirements-instructor.txt
.venv-bench/ready .venv-bench-instructor/ready:
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

wheels: .venv/ready ## a compiled wheel for this Python and platform, and a pure one
	TOOLWIRE_PURE=0 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	TOOLWIRE_PURE=1 $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

fuzz: setup ## mutated recordings, ten minutes a wire
	TOOLWIRE_FUZZ_SECONDS=600 $(BIN)/pytest tests/fuzz -s

lock: ## pin the newest dependencies that pyproject.toml allows
	$(PYTHON) -m venv .venv/lock && .venv/lock/bin/pip install --quiet pip-tools
	.venv/lock/bin/pip-compile --quiet --upgrade --all-extras --strip-extras --generate-hashes --no-emit-index-url \
		--allow-unsafe --no-emit-find-links --no-header --output-file requirements-dev.lock pyproject.toml
	.venv/lock/bin/pip-compile --quiet --upgrade --strip-extras --generate-hashes --no-emit-index-url \
		--allow-unsafe --no-emit-find-links --no-header --output-file bench/requirements.txt bench/requirements.in
	.venv/lock/bin/pip-compile --quiet --upgrade --strip-extras --generate-hashes --no-emit-index-url \
		--allow-unsafe --no-emit-find-links --no-header --output-file bench/requirements-instructor.txt \
		bench/requirements-instructor.in

clean:
	rm -rf $(NODE)/*/node_modules
	find src -name '*.so' -delete
	rm -rf .venv .venv-bench .venv-bench-instructor .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build
