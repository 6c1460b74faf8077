"""The registry of operators: modules of this package that define `OPERATOR`.

The package's path is walked, so a folder added to `dmlviz.operators.__path__` brings operators too. A module is
imported once somebody asks for its operator: what operators are called, and in which order they are listed, is read in
their sources, so that a start takes no longer for operators that nobody looks at.
"""

from __future__ import annotations

import importlib
import math
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..desc.base import Desc
from ..errors import DmlvizError, TakenOutError, quote
from ..retired import told
from .base import PAGES, Operator

REQUIRED = ("name", "title", "desc", "anchor")
"""What an operator has to declare besides its methods."""


class Listed(Struct, frozen=True):
    """What a list tells of an operator, and where that is."""

    type: str
    name: str
    page_number: float
    example_word: str
    module: str

    @property
    def neighbour(self) -> bool:
        """True for an operator behind the five, as `Operator.neighbour`."""
        return self.page_number > PAGES


class _Operators(Mapping[str, Operator[Any]]):
    """Every operator by its type, in the order of lists; imported as it is asked for."""

    def __init__(self, listed: list[Listed]) -> None:
        self.listed = {one.type: one for one in listed}

    def __getitem__(self, kind: str) -> Operator[Any]:
        return _imported(self.listed[kind].module)

    def __contains__(self, kind: object) -> bool:
        return kind in self.listed

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)


@cache
def _imported(module: str) -> Operator[Any]:
    """Raises DmlvizError where a declaration is missing."""
    op: Operator[Any] = importlib.import_module(f"{__package__}.{module}").OPERATOR
    for name in REQUIRED:
        if not hasattr(op, name):
            raise DmlvizError(f"operator {module} declares no {name}, expected {', '.join(REQUIRED)}.")
    return op


_DECLARED = re.compile(r'^    (TYPE|name|page_number|example_word)\b[^=\n]*= "?([\w.]+)"?$', re.MULTILINE)


def _listed(file: Path) -> Listed | None:
    """What a module's source says of its operator; None for what operators share."""
    source = file.read_text("utf-8") if file.stem.isidentifier() else ""  # an editor's and a disk's own files are none
    if not re.search(r"^OPERATOR\b", source, re.MULTILINE):
        return None
    lines = _DECLARED.findall(source)
    told = dict(lines)
    if len(lines) == len(told) and told.keys() >= {"TYPE", "name"}:
        number, word = float(told.get("page_number", math.inf)), told.get("example_word", "")
        return Listed(told["TYPE"], told["name"], number, word, module=file.stem)
    op = _imported(file.stem)  # its source says it in another way
    return Listed(op.desc.TYPE, op.name, op.page_number, op.example_word, module=file.stem)


@cache
def _registry() -> _Operators:
    files = (file for folder in sys.modules[__package__].__path__ for file in Path(folder).glob("*.py"))
    found = (one for one in map(_listed, files) if one is not None)
    return _Operators(sorted(found, key=lambda one: (one.page_number, one.type)))


def discover() -> None:
    """Has the package's path walked anew."""
    _registry.cache_clear()
    _imported.cache_clear()
    importlib.invalidate_caches()


def operators() -> Mapping[str, Operator[Any]]:
    """Every operator by its type; its keys alone import none."""
    return _registry()


def listed() -> tuple[Listed, ...]:
    """What lists tell of every operator, in their order; imports none."""
    return tuple(_registry().listed.values())


def type_named(name: str) -> str | None:
    """The type of the operator of a name or a type; None where there is none."""
    return next((one.type for one in listed() if name in (one.name, one.type)), None)


def operator_of(desc: Desc | str) -> Operator[Any]:
    """The operator of a desc, or of a type such as "DML_OPERATOR_GATHER". Raises DmlvizError for any other."""
    kind = desc if isinstance(desc, str) else getattr(desc, "TYPE", type(desc).__name__)
    try:
        return _registry()[kind]
    except KeyError:
        if said := told(kind.removeprefix("DML_OPERATOR_")):
            raise TakenOutError(said) from None
        known = ", ".join(_registry())
        raise DmlvizError(f"operator type is {quote(kind)}, expected one of {known}.") from None
