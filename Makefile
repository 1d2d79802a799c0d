PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: install test lint format docs golden vscode site

install: $(BIN)/nkilint

$(BIN)/nkilint: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -e '.[dev]'
	touch $@

test: install
	$(BIN)/python -m pytest -q -n auto

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install
	$(BIN)/python -m nkilint.report.pages docs

golden: install
	$(BIN)/python -m pytest -q tests/report/test_reports.py --update-golden

vscode:
	cd editors/vscode && npm ci && npm run package

site: docs
	$(BIN)/pip install -q '.[docs]'
	$(BIN)/mkdocs build --strict
