# Everything a newcomer needs: `make demo` to see it work, `make test` to check it.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: demo test lint bench score setup clean

demo: .venv/ready
	$(BIN)/assay run --param batch_size=32 -- $(BIN)/python examples/digits.py --batch-size 32

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
