# What a person types. `make` alone lists it.
PYTHON ?= python3
PROFILE ?=
EXTRAS ?= test
BIN := .venv/bin
# The two environments are installed beside each other.
MAKEFLAGS += --jobs=2
# By module, never by script: the first line of a script names the folder that a copied checkout was copied from.
COTLINE := $(BIN)/python -m orchestration

.PHONY: help setup repro test check ui clean

help:
	@echo "make repro [PROFILE=slice]  set up, then rebuild whatever a change touches (dvc repro)"
	@echo "make test                   set up, then run all tests"
	@echo "make ui                     set up, then Dagster's UI on http://127.0.0.1:3000"
	@echo "make check                  set up, then style and types"
	@echo "make clean                  remove the caches of tools; runs, tables and settings stay"

setup: .venv/.ready .venv-dvc/.ready

# What .venv holds names the folder that it was made in: a copied or moved checkout installs itself there anew.
ifneq ($(shell cat .venv/.ready 2>/dev/null),$(CURDIR))
.PHONY: .venv/.ready
endif

# DVC and Dagster need different versions of one parser, so DVC lives in an environment of its own.
.venv/.ready: pyproject.toml constraints.txt
	@echo "setting up .venv (a few minutes, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	@echo '$(CURDIR)' >$@

# ruamel.yaml.clib: without it DVC parses dvc.yaml and dvc.lock in Python, a second each for this graph.
.venv-dvc/.installed: constraints-dvc.txt
	@echo "setting up .venv-dvc"
	@test -x .venv-dvc/bin/python || $(PYTHON) -m venv .venv-dvc
	@.venv-dvc/bin/python -m pip install -qq --disable-pip-version-check -c constraints-dvc.txt dvc ruamel.yaml.clib
	@touch $@

.venv-dvc/.ready: .venv-dvc/.installed .venv/.ready orchestration/dvc_command.py
	@$(BIN)/python -m orchestration.dvc_command
	@touch $@

repro: setup
	@if [ -n "$(PROFILE)" ]; then $(COTLINE) profile $(PROFILE); fi
	@$(COTLINE) dvc
	@$(BIN)/dvc repro
	@$(COTLINE) sync --quiet
	@$(COTLINE) track --quiet

test: setup
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: setup
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

ui: setup
	@$(COTLINE) sync --quiet
	@$(COTLINE) ui

clean:
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis var/warm
