# Everything sets itself up: a virtual environment in .venv, with uv when it is there, with pip otherwise.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

ifdef UV
INSTALL = $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python
MAKE_VENV = $(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
else
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
MAKE_VENV = $(PYTHON) -m venv $(VENV)
endif

# Compiled modules are kept, also where the environment says otherwise: tests start many processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-ray experiments-quick fuzz lint types bench docs docs-serve dist clean

demo: $(VENV)/.plait
	$(BIN)/plait demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow"

# Long statistical runs (enumeration, Geweke), and tests of sweeps that only they compile.
test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m slow

# Tests that need Ray, one after the other: they start clusters on this machine. Each has a time limit of its own.
test-ray: $(VENV)/.ray
	$(BIN)/python -m pytest -n 0 tests/executors

# Every script of experiments/ on small made corpora; test-slow runs the same.
experiments-quick: $(VENV)/.dev
	$(BIN)/python experiments/quick.py

# Damaged corpora (N cases over all formats) and forged model files. The inputs of failures are kept in .fuzz.
N ?= 10000
SEED ?= 0
fuzz: $(VENV)/.dev
	$(BIN)/python -m tests.fuzz.run --cases $(N) --seed $(SEED) --keep .fuzz
	$(BIN)/python -m tests.fuzz.model_files --files 2000 --seed $(SEED)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/check_imports.py

types: $(VENV)/.dev
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/lda.py

# The documentation site in site/: built without warnings, then checked for dead links and requests from elsewhere.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	$(BIN)/python tests/check_site.py site

docs-serve: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs serve

# Wheel and source archive in dist, checked as PyPI would.
dist: $(VENV)/.dev
	rm -rf dist
	$(INSTALL) build twine
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

$(VENV)/bin/python:
	$(MAKE_VENV)

$(VENV)/.plait: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e ".[report]"
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e ".[dev]"
	@touch $@ $(VENV)/.plait

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e ".[dev,bench]"
	@touch $@ $(VENV)/.plait $(VENV)/.dev

$(VENV)/.ray: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e ".[dev,ray]"
	@touch $@ $(VENV)/.plait $(VENV)/.dev

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(INSTALL) -e ".[docs]"
	@touch $@

clean:
	rm -rf $(VENV) dist build site .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis .fuzz
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
