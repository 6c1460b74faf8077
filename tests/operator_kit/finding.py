"""The module of cases that belongs to an operator."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from hypothesis import strategies as st
from numpy.typing import NDArray
from support.strategies import Case

from dmlviz.desc.base import Desc
from dmlviz.operators.registry import operator_of
from operator_kit import cases


@dataclass(frozen=True)
class Drawn:
    """Facts of a picture, which defaults would draw otherwise."""

    identities: tuple[int, ...]
    """Those in the output, each once, in ascending order."""
    identity_of: str
    runs: int
    """Steps by run."""
    slices: int
    block: int
    formula: str
    """Of the output's first element."""
    workings: tuple[str, ...] = ()
    """The ids of broken rules that show their computation."""


class Cases(Protocol):
    """What a module of `operator_kit.cases` offers."""

    VALID: tuple[Desc, ...]
    """A few small valid descs."""
    BROKEN: Mapping[str, Desc]
    """A desc that breaks a rule, by check id."""
    DRAWN: Drawn | None
    """Not needed: what the first of `VALID` looks like."""
    LIT: Mapping[str, set[tuple[str, int]]]
    """Not needed: the axes that each of `BROKEN` lights, by check id."""

    def cases(self) -> st.SearchStrategy[Case]:
        """Valid descs with arrays."""

    def oracle(self, desc: Any, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
        """The outputs, by another way than the operator's own."""


def cases_of(kind: str) -> Cases:
    """The cases of an operator's type. Fails with the name of the file that is missing."""
    name = operator_of(kind).name.lower()
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(f"{cases.__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{cases.__name__}.{name}":
            raise
        raise AssertionError(f"{missing_file(name)} is missing: it has the oracle and the cases of {kind}.") from None
    for each in ("cases", "oracle", "VALID", "BROKEN"):
        assert hasattr(module, each), f"{module.__file__} has no {each}."
    for each, nothing in (("DRAWN", None), ("LIT", {})):
        vars(module).setdefault(each, nothing)
    return cast(Cases, module)


def missing_file(name: str) -> str:
    """Where the cases of an operator belong, from the repository's root."""
    return f"tests/operator_kit/{Path(cases.__path__[0]).name}/{name}.py"
