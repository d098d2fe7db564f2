# What a person types. `make` alone lists it.
PYTHON ?= python3
PROFILE ?=
BIN := .venv/bin

.PHONY: help setup repro test check ui clean

help:
	@echo "make repro [PROFILE=slice]  set up, then rebuild whatever a change touches (dvc repro)"
	@echo "make test                   set up, then run all tests"
	@echo "make ui                     set up, then Dagster's UI on http://127.0.0.1:3000"
	@echo "make check                  set up, then style and types"

setup: .venv/.ready .venv-dvc/.ready

# DVC and Dagster need different versions of one parser, so DVC lives in an environment of its own.
.venv/.ready: pyproject.toml constraints.txt
	@echo "setting up .venv (a few minutes, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@

.venv-dvc/.ready: constraints-dvc.txt .venv/.ready orchestration/dvc_command.py
	@echo "setting up .venv-dvc"
	@test -x .venv-dvc/bin/python || $(PYTHON) -m venv .venv-dvc
	@.venv-dvc/bin/python -m pip install -qq --disable-pip-version-check -c constraints-dvc.txt dvc
	@$(BIN)/python -m orchestration.dvc_command
	@touch $@

repro: setup
	@if [ -n "$(PROFILE)" ]; then $(BIN)/cotline profile $(PROFILE); fi
	@$(BIN)/dvc repro
	@$(BIN)/cotline sync --quiet
	@$(BIN)/cotline track --quiet

test: setup
	@$(BIN)/python -m pytest -n 2 --dist loadfile

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

ui: setup
	@$(BIN)/cotline sync --quiet
	@$(BIN)/cotline ui

clean:
	rm -rf var .pytest_cache .mypy_cache .ruff_cache
