# `make check`: about two minutes, before each commit. `make full`: all there is, of what is committed, before a merge.
# PYTHON=/path/to/bin/python uses an environment of your own, with the extras test and lint, in place of .venv.

PYTHON = .venv/bin/python

.PHONY: check full
.DELETE_ON_ERROR:

ifeq ($(PYTHON),.venv/bin/python)
check: .venv/bin/mypy
endif

check:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -c "from importlinter.cli import lint_imports_command as lint; lint()"
	$(PYTHON) -m pytest -n 2 -m "not slow and not integration and not hypothesis"

full:
	.ci/run

.venv/bin/mypy: # README's command makes the same .venv, without what the extra `lint` brings
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -e '.[test,lint]'
