# Everything a newcomer needs: `make demo` to see it work, `make test` to check it.
PYTHON ?= python3
BIN := .venv/bin

SDK_PYTHON ?= python3.11
SDK_PIP := .venv-cerebras/bin/python -m pip install --quiet --disable-pip-version-check --no-deps
# where torch without CUDA is to be had: 200 MB and not 3 GB
export TORCH_CPU ?= https://download.pytorch.org/whl/cpu

# Python compiles our modules once and not in each of the thousands of processes that the tests start
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo seeds fast fast-on test faults generated dist lint bench score cerebras setup clean

# about a minute: the batch-size study of the MNIST network, what is significant in it and what is not, and a report
demo: .venv/demo
	$(BIN)/assay study examples/studies/demo.yaml
	@echo
	$(BIN)/assay report --where study=demo --title 'What does the batch size change?' -o demo-report.html

# about half an hour: the five pages of tests/seeds, their experiments run here as far as they can be, written anew
SEEDS := bert-tiny bert-batch-sizes mnist-epochs cpu-batch-sizes cpu-checkpoints cpu-workers cpu-convergence \
         cerebras-batch-sizes
seeds: export ASSAY_RUNS := $(CURDIR)/seeds/runs
# the vendors' scripts are started with the `python` of the shell
seeds: export PATH := $(CURDIR)/$(BIN):$(PATH)
seeds: .venv/ready
	$(BIN)/assay write --check examples/seeds/*.md -o seeds/
	for study in $(SEEDS); do $(BIN)/assay study examples/studies/$$study.yaml || exit 1; done
	if sinfo -h >/dev/null 2>&1; then $(BIN)/assay study examples/seeds/sambanova-tasks.yaml --jobs 1 || true; \
	else echo 'no Slurm answers here: the SambaNova part is left out'; fi
	$(BIN)/assay export --to tensorboard --where study=cpu-convergence -o seeds/tensorboard
	@bad=0; for format in html markdown; do \
	  $(BIN)/assay write examples/seeds/*.md -o seeds/ --format $$format || bad=1; done; exit $$bad

# tests that take seconds are marked slow; those of the workloads need torch, which alone takes seconds to load
QUICK := -m 'not slow'

# one more than there are cores: many tests wait for a process, a browser or a scheduler
WORKERS ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )))

# before a commit: under 90 seconds on two quiet cores
fast: .venv/ready lint
	$(BIN)/python -m pytest -n $(WORKERS) $(QUICK)

# everything, as CI does; what fails beside other tests is run once more without them, and has to pass then
test: .venv/ready lint
	$(BIN)/python -m pytest -n $(WORKERS) || $(BIN)/python -m pytest --last-failed --last-failed-no-failures none
	cd workloads && ../$(BIN)/python -m pytest -n $(WORKERS) || \
	../$(BIN)/python -m pytest --last-failed --last-failed-no-failures none

# about half an hour: every pattern on 100,000 characters, a thousand faults and five thousand strange inputs, then a
# table; see tests/faults/README.md
faults: .venv/ready
	ASSAY_PUMP=100000 $(BIN)/python -m pytest tests/patterns
	$(BIN)/python tests/faults $(if $(SEED),--seed $(SEED))

# seconds: pages made from a seed, each with a lying twin, and what the audit finds; see tests/generated
generated: .venv/ready
	$(BIN)/python -m tests.generated --pages 320 $(if $(SEED),--seed $(SEED)) $(if $(KIND),--kind $(KIND))

# the quick tests on another interpreter, without torch: make fast-on OTHER=python3.13
OTHER ?= python3.13
OTHER_VENV := .venv-$(notdir $(OTHER))
fast-on: $(OTHER_VENV)/ready
	$(OTHER_VENV)/bin/python -m pytest -n $(WORKERS) $(QUICK)

$(OTHER_VENV)/ready: pyproject.toml
	$(OTHER) -m venv $(OTHER_VENV)
	$(OTHER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[serve,mlflow,test]'
	$(OTHER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable ./workloads
	touch $@

# sdist and wheel, in dist/
dist: .venv/ready
	$(BIN)/python -m build

lint: .venv/ready
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# about ten minutes: peers are run beside us, interleaved
bench: .venv/ready
	$(BIN)/python bench/record.py
	$(BIN)/python bench/compare.py
	$(BIN)/python bench/verdicts.py
	$(BIN)/python bench/models.py
	$(BIN)/python bench/independent.py
	$(BIN)/python bench/workloads.py
	$(BIN)/python bench/inference.py
	$(BIN)/python bench/serving.py
	$(BIN)/python bench/serving_peers.py
	$(BIN)/python bench/reading.py
	$(BIN)/python bench/study.py
	$(BIN)/python bench/arrays.py
	$(BIN)/python bench/restart.py
	$(BIN)/python bench/nodes.py
	$(BIN)/python bench/nfs.py
	$(BIN)/python bench/efficiency.py
	$(BIN)/python bench/web.py
	$(BIN)/python bench/install.py

# what is found in real files, against what a person read in them; needs the corpus: make score CORPUS=folder
score: .venv/ready
	$(BIN)/python bench/score.py $(CORPUS)

# the MNIST and BERT workloads through Cerebras' SDK with no wafer: its tests, then each lowered and trained a few steps
cerebras: .venv/ready .venv-cerebras/ready
	cd workloads && ASSAY_REQUIRE=cerebras ../$(BIN)/python -m pytest tests/test_cerebras_sdk.py
	$(BIN)/assay run --target cerebras --mode validate mnist batch_size=64
	$(BIN)/assay run --target cerebras --mode cpu mnist data=synthetic max_steps=50 threads=1
	$(BIN)/assay run --target cerebras --mode validate bert-pretrain tiny
	$(BIN)/assay run --target cerebras --mode cpu bert-pretrain tiny data=synthetic max_steps=5 batch_size=8 threads=1

setup: .venv/ready

# torch is pinned to what the tests were made with, without CUDA where there is no GPU; the package itself asks for a range
.venv/demo: pyproject.toml workloads/pyproject.toml setup.sh
	@PYTHON=$(PYTHON) ./setup.sh report,workloads
	@touch $@

.venv/ready: pyproject.toml workloads/pyproject.toml setup.sh
	@PYTHON=$(PYTHON) ./setup.sh dev
	@touch $@ .venv/demo

# PyPI's torch is linked to CUDA and does not load without these libraries, though nothing here uses them
CUDA := nvidia-cublas-cu12==12.1.3.1 nvidia-cuda-cupti-cu12==12.1.105 nvidia-cuda-runtime-cu12==12.1.105 \
	nvidia-cudnn-cu12==9.1.0.70 nvidia-cufft-cu12==11.0.2.54 nvidia-curand-cu12==10.3.2.106 \
	nvidia-cusparse-cu12==12.1.0.106 nvidia-nccl-cu12==2.20.5 nvidia-nvjitlink-cu12==12.1.105 \
	nvidia-nvtx-cu12==12.1.105

.venv-cerebras/ready: requirements-cerebras.txt
	rm -rf .venv-cerebras
	$(SDK_PYTHON) -m venv .venv-cerebras
	$(SDK_PIP) --retries 1 --timeout 10 --index-url $(TORCH_CPU) torch==2.4.0+cpu || $(SDK_PIP) torch==2.4.0 $(CUDA)
	$(SDK_PIP) --requirement requirements-cerebras.txt
	$(SDK_PIP) --editable . --editable ./workloads
	.venv-cerebras/bin/python -c 'import cerebras.pytorch'
	touch $@

clean:
	rm -rf .venv .venv-* dist .mypy_cache .ruff_cache .pytest_cache
