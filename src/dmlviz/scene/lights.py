"""What in the picture a broken rule concerns: axes in the rulers, and cells."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..operators.report import Check
from .look import BrokenCells
from .words.reasons import Reason, is_sizes


class Lights(NamedTuple):
    """What in the picture a reason concerns."""

    axes: frozenset[tuple[str, int]] = frozenset()
    """(tensor path, axis); axis -1 for the tensor as a whole."""
    cells: frozenset[BrokenCells] = frozenset()


def lights(reason: Reason | None) -> Lights:
    """The axes in the rulers, and the cells: slices that are too many or missing, or indices and lengths outside."""
    if reason is None:
        return Lights()
    axes: set[tuple[str, int]] = set()
    cells: set[BrokenCells] = set()
    for check in reason.checks:
        path, _, rest = check.field.partition(".")
        if check.id.startswith("values."):
            cells.add(BrokenCells(path.split("[", 1)[0]))
            continue
        for each in (check.field, *check.related):
            head, _, tail = each.partition(".Sizes[")
            if tail:
                axes.add((head, int(tail.rstrip("]"))))
        if rest in ("DataType", "DimensionCount") or check.id == "sizes.element_count":
            axes.add((path, -1))
        if rest.startswith("Sizes"):
            for d, found, expected in _sizes_of(check):
                if found != expected:
                    axes.add((path, d))
                    cells.add(BrokenCells(path, d, max(0, min(found, expected)), max(found, expected)))
        for each in (check.field, *check.related):
            if each.startswith("Repeats["):
                axes.add(("OutputTensor", int(each[8:-1])))
    return Lights(frozenset(axes), frozenset(cells))


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
