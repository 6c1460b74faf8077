"""Which sources there are, and data read by the one that knows it.

A source is a module of `dmlviz.importers`, or of a folder added to that package's path.

What is read is never evaluated and never unpickled. A reader says piece by piece what it took and what it left.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from ... import importers
from .imported import Imported, ImportFailedError

MOST_BYTES = 64 << 20
"""A longer source is refused."""


class Source(Protocol):
    """What a module of the package offers."""

    TITLE: str
    """What it reads, as a sentence names it: "a DxDispatch model"."""
    ORDER: int
    """Sources are asked in this order whether they know the data."""

    def knows(self, data: bytes, name: str) -> bool:
        """True if data from a file of that name looks like this source. Quick, and never raises."""

    def read(self, data: bytes, name: str, folder: Path | None) -> Imported:
        """The experiments in `data`, called `name` in sentences; files that it refers to lie in `folder`.

        Raises ImportFailedError, with one sentence, where there is none.
        """


@runtime_checkable
class HasFreeDims(Protocol):
    """What a source offers beside `read` whose dimensions may be free."""

    def read_with(self, data: bytes, name: str, folder: Path | None, dims: Mapping[str, int]) -> Imported:
        """As `read`, with sizes for free dimensions; raises ImportFailedError for one that isn't there too."""


@cache
def sources() -> Sequence[Source]:
    """Every source, in the order in which they are asked."""
    names = (each.name for each in pkgutil.iter_modules(importers.__path__) if not each.ispkg)
    found = [cast(Source, importlib.import_module(f"{importers.__name__}.{name}")) for name in names]
    return tuple(sorted(found, key=lambda each: each.ORDER))


def read(data: bytes, name: str, folder: Path | None = None, dims: Mapping[str, int] | None = None) -> Imported:
    """The experiments in `data`, whatever source it is of; `dims` are sizes for what a model leaves free.

    Raises ImportFailedError, with one sentence, where no source knows it or the one that does finds no desc, and for
    `dims` that it hasn't got.
    """
    if len(data) > MOST_BYTES:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_BYTES:,}.")
    for source in sources():
        if source.knows(data, name):
            if not dims:
                return source.read(data, name, folder)
            if isinstance(source, HasFreeDims):
                return source.read_with(data, name, folder, dims)
            raise no_free_dims(name, source.TITLE)
    known = ", ".join(source.TITLE for source in sources())
    raise ImportFailedError(f"{name} is nothing that can be imported, expected {known}.")


def no_free_dims(name: str, what: str) -> ImportFailedError:
    """The error of sizes for free dimensions that are given for something that has none."""
    can = " or ".join(source.TITLE for source in sources() if isinstance(source, HasFreeDims))
    return ImportFailedError(f"{name} is {what}, which has no free dimensions to give sizes for, expected {can}.")
