# Every target sets up what it needs in .venv, from requirements.lock: Python 3.11 or newer and make are enough.
# `make help` lists the targets. make PYTHON=python3.13 … chooses the Python for a new .venv.

PYTHON ?= python3
JOBS ?= auto
# passed on to pytest, as in make test OPTIONS="-x --durations=20"
OPTIONS ?=

VENV := .venv
RUN := $(VENV)/bin/python
CLIENT := clients/js
MODULES := $(CLIENT)/node_modules/.ready
# Node comes from the same lock file as everything else, so it doesn't have to be installed
NPM := cd $(CLIENT) && PATH="$(CURDIR)/$(VENV)/bin:$$PATH" npm --no-update-notifier --no-fund --no-audit

# What each stage of the set-up adds: extras and groups of pyproject.toml
DEMO := --extra plot --group setup
TEST := $(DEMO) --extra server --extra excel --extra spss --group test
SYSTEM := $(TEST) --extra postgres --extra spark --group system
DOCS := $(DEMO) --extra server --group docs
PIP := $(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --no-build-isolation
# $(call install,options,stage): that part of the lock is complete, so --no-deps loses nothing, and pip fetches nothing without a hash
install = $(RUN) tools/locked.py $(1) >$(VENV)/$(2).txt && $(PIP) --require-hashes --requirement $(VENV)/$(2).txt
# on all cores, which pip doesn't; a file that doesn't compile is the business of whoever imports it
COMPILE := $(RUN) -W ignore -m compileall -qq -j 0 $(VENV)/lib || true

UNIT := tests/unit tests/smoke src experiments tools README.md docs
# a file of tests stays with one worker, so that servers, browsers and clusters are started once
# each worker has a core, so threads of the linear algebra would only wait for each other, at full load
PYTEST := OPENBLAS_NUM_THREADS=1 $(RUN) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
# unit tests need no such order, and no plugin that the system tests bring
PURE := --dist worksteal -p no:schemathesis

# modules are compiled when they are first imported, also where the environment forbids Python to keep the result
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-system test-all coverage lint prose format messages lock wheel pages vectors reference docs reproduce figures studies bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 13

$(VENV)/.demo: Makefile requirements.lock pyproject.toml tools/locked.py
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed, and '$(PYTHON)' was not found. Install it, or choose one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, and '$(PYTHON)' is $$($(PYTHON) --version). Install a newer one, or choose one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv module is missing. On Debian or Ubuntu, install the package python3-venv."; exit 1; }
	@echo "Setting up $(VENV) for the demo, once"
	@$(PYTHON) -m venv $(VENV)
	@$(call install,$(DEMO),demo)
	@$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	@echo "Adding to $(VENV) what the tests need, once"
	@$(call install,$(TEST),test)
	@$(COMPILE)
	@touch $@

$(VENV)/.system: $(VENV)/.test
	@echo "Adding to $(VENV) what the system tests need, once"
	@$(call install,$(SYSTEM),system)
	@$(COMPILE)
	@touch $@

$(VENV)/.docs: $(VENV)/.demo
	@echo "Adding to $(VENV) what the site needs, once"
	@$(call install,$(DOCS),docs)
	@touch $@

$(MODULES): $(CLIENT)/package-lock.json $(VENV)/.test
	@$(NPM) ci --silent
	@touch $@

demo: $(VENV)/.demo ## a health survey and a city, from answers to two pages
	@$(VENV)/bin/sottovoce demo

test: $(VENV)/.test $(MODULES) ## the unit tests, the JavaScript client's tests and one short test of each real part
	$(NPM) test --silent
	$(PYTEST) $(PURE) $(OPTIONS) $(UNIT)

test-system: $(VENV)/.system $(MODULES) ## real processes, PostgreSQL, Chromium, Spark, the built wheel
	$(PYTEST) $(OPTIONS) tests/system

test-all: $(VENV)/.system $(MODULES) ## all of these and the long studies
	$(NPM) test --silent
	$(PYTEST) $(OPTIONS) $(UNIT) tests/system tests/long

coverage: $(VENV)/.system $(MODULES) ## the branches that make test runs, and those that make test and make test-system run
	$(PYTEST) $(PURE) $(OPTIONS) $(UNIT) --cov --cov-report=
	$(RUN) -m coverage report --skip-covered
	$(PYTEST) $(OPTIONS) tests/system --cov --cov-append --cov-report=
	$(RUN) -m coverage report --skip-covered

lint: $(VENV)/.system $(MODULES) ## style, types, layering, and how pages and docstrings are written
	$(NPM) run check --silent
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache
	$(RUN) tools/prose.py --check

# PROSE=--check fails if the pages miss a target
PROSE ?=
prose: ## count how pages for users and docstrings are written
	@$(PYTHON) tools/prose.py $(PROSE)

format: $(VENV)/.test ## rewrite files as make lint wants them
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# TESTS=tests/unit records only those
TESTS ?= tests/unit tests/system tests/long/test_cluster.py
messages: $(VENV)/.system $(MODULES) ## record the wording of messages, after a sentence changed
	$(PYTEST) $(TESTS) --record-messages

# OPTIONS=--upgrade moves every package to its newest version; otherwise pins stay where they still fit pyproject.toml
lock: ## update requirements.lock from pyproject.toml
	@$(PYTHON) -m venv $(VENV)/uv
	@$(VENV)/uv/bin/pip install --quiet --disable-pip-version-check uv==0.13.7
	$(VENV)/uv/bin/uv pip compile pyproject.toml --all-extras --group setup --group test --group system --group docs --quiet $(OPTIONS) \
		--universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock" --output-file requirements.lock

wheel: $(VENV)/.demo ## build the package: a wheel and an sdist in dist
	@$(RUN) -m build --no-isolation --outdir dist .

pages: $(VENV)/.test $(MODULES) ## build the JavaScript client and the collector's pages into the package
	$(NPM) run build --silent

vectors: $(VENV)/.test ## record spec/vectors
	$(RUN) spec/make_vectors.py

reference: $(VENV)/.test ## write docs/reference.md, the tables of mechanisms and notions, and the picture of the packages
	$(RUN) docs/make_reference.py
	$(RUN) docs/make_architecture.py

docs: $(VENV)/.docs ## build the documentation site into build/docs; a broken link or anchor is an error
	@$(RUN) -m docs.site_parts
	@rm -rf build/docs
	@$(RUN) -m sphinx --quiet --fail-on-warning --keep-going --nitpicky --conf-dir docs --doctree-dir build/docs-trees build/docs-source build/docs
	@echo "The site is in build/docs/index.html"

reproduce: $(VENV)/.demo ## measure the papers' figures in full (under two hours), write docs/reproduction
	$(VENV)/bin/sottovoce reproduce all --full --folder docs/reproduction --record --no-charts

figures: $(VENV)/.demo ## draw the papers' figures from the tables of docs/reproduction (a minute), into build/reproduction
	@rm -rf build/reproduction && mkdir -p build && cp -r docs/reproduction build/reproduction
	$(VENV)/bin/sottovoce reproduce all --redraw --folder build/reproduction

studies: $(VENV)/.demo ## measure the accuracy of intervals, margins, numbers, questionnaires and small-sample methods (hours), write docs/accuracy.md
	$(RUN) studies/interval_coverage.py
	$(RUN) studies/margins.py
	$(RUN) studies/many_items.py
	$(RUN) studies/ordered.py
	$(RUN) studies/questionnaires.py
	$(RUN) studies/small_samples.py
	$(RUN) studies/auto.py
	$(RUN) studies/auto_others.py
	$(RUN) studies/auto_limits.py

bench: $(VENV)/.system ## measure speed, also of other libraries (in .bench-venv)
	$(RUN) benchmarks/perturbation.py
	$(RUN) benchmarks/estimation.py
	$(RUN) benchmarks/windows.py
	$(RUN) benchmarks/scale.py
	$(RUN) benchmarks/planning.py
	$(RUN) benchmarks/commands.py
	$(RUN) benchmarks/collector.py
	$(RUN) benchmarks/service.py
	$(RUN) benchmarks/submissions.py
	$(RUN) benchmarks/libraries.py
	$(RUN) benchmarks/client.py
	$(RUN) benchmarks/cluster.py

clean: ## remove everything that was set up or built
	rm -rf $(VENV) .bench-venv $(CLIENT)/node_modules build dist *.egg-info src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*
