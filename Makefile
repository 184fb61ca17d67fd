# make demo   a health survey and a city, from answers to two pages
# make test   everything that a change must pass
# The first call sets up .venv from requirements.lock; nothing else is needed but Python 3.11 or newer and make.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
JOBS ?= auto
# each file of tests stays with one worker, so that servers, browsers and clusters are started once
SHARED := -n $(JOBS) --dist loadfile --no-loadscope-reorder
CLIENT := clients/js
# Node comes from the same lock file as everything else, so that nothing has to be installed for it
NPM := cd $(CLIENT) && PATH="$(CURDIR)/$(VENV)/bin:$$PATH" npm --no-update-notifier --no-fund --no-audit
MODULES := $(CLIENT)/node_modules/.ready

.PHONY: demo test coverage test-all lint format bench studies reproduce vectors reference pages messages clean help

help:
	@sed -n 's/^# make/make/p' Makefile

$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "sottovoce needs Python 3.11 or newer, and '$(PYTHON)' was not found: install it, or name it with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sottovoce needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version): install a newer one, or name it with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "sottovoce needs Python's venv module: on Debian or Ubuntu install the package python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

# make demo   a health survey and a city, from answers to two pages
demo: $(READY)
	@$(VENV)/bin/sottovoce demo

$(MODULES): $(CLIENT)/package-lock.json $(READY)
	$(NPM) ci --silent
	@touch $(MODULES)

# make test   the tests, without the slow studies
test: $(READY) $(MODULES)
	$(NPM) test --silent
	$(RUN) -m pytest $(SHARED)

# make coverage   the same, and which lines of the library they run (an eighth longer)
coverage: $(READY) $(MODULES)
	$(RUN) -m pytest $(SHARED) --cov --cov-report=term:skip-covered

# make test-all   the tests, with the slow studies
test-all: $(READY) $(MODULES)
	$(NPM) test --silent
	$(RUN) -m pytest $(SHARED) -m ""

# make lint   style, types and layering
lint: $(READY) $(MODULES)
	$(NPM) run check --silent
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache

# make format   write the files as make lint wants them
format: $(READY)
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

# make bench   speed, side by side with the peers (in an environment of their own)
bench: $(READY)
	$(RUN) benchmarks/perturbation.py
	$(RUN) benchmarks/estimation.py
	$(RUN) benchmarks/scale.py
	$(RUN) benchmarks/planning.py
	$(RUN) benchmarks/commands.py
	$(RUN) benchmarks/collector.py
	$(RUN) benchmarks/client.py
	$(RUN) benchmarks/cluster.py

# make studies   how accurate the intervals and the small-sample methods are (some minutes); writes docs/accuracy.md
studies: $(READY)
	$(RUN) studies/interval_coverage.py
	$(RUN) studies/small_samples.py

# make reproduce   measure the figures of the papers anew, in full (under two hours); writes docs/reproduction
reproduce: $(READY)
	$(VENV)/bin/sottovoce reproduce all --full --folder docs/reproduction --record

# make pages   build the JavaScript client and the pages anew, into the package that ships them
pages: $(READY) $(MODULES)
	$(NPM) run build --silent

# make vectors   write spec/vectors anew
vectors: $(READY)
	$(RUN) spec/make_vectors.py

# make reference   write docs/reference.md anew
reference: $(READY)
	$(RUN) docs/make_reference.py

clean:
	rm -rf $(VENV) .bench-venv $(CLIENT)/node_modules build dist *.egg-info src/*.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

# make messages   record the wording of messages again, after a sentence was changed
messages: $(READY)
	$(RUN) -m pytest $(SHARED) tests/unit --record-messages
