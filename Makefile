# One command a task; everything runs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
GAME ?= shadow_cards

.PHONY: help install train test test-long test-rules check bench leaderboard docs clean

help:
	@grep -E '^[a-z-]+:.*#' $(MAKEFILE_LIST) | sed 's/:.*#/:/' | column -t -s ':'

install: $(VENV)/installed  # make .venv with all that the commands below need

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

train: install  # train PPO on GAME (default shadow_cards) and write a report
	$(BIN)/python -m training.ppo --game $(GAME)

test: install  # run the tests, compiled
	$(BIN)/python -m pytest -n 2

test-long: install  # thousands of games against the oracles, statistics with large samples
	$(BIN)/python -m pytest -n 2 --long

test-rules: install  # break the rules one by one and see their tests fail
	$(BIN)/python tests/mutants/run.py

check: install  # style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: install $(VENV)-bench/installed  # race against other libraries, in a venv of their own
	$(VENV)-bench/bin/python -m benchmarks.race

$(VENV)-bench/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train]' 'open_spiel==2.0.2' 'pgx==2.6.0' 'jax==0.10.2' 'rlcard==1.2.0' 'pettingzoo[classic]'
	touch $@

leaderboard: install  # play all agents against each other in all games and rewrite benchmarks/results/leaderboard.md
	$(BIN)/python -m benchmarks.leaderboard

docs: install  # write the generated tables in docs/
	for game in $$($(BIN)/python -c 'import shadowenvs; print(*shadowenvs.GAMES)'); do \
		$(BIN)/shadowenvs show $$game --markdown > docs/tables/$$game.md; done

clean:  # remove what can be made again
	rm -rf $(VENV) $(VENV)-bench build *.egg-info .mypy_cache .ruff_cache
