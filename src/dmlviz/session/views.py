"""The `view` of an experiment: where somebody has left off looking at it. It has no part in what the desc means.

{"step": 3, "unit": "run", "cursor": {"output": 0, "index": [2, 0]}, "pins": [...], "bookmarks": [1, 4], "turned": true,
"recoloured": true}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..errors import quote

UNITS = ("element", "run", "slice", "whole")
"""What a step may be."""
MOST = 256
"""Pins or bookmarks of a view that are read."""
PLACE = 'an element such as {"output": 0, "index": [2, 0]} or {"tensor": 0, "index": [1, 0]}'


class Element(Struct, frozen=True):
    """An element of an output, or of an input tensor, which may no longer be there."""

    is_output: bool
    number: int
    """Of the output or the input, in field order from 0."""
    index: tuple[int, ...]


class View(Struct, frozen=True):
    """What is looked at, and how; each field has the value that it has where nobody has changed anything."""

    step: int | None = None
    """The step that is shown, counted in `unit`; None where everything is written."""
    unit: str = ""
    """What a step is, one of UNITS; "" for what the user likes best, or for elements where there is a step."""
    cursor: Element | None = None
    """None for the element that the step begins with."""
    pins: tuple[Element, ...] = ()
    bookmarks: tuple[int, ...] = ()
    """Ascending; each counts elements, whatever the unit, as a step by element would."""
    turned: bool = False
    """Rows and columns change places."""
    recoloured: bool = False
    """Colours stand for the other thing that they can stand for, as in TILE the source element."""


@dataclass(frozen=True, eq=False)
class ViewEntry:
    """What a session file holds as an experiment's view.

    Every experiment has one of its own, which stays with it through all edits: by it live views are told apart.
    """

    found: tuple[Any, ...] = ()
    """Its JSON alone, or nothing where there is none."""
    before: int = 0
    """How many keys that this version doesn't know stand before it."""
    lost: str = ""
    """A sentence about a view that could not be kept."""

    @cached_property
    def _parsed(self) -> tuple[View, tuple[str, ...]]:
        return parse_view(self.found[0]) if self.found else (View(), ())

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
            return ViewEntry(self.found, self.before, self.lost)
        made = merged(self.found[0] if self.found else {}, view)
        return ViewEntry((made,) if made else (), self.before if self.found else 0)


def merged(found: Any, view: View) -> dict[str, Any]:
    """The JSON of a view in place of another, `found`: what there is unknown or of the wrong shape stays."""
    told = dump_view(view)
    made: dict[str, Any] = {}
    for key, value in found.items() if isinstance(found, Mapping) else ():
        if key in told:
            made[key] = told.pop(key)
        elif key not in _READERS or _READERS[key](value, key)[1]:
            made[key] = value
    return {**made, **told}


def dump_view(view: View) -> dict[str, Any]:
    """The JSON of a view, without what is as it is by itself."""
    found: dict[str, Any] = {}
    if view.step is not None:
        found["step"] = view.step
    if view.unit:
        found["unit"] = view.unit
    if view.cursor is not None:
        found["cursor"] = _dump_element(view.cursor)
    if view.pins:
        found["pins"] = [_dump_element(each) for each in view.pins]
    if view.bookmarks:
        found["bookmarks"] = list(view.bookmarks)
    if view.turned:
        found["turned"] = True
    if view.recoloured:
        found["recoloured"] = True
    return found


def _dump_element(element: Element) -> dict[str, Any]:
    return {"output" if element.is_output else "tensor": element.number, "index": list(element.index)}


def parse_view(found: Any) -> tuple[View, tuple[str, ...]]:
    """The view in JSON, and a sentence for each thing of the wrong shape, which is left out. Never raises."""
    if not isinstance(found, Mapping):
        return View(), (f'view is {quote(found)}, expected an object such as {{"step": 3}}.',)
    used: dict[str, Any] = {}
    said: list[str] = []
    for key, read in _READERS.items():
        if found.get(key) is not None:  # null is as good as nothing
            value, sentences = read(found[key], f"view.{key}")
            said += sentences
            if value is not None:
                used[key] = value
    return View(**used), tuple(said)


Read = tuple[Any, list[str]]
"""What was read, or None, and a sentence for each thing of the wrong shape."""


def _is_count(found: Any) -> bool:
    return isinstance(found, int) and not isinstance(found, bool) and found >= 0


def _count(found: Any, name: str) -> Read:
    return (found, []) if _is_count(found) else (None, [f"{name} is {quote(found)}, expected an integer from 0 on."])


def _unit(found: Any, name: str) -> Read:
    fits = isinstance(found, str) and found in UNITS
    return (found, []) if fits else (None, [f"{name} is {quote(found)}, expected one of {', '.join(UNITS)}."])


def _element(found: Any, name: str) -> Read:
    if isinstance(found, Mapping) and ("output" in found) != ("tensor" in found):
        is_output = "output" in found
        number, index = found["output" if is_output else "tensor"], found.get("index")
        if _is_count(number) and isinstance(index, list) and all(map(_is_count, index)):
            return Element(is_output, number, tuple(index)), []
    return None, [f"{name} is {quote(found)}, expected {PLACE}."]


def _truth(found: Any, name: str) -> Read:
    return (found, []) if isinstance(found, bool) else (None, [f"{name} is {quote(found)}, expected true or false."])


def _list(found: Any, name: str, what: str, read: Any) -> Read:
    if not isinstance(found, list):
        return None, [f"{name} is {quote(found)}, expected a list of {what}."]
    made: list[Any] = []
    said: list[str] = []
    for i, item in enumerate(found[:MOST]):
        value, sentences = read(item, f"{name}[{i}]")
        made += [value] if not sentences else []
        said += sentences
    if len(found) > MOST:
        said.append(f"{name} has {len(found):,} entries, expected at most {MOST:,}.")
    return tuple(dict.fromkeys(made)), said


def _pins(found: Any, name: str) -> Read:
    return _list(found, name, "elements", _element)


def _bookmarks(found: Any, name: str) -> Read:
    value, said = _list(found, name, "integers", _count)
    return (tuple(sorted(value)) if value is not None else None), said


_READERS = {
    "step": _count,
    "unit": _unit,
    "cursor": _element,
    "pins": _pins,
    "bookmarks": _bookmarks,
    "turned": _truth,
    "recoloured": _truth,
}
