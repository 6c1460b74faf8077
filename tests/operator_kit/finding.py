"""The module of cases that belongs to an operator."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from hypothesis import strategies as st
from numpy.typing import NDArray
from support.strategies import Case

from dmlviz.desc.base import Desc
from dmlviz.operators.registry import operator_of
from operator_kit import cases


class Cases(Protocol):
    """What a module of `operator_kit.cases` offers."""

    VALID: tuple[Desc, ...]
    BROKEN: Mapping[str, Desc]

    def cases(self) -> st.SearchStrategy[Case]: ...

    def oracle(self, desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]: ...


def cases_of(kind: str) -> Cases:
    """The cases of an operator's type. Fails with the name of the file that is missing, from the repository's root."""
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
    return cast(Cases, module)
