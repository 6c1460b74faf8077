"""The `view` of an experiment, such as {"step": 3, "unit": "run", "turned": true}: where somebody has left off looking.

It has no part in what the desc means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..errors import quote

UNITS = ("element", "run", "slice", "whole")
"""What a step may be."""


class View(Struct, frozen=True):
    """What is looked at, and how; each field has the value that it has where nobody has changed anything."""

    step: int | None = None
    """The step that is shown, counted in `unit`; None where everything is written."""
    unit: str = ""
    """What a step is, one of UNITS; "" for what the user likes best, or for elements where there is a step."""
    turned: bool = False
    """Rows and columns change places."""


class ViewEntry(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """What a file holds as an experiment's view; each has its own, through all edits, which tells live views apart."""

    written: tuple[Any, ...] = ()
    """Its JSON alone, or nothing where there is none."""
    before: int = 0
    """How many keys that this version doesn't know stand before it."""
    lost: str = ""
    """A sentence about a view that could not be kept."""

    @cached_property
    def _parsed(self) -> tuple[View, tuple[str, ...]]:
        return parse_view(self.written[0]) if self.written else (View(), ())

    @property
    def view(self) -> View:
        """The view, without what is of the wrong shape."""
        return self._parsed[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence for each thing of the wrong shape."""
        return (*((self.lost,) if self.lost else ()), *self._parsed[1])

    def holding(self, view: View | None) -> ViewEntry:
        """A new entry with that view, and with what is unknown or of the wrong shape as it was; None gives a copy."""
        if view is None:
            return ViewEntry(self.written, self.before, self.lost)
        tree = merged(self.written[0] if self.written else {}, view)
        return ViewEntry((tree,) if tree else (), self.before if self.written else 0)


def merged(written: Any, view: View) -> dict[str, Any]:
    """The JSON of `view`, and of another view, `written`, what there is unknown or of the wrong shape."""
    told = dump_view(view)
    kept: dict[str, Any] = {}
    for key, value in written.items() if isinstance(written, Mapping) else ():
        if key in told:
            kept[key] = told.pop(key)
        elif key not in _READERS or _read_key(value, key, key)[1]:
            kept[key] = value
    return {**kept, **told}


def dump_view(view: View) -> dict[str, Any]:
    """The JSON of a view, without fields that are as by default."""
    fields = {
        "step": view.step,
        "unit": view.unit or None,
        "turned": view.turned or None,
    }
    return {key: value for key, value in fields.items() if value is not None}


def parse_view(written: Any) -> tuple[View, tuple[str, ...]]:
    """The view in JSON, and a sentence for each thing of the wrong shape, which is left out. Never raises."""
    if not isinstance(written, Mapping):
        return View(), (f'view is {quote(written)}, expected an object such as {{"step": 3}}.',)
    used: dict[str, Any] = {}
    sentences: list[str] = []
    for key in _READERS:
        if written.get(key) is not None:  # null is as good as nothing
            value, wrong = _read_key(written[key], key, f"view.{key}")
            sentences += wrong
            if value is not None:
                used[key] = value
    return View(**used), tuple(sentences)


def _read_key(written: Any, key: str, name: str) -> tuple[Any, list[str]]:
    """What a key of a view holds, or None and a sentence where it has the wrong shape."""
    read, expected = _READERS[key]
    value = read(written)
    return value, [f"{name} is {quote(written)}, expected {expected}."] if value is None else []


def _as_count(written: Any) -> int | None:
    return written if isinstance(written, int) and not isinstance(written, bool) and written >= 0 else None


def _as_unit(written: Any) -> str | None:
    return written if isinstance(written, str) and written in UNITS else None


def _as_truth(written: Any) -> bool | None:
    return written if isinstance(written, bool) else None


_READERS: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "step": (_as_count, "an integer from 0 on"),
    "unit": (_as_unit, f"one of {', '.join(UNITS)}"),
    "turned": (_as_truth, "true or false"),
}
"""By key: what reads it and gives None for a wrong shape, and what is expected."""
KEYS = tuple(_READERS)
