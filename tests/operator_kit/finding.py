"""The module of cases that belongs to an operator."""

from __future__ import annotations

import importlib
from typing import Any

from dmlviz.operators.registry import operator_of
from operator_kit import cases


def cases_of(kind: str) -> Any:
    """The module of an operator's type, see `operator_kit.cases`. Fails with the name of the file that is missing."""
    name = operator_of(kind).name.lower()
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(f"{cases.__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{cases.__name__}.{name}":
            raise
        file = f"tests/operator_kit/cases/{name}.py"
        raise AssertionError(f"{file} is missing: it has the oracle and the cases of {kind}.") from None
    for each in ("cases", "oracle", "VALID", "BROKEN"):
        assert hasattr(module, each), f"{module.__file__} has no {each}."
    return module
