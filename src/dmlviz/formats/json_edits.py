"""Edits of a JSON text that make one value of another there, and leave every other byte as it is.

The text may have comments and trailing commas, as `json_places` reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

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
        children: list[tuple[str, tuple[int, int, int]]] = []
        if type(before) is type(after) and isinstance(before, (dict, list)):
            keys = map(str, before if isinstance(before, dict) else range(len(before)))
            pointers = (f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}" for key in keys)
            children = [(child, self._spans[child]) for child in pointers if child in self._spans]
        if children and len(children) == len(before):
            edits = self._of_object if isinstance(before, dict) else self._of_list
            yield from edits(pointer, children, before, after)
            return
        start, end, _ = self._spans[pointer]
        yield Edit(start, end, self._written(after))

    def _written(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, separators=self._separators)

    def _of_object(
        self, pointer: str, children: list[tuple[str, tuple[int, int, int]]], before: Any, after: Any
    ) -> Iterator[Edit]:
        kept = [key in after for key in before]
        added = [
            f"{self._written(key)}{self._separators[1]}{self._written(after[key])}"
            for key in after
            if key not in before
        ]
        if not any(kept):
            start, end, _ = self._spans[pointer]
            yield Edit(start, end, self._written(after))
            return
        for (child, _), key in zip(children, before, strict=True):
            if key in after:
                yield from self.at(child, before[key], after[key])
        items = [(span[2], span[1]) for _, span in children]
        yield from self._removed(pointer, items, kept)
        last = max(i for i, is_kept in enumerate(kept) if is_kept)
        yield from self._inserted(pointer, items, last + 1, added)

    def _of_list(
        self, pointer: str, children: list[tuple[str, tuple[int, int, int]]], before: Any, after: Any
    ) -> Iterator[Edit]:
        shorter = min(len(before), len(after))
        head = next((i for i in range(shorter) if not _is_same(before[i], after[i])), shorter)
        rest = range(shorter - head)
        tail = next((i for i in rest if not _is_same(before[-1 - i], after[-1 - i])), shorter - head)
        paired = min(len(before), len(after)) - tail
        if not paired and not tail:
            start, end, _ = self._spans[pointer]
            yield Edit(start, end, self._written(after))
            return
        for i in range(head, paired):
            yield from self.at(children[i][0], before[i], after[i])
        items = [(span[0], span[1]) for _, span in children]
        gone = range(paired, len(before) - tail)
        yield from self._removed(pointer, items, [i not in gone for i in range(len(before))])
        added = [self._written(value) for value in after[paired : len(after) - tail]]
        yield from self._inserted(pointer, items, paired, added)

    def _removed(self, pointer: str, items: Sequence[tuple[int, int]], kept: Sequence[bool]) -> Iterator[Edit]:
        """Removes the items that are not kept, of which there is one, each run of them with the comma beside it."""
        for i, is_kept in enumerate(kept):
            if is_kept or (i and not kept[i - 1]):
                continue
            after = next((j for j in range(i, len(kept)) if kept[j]), None)
            if i:
                yield Edit(items[i - 1][1], items[(after or len(kept)) - 1][1], "")
            else:
                yield Edit(items[0][0], items[after or 0][0], "")

    def _inserted(
        self, pointer: str, items: Sequence[tuple[int, int]], at: int, added: Sequence[str]
    ) -> Iterator[Edit]:
        """Inserts items before the one that is `at` there; behind the last where that is none."""
        if not added:
            return
        between = self._gap(pointer, items)
        if at:
            end = items[at - 1][1]
            yield Edit(end, end, "".join(between + text for text in added))
        else:
            yield Edit(items[0][0], items[0][0], "".join(text + between for text in added))

    def _gap(self, pointer: str, items: Sequence[tuple[int, int]]) -> str:
        """What stands between two items: as between the first two, or else as before the first one."""
        if len(items) > 1:
            gap = self._text[items[0][1] : items[1][0]]
            if re.fullmatch(r",\s*", gap):
                return gap
        blank = self._text[self._spans[pointer][0] + 1 : items[0][0]]
        return f",{blank}" if "\n" in blank and not blank.strip() else self._separators[0]


def _is_same(one: Any, other: Any) -> bool:
    """True for equal JSON; 1, 1.0 and true are three."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return type(one) is type(other) and bool(one == other)
