"""Places in a text that was read block by block, and the lines of what a reader has no better place for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...formats.json_places import NO_LINE, Place, Places
from .imported import Imported
from .pasted_text import as_text

_WHERE = re.compile(r"line ([\d,]{1,15})")


class Read(Struct, frozen=True):
    """A block that was read: the number of its first experiment, its first line, its text, and where its fields are."""

    first: int
    line: int
    text: str
    locate: Callable[[], Places]


def moved(read: Iterable[Read], whole: str) -> dict[int, dict[str, Place]]:
    """The places of several blocks in the whole text, whose lines they are, as far as those were not changed."""
    lines = whole.split("\n")
    found: dict[int, dict[str, Place]] = {}
    for block in read:
        own = block.text.split("\n")
        for number, fields in block.locate().items():
            if number >= 0:
                found[number + block.first] = {
                    field: _moved(place, block.line - 1, own, lines) for field, place in fields.items()
                }
    return found


def _moved(place: Place, above: int, own: Sequence[str], lines: Sequence[str]) -> Place:
    """A place in a block with so many lines above it as one in the whole text."""
    ends = []
    for line, column in ((place.line, place.column), (place.end_line, place.end_column)):
        inner = own[line - 1] if line <= len(own) else ""
        outer = lines[line + above - 1] if line + above <= len(lines) else ""
        in_front = len(outer.rstrip()) - len(inner.rstrip()) if outer.rstrip().endswith(inner.rstrip()) else 0
        ends.append((line + above, min(column + in_front, len(outer) + 1)))
    (line, column), (end_line, end_column) = ends
    return Place(line=line, column=column, end_line=end_line, end_column=end_column, name=place.name)


def with_lines(imported: Imported, data: bytes) -> Imported:
    """What was imported, where each experiment has a place: that of the remark by which it was taken, at the least."""
    return replace(imported, locate=lambda: _completed(imported, data))


def _completed(imported: Imported, data: bytes) -> Places:
    places = imported.locate()
    taken = {remark.experiment: remark for remark in imported.remarks if remark.taken and remark.experiment is not None}
    missing = [remark for number, remark in taken.items() if "" not in places.get(number, {})]
    if not missing:
        return places
    lines = (as_text(data) or "").split("\n")
    more: dict[int, Mapping[str, Place]] = dict(places)
    for remark in missing:
        assert remark.experiment is not None
        match = _WHERE.match(remark.where)
        place = _of_line(int(match[1].replace(",", "")), lines) if match is not None else NO_LINE
        own = places.get(remark.experiment, {})
        more[remark.experiment] = {**own, "": place if match is not None else replace(place, name=remark.where)}
    return more


def _of_line(number: int, lines: Sequence[str]) -> Place:
    """A line without the blanks around it."""
    text = lines[number - 1] if number <= len(lines) else ""
    column = len(text) - len(text.lstrip()) + 1
    end = max(column, len(text.rstrip()) + 1)
    return replace(NO_LINE, line=number, column=column, end_line=number, end_column=end)
