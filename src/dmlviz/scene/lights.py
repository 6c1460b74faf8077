"""What in the picture a broken rule concerns: axes in the rulers, and cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..desc.base import Desc
from ..operators.registry import operator_of
from ..operators.report import Check
from .look import BrokenCells
from .words.reasons import Reason, is_sizes


class Lights(NamedTuple):
    """What in the picture a reason concerns."""

    axes: frozenset[tuple[str, int]] = frozenset()
    """(tensor path, axis); axis -1 for the tensor as a whole."""
    cells: frozenset[BrokenCells] = frozenset()
    named: frozenset[tuple[str, int]] = frozenset()
    """The same as `axes`, of what is spoken of and not broken."""


def lights(reason: Reason | None, desc: Desc) -> Lights:
    """The axes in rulers and the cells that a reason concerns: slices, indices or lengths; none for None."""
    if reason is None:
        return Lights()
    axes: set[tuple[str, int]] = set()
    cells: set[BrokenCells] = set()
    for check in reason.checks:
        path, _, rest = check.field.partition(".")
        if check.id.startswith("values."):
            cells.add(BrokenCells(path.split("[", 1)[0]))
            continue
        for field in (check.field, *check.related):
            head, _, tail = field.partition(".Sizes[")
            if tail:
                axes.add((head, int(tail.rstrip("]"))))
        if rest in ("DataType", "DimensionCount") or check.id == "sizes.element_count":
            axes.add((path, -1))
        if rest.startswith("Sizes"):
            for d, size, expected in _sizes_of(check):
                if size != expected:
                    axes.add((path, d))
                    cells.add(BrokenCells(path, d, max(0, expected), size))
        for field in (check.field, *check.related):
            axes.update(_axes_of_entry(field, desc))
    return Lights(frozenset(axes), frozenset(cells))


def _axes_of_entry(path: str, desc: Desc) -> Iterator[tuple[str, int]]:
    """(tensor path, axis) of what an entry of an array is for, where the array has one for each axis."""
    at = re.fullmatch(r"(\w+)\[(\d+)\]", path)
    field = next((f for f in desc.FIELDS if at is not None and f.name == at[1]), None)
    if at is None or field is None or not field.per_axis:
        return
    name, axis = field.axes_of or operator_of(desc).anchor, int(at[2])
    tensors = [part.path for part in desc.parts if part.field.name == name]
    yield from ((tensor, axis) for tensor in tensors or [name])


def _sizes_of(check: Check) -> list[tuple[int, int, int]]:
    """(axis, found, expected) of the sizes that a check names."""
    found, expected = check.found, check.expected
    at = re.search(r"Sizes\[(\d+)\]$", check.field)
    if isinstance(found, int) and isinstance(expected, int):
        return [(int(at[1]), found, expected)] if at is not None else []
    if not is_sizes(found):
        return []
    if not is_sizes(expected):  # "at least 1"
        return [(d, size, 1) for d, size in enumerate(found) if size < 1]
    return [(d, f, e) for d, (f, e) in enumerate(zip(found, expected, strict=False))]
