"""Edits of a JSON text that make one value of another there, and leave every other byte as it is.

The text may have comments and trailing commas, as `json_places` reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from .json_places import in_pointer

Spans = Mapping[str, tuple[int, int, int]]
"""As `json_places.spans` gives them: start, end and the start of the key, by pointer."""


class Edit(Struct, frozen=True, order=True):
    """Characters from `start` to `end` of a text, and what stands there afterwards."""

    start: int
    end: int
    text: str


def applied(text: str, edits: Iterable[Edit]) -> str:
    """The text after edits that don't overlap."""
    pieces, at = [], 0
    for edit in sorted(edits):
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join(pieces) + text[at:]


def edits_between(text: str, spans: Spans, pointer: str, before: Any, after: Any) -> list[Edit]:
    """The edits that make `after` of `before`, which is what stands at `pointer`; they don't overlap."""
    start, end, _ = spans[pointer]
    return _merged(
        _Writer(text, spans, spaced=re.search(r"[,:] ", text[start:end]) is not None).at(pointer, before, after)
    )


def _merged(edits: Iterable[Edit]) -> list[Edit]:
    """Edits in their order, with what is inserted just where something is removed as one edit."""
    found: list[Edit] = []
    for edit in sorted(edits):
        if found and found[-1].end == edit.start:
            last = found.pop()
            edit = Edit(last.start, edit.end, last.text + edit.text)
        found.append(edit)
    return found


class _Writer:
    """Writes as the text around is written."""

    def __init__(self, text: str, spans: Spans, spaced: bool) -> None:
        self._text, self._spans = text, spans
        self._separators = (", ", ": ") if spaced else (",", ":")

    def at(self, pointer: str, before: Any, after: Any) -> Iterator[Edit]:
        """The edits of the value at a pointer."""
        if _is_same(before, after):
            return
        children, kept, added = self._children(pointer, before), dict[int, Any](), list[str]()
        behind = 0
        """How many items stand in front of those that are added."""
        if isinstance(before, dict) and isinstance(after, dict):
            kept = {i: after[key] for i, key in enumerate(before) if key in after}
            new = {key: value for key, value in after.items() if key not in before}
            added = [f"{self._written(key)}{self._separators[1]}{self._written(value)}" for key, value in new.items()]
            behind = max(kept, default=-1) + 1
        elif isinstance(before, list) and isinstance(after, list):
            shorter = min(len(before), len(after))
            head = next((i for i in range(shorter) if not _is_same(before[i], after[i])), shorter)
            rest = range(shorter - head)
            tail = next((i for i in rest if not _is_same(before[-1 - i], after[-1 - i])), shorter - head)
            behind = shorter - tail
            kept = {i: after[i] for i in range(behind)}
            kept |= {i: after[i - len(before)] for i in range(len(before) - tail, len(before))}
            added = [self._written(value) for value in after[behind : len(after) - tail]]
        if not kept or len(children) != len(before):
            start, end, _ = self._spans[pointer]
            yield Edit(start, end, self._written(after))
            return
        values = [*before.values()] if isinstance(before, dict) else before
        for i, value in kept.items():
            yield from self.at(children[i], values[i], value)
        spans = [self._spans[child] for child in children]
        items = [(key if isinstance(before, dict) else start, end) for start, end, key in spans]
        yield from _removed(items, kept)
        if added:
            between, at = self._gap(pointer, items), items[behind - 1][1] if behind else items[0][0]
            yield Edit(at, at, "".join(between + text if behind else text + between for text in added))

    def _children(self, pointer: str, value: Any) -> list[str]:
        """The pointers of what lies in an object or a list, as far as they are known."""
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        pointers = (f"{pointer}/{in_pointer(str(key))}" for key in keys)
        return [child for child in pointers if child in self._spans]

    def _written(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=self._separators)

    def _gap(self, pointer: str, items: Sequence[tuple[int, int]]) -> str:
        """What stands between two items: as between the first two, or else as before the first one."""
        if len(items) > 1:
            gap = self._text[items[0][1] : items[1][0]]
            if re.fullmatch(r",\s*", gap):
                return gap
        blank = self._text[self._spans[pointer][0] + 1 : items[0][0]]
        return f",{blank}" if "\n" in blank and not blank.strip() else self._separators[0]


def _removed(items: Sequence[tuple[int, int]], kept: Container[int]) -> Iterator[Edit]:
    """Removes the items that are not kept, each run of them with the comma beside it; one of them is kept."""
    for i in range(len(items)):
        if i not in kept and (not i or i - 1 in kept):
            after = next((j for j in range(i, len(items)) if j in kept), len(items))
            yield Edit(items[i - 1][1], items[after - 1][1], "") if i else Edit(items[0][0], items[after][0], "")


def _is_same(one: Any, other: Any) -> bool:
    """True for equal JSON; 1, 1.0 and true are three."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return type(one) is type(other) and bool(one == other)
