# Everything a fresh machine needs is Python >= 3.11 (with venv) and make.
# A target may be run at any time; what is installed and current is not installed again.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
  command -v $$p >/dev/null 2>&1 && $$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' \
  2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
CONSTRAINTS := $(if $(CI),-c .ci/lock.txt,)
WORKERS ?= 2
SOAK ?= --kills 200 --turns 1000 --trials 40

.PHONY: demo test test-browser test-node node soak bench lint clean install
.DELETE_ON_ERROR:

demo: $(VENV)/.installed
	@$(BIN)/deskmate demo $(ARGS)

test: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --durations 5 $(ARGS)

test-browser: $(VENV)/.installed-browser
	@$(BIN)/python -m pytest -q tests/browser $(ARGS)

test-node: node $(VENV)/.installed tests/node/node_modules/.installed
	@cd tests/node && node --test $(ARGS)

node:
	@command -v npm >/dev/null 2>&1 && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' \
	  || { echo "make test-node needs Node.js 20 or newer with npm; on Debian and Ubuntu: apt install nodejs npm" >&2; exit 1; }

tests/node/node_modules/.installed: tests/node/package-lock.json | node
	@cd tests/node && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

soak: $(VENV)/.installed-dev
	@$(BIN)/python -m pytest -q -s tests/soak -o timeout=7200 $(SOAK) $(ARGS)

bench: $(VENV)/.installed-dev
	@$(BIN)/python -m tests.bench $(ARGS)

lint: $(VENV)/.installed-dev
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/pyright && $(BIN)/lint-imports

install: $(VENV)/.installed

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Deskmate needs Python 3.11 or newer (with venv); none was found on PATH." >&2; exit 1; }
	@echo "Making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "That Python cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "Installing Deskmate (about half a minute, once)"
	@$(PIP) install $(CONSTRAINTS) -e .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "Installing Deskmate and what its tests need (once)"
	@$(PIP) install $(CONSTRAINTS) -e '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-browser: pyproject.toml | $(BIN)/python
	@$(PIP) install $(CONSTRAINTS) -e '.[dev,browser]'
	@touch $@ $(VENV)/.installed-dev $(VENV)/.installed

clean:
	rm -rf $(VENV) dist build .pytest_cache .ruff_cache .import_linter_cache .hypothesis
