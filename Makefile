# Everything a newcomer needs: `make demo` to see it work, `make test` to check it.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: demo test lint bench score setup clean

# the batch-size study of the MNIST network: table, verdicts, audit, and a report to look at
demo: .venv/ready
	$(BIN)/assay study examples/studies/demo.yaml
	$(BIN)/assay report --where study=demo --title 'What does the batch size change?' -o demo-report.html

test: .venv/ready lint
	$(BIN)/python -m pytest -n auto

lint: .venv/ready
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# about ten minutes: peers are run beside us, interleaved
bench: .venv/ready
	$(BIN)/python bench/record.py
	$(BIN)/python bench/compare.py
	$(BIN)/python bench/workloads.py
	$(BIN)/python bench/inference.py
	$(BIN)/python bench/reading.py
	$(BIN)/python bench/study.py
	$(BIN)/python bench/web.py

# what is found in real files, against what a person read in them; needs the corpus: make score CORPUS=folder
score: .venv/ready
	$(BIN)/python bench/score.py $(CORPUS)

setup: .venv/ready

# torch is pinned to the CPU build that the tests were made with; the package itself asks for a range
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache
