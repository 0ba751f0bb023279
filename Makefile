# Needs Python 3.11 or newer, git and make. Everything else is installed into .venv.
#
#   make run          start the service on the local network and print its address and QR code
#   make test         all tests but the long ones in a browser, with coverage
#   make solver-check the solvers against brute force, 1,000 hands for each system and round, and 500 tables
#   make playouts     20,000 whole games at random
#   make e2e          an evening in a real browser: every screen, its weight and its accessibility
#   make lint         style, types, spelling
#   make bench        time per stage of one scan
#   make bench-engine speed of the rules
#   make crash        the service killed while it records; a full disk
#   make hostile      bad uploads and malformed requests
#   make load         fifty tables of five phones at once
#   make cluster-test tables on several services and a detector tier, some of which are killed
#   make scale        how far it goes: photos and hands a second, and what each costs
#   make train-setup  what rendering and training need, card art included

SHELL := /bin/bash
BIN := .venv/bin
TORCH ?= torch==2.14.1 torchvision==0.29.1
ARGS ?=
HANDS ?= 1000
TABLES ?= 500
GAMES ?= 20000

.DEFAULT_GOAL := run
.DELETE_ON_ERROR:
.PHONY: run test solver-check playouts lint bench bench-engine train-setup e2e crash hostile load cluster-test scale clean

run: .venv/plain.stamp
	@$(BIN)/meldsight serve --lan $(ARGS)

test: .venv/test.stamp
	$(BIN)/python -m pytest --cov -m "not evening" $(ARGS)
	@report=$$($(BIN)/python -m coverage report --include='engine/*' --fail-under=100) || { echo "$$report"; exit 1; }

e2e: .venv/test.stamp
	$(BIN)/python -m pytest tests/e2e tests/page $(ARGS)

solver-check: .venv/test.stamp
	MELDSIGHT_HANDS=$(HANDS) MELDSIGHT_TABLES=$(TABLES) $(BIN)/python -m pytest tests/engine/test_solver.py tests/engine/test_rearrange.py $(ARGS)

playouts: .venv/test.stamp
	MELDSIGHT_GAMES=$(GAMES) $(BIN)/python -m pytest tests/engine/test_table.py -k end_and_replay --durations=0 -o faulthandler_timeout=0 $(ARGS)

lint: .venv/lint.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

bench: .venv/plain.stamp
	$(BIN)/python -m benchmarks.scan $(ARGS)

bench-engine: .venv/test.stamp
	$(BIN)/python -m benchmarks.engine $(ARGS)

crash: .venv/test.stamp
	$(BIN)/python -m benchmarks.crash $(ARGS)

hostile: .venv/hostile.stamp
	$(BIN)/python -m benchmarks.hostile $(ARGS)

load: .venv/test.stamp
	$(BIN)/python -m benchmarks.table $(ARGS)

cluster-test: .venv/cluster.stamp .venv/test.stamp
	$(BIN)/python -m benchmarks.cluster $(ARGS)

scale: .venv/cluster.stamp .venv/test.stamp
	$(BIN)/python -m benchmarks.scale $(ARGS)

train-setup: .venv/train.stamp
	$(BIN)/python -m datasets.assets
	$(BIN)/python -m datasets.art

clean:
	rm -rf .venv build *.egg-info .coverage htmlcov .hypothesis .mypy_cache .pytest_cache .ruff_cache

# A stamp says what .venv holds; it is made anew when pyproject.toml asks for something else.

.venv/pyvenv.cfg:
	@python=; \
	for name in $$PYTHON python3 python3.11 python3.12 python3.13 python3.14 python; do \
	  if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$name; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Meldsight needs Python 3.11 or newer, and none was found; name one with PYTHON=/path/to/python3 make." >&2; exit 1; \
	fi; \
	if ! $$python -c 'import ensurepip' 2>/dev/null; then \
	  echo "$$python cannot make a virtual environment; on Debian or Ubuntu: sudo apt-get install python3-venv." >&2; exit 1; \
	fi; \
	$$python -m venv .venv

.venv/plain.stamp: pyproject.toml | .venv/pyvenv.cfg
	@echo "Installing Meldsight into .venv; the first time this takes a minute or two."
	@# Not compiled ahead: Python does that with the tenth of it all that is used, when it is.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@$(BIN)/python -c $$'import sys\ntry: import cv2\nexcept ImportError as error: sys.exit(f"opencv-python needs a system library that is missing ({error}); on Debian or Ubuntu: sudo apt-get install libgl1 libglib2.0-0.")'
	@touch $@

.venv/%.stamp: .venv/plain.stamp
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]' $(if $(filter train,$*),$(TORCH))
	@touch $@
