# `make run` and `make test` are all that a newcomer needs; each does its own set-up on a fresh machine.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BENCH := $(VENV)/bench
BENCH_READY := $(BENCH)/.ready
# Two workers fit the smallest machine we promise (2 cores).
PYTEST := $(BIN)/pytest -q

.PHONY: run test test-full bench check tools lock clean

run: $(READY)
	@$(BIN)/tirage serve --demo

test: check tools
	$(PYTEST) -n 2 -m "not full"

test-full: check tools
	$(PYTEST) -n 2 

# Rows and options: make bench ARGS="commands --quick"
bench: $(READY) $(BENCH_READY)
	$(BIN)/python -m tests.benchmarks $(ARGS)

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# What the tests of pages and units need and PyPI has not. Without it, and without root, those tests say what to install.
tools:
	@missing=""; \
	command -v chromium >/dev/null || missing="$$missing chromium"; \
	command -v systemd-analyze >/dev/null || missing="$$missing systemd"; \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "installing$$missing"; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

# The environment is made anew whenever a lock or the project's own metadata changed.
$(READY): requirements/build.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Tirage needs Python 3.11 or later, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "Python's venv is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

# What we are compared with lives apart: no part of ours may depend on it.
$(BENCH_READY): $(READY) requirements/bench.txt
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(BENCH)
	$(BIN)/uv pip sync --quiet --python $(BENCH)/bin/python --require-hashes requirements/bench.txt
	@touch $@

# Locks carry hashes and name no download host.
LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url
lock:
	$(LOCK) requirements/build.in -o requirements/build.txt
	$(LOCK) pyproject.toml requirements/build.in -o requirements/main.txt
	$(LOCK) --extra dev pyproject.toml requirements/build.in -o requirements/dev.txt
	$(LOCK) requirements/bench.in -o requirements/bench.txt

clean:
	rm -rf $(VENV)
