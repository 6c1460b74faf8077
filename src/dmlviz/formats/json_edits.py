"""A JSON Patch as edits of the text that it is meant for: what they don't name stays as it is, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from .json_places import JsonPlaces


class Edit(Struct, frozen=True):
    """Characters of a text, from `start` to `end`, that `text` takes the place of."""

    start: int
    end: int
    text: str


def edits_of(text: str, places: JsonPlaces, root: str, patch: Iterable[Mapping[str, Any]]) -> tuple[Edit, ...] | None:
    """The edits that make a patch of the value at the pointer `root`, in order; None where they can't be made.

    A tensor or a desc may stand in a `Desc` of its own, and a desc's fields beside its `type`, as in DxDispatch models.
    What is replaced or removed and isn't there is left out: whoever infers it infers the new one. The caller holds
    what comes out against what was meant.
    """
    made: list[Edit] = []
    for operation in patch:
        parent, left = _reached(places, root, operation["path"].split("/")[1:])
        value = None if operation["op"] == "remove" else json.dumps(operation["value"], ensure_ascii=False)
        if left and (value is None or operation["op"] == "replace"):
            continue
        if len(left) > 1 or (parent == root and not left):
            return None
        if left:
            edit = _added(text, places, parent, f"{json.dumps(_plain(left[0]))}: {value}")
        elif value is None:
            edit = _removed(places, parent)
        else:
            start, end, _ = places.spans[parent]
            edit = Edit(start, end, value)
        if edit is None:
            return None
        made.append(edit)
    made.sort(key=lambda edit: (edit.start, edit.end))
    return None if any(_collide(before, edit) for before, edit in pairwise(made)) else tuple(made)


def _collide(before: Edit, edit: Edit) -> bool:
    """True for edits that overlap, and for a member that is added where the one beside it is taken out."""
    return edit.start < before.end or (edit.start == before.end and bool(before.text) != bool(edit.text))


def applied(text: str, edits: Sequence[Edit]) -> str:
    """The text after edits in order, none of which reaches into another."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, text[at:]])


def _reached(places: JsonPlaces, root: str, keys: list[str]) -> tuple[str, list[str]]:
    """The pointer that keys lead to from `root` as far as they do, and the keys that are left."""
    at = root
    for i, key in enumerate(keys):
        ways = [f"{at}/{key}", f"{at}/Desc/{key}", f"{at}/desc/{key}", f"{at}/{key.capitalize()}"]
        found = next((way for way in ways if way in places.spans), None)
        if found is None and key == "desc":
            continue
        if found is None:
            inner = f"{at}/Desc" if f"{at}/Desc" in places.spans else at
            return inner, keys[i:]
        at = found
    return at, []


def _plain(key: str) -> str:
    return key.replace("~1", "/").replace("~0", "~")


def _members(places: JsonPlaces, pointer: str) -> list[tuple[int, int, int]]:
    """Start, end and key of the members of an object, in order."""
    start, end, _ = places.spans[pointer]
    deep = pointer.count("/") + 1
    inside = (
        span
        for child, span in places.spans.items()
        if child.startswith(f"{pointer}/") and child.count("/") == deep and start <= span[0] < end
    )
    return sorted(inside, key=lambda span: span[0])


def _added(text: str, places: JsonPlaces, pointer: str, member: str) -> Edit | None:
    """A member more in an object, behind its others and spaced as they are."""
    start, end, _ = places.spans[pointer]
    if text[start] != "{":
        return None
    members = _members(places, pointer)
    if not members:
        return Edit(start + 1, end - 1, member)
    last, at = members[-1], members[-1][1]
    before = members[-2][1] if len(members) > 1 else start
    gap = text[before : last[2]].lstrip(",{")
    return Edit(at, at, f",{gap if gap.isspace() else ' '}{member}")


def _removed(places: JsonPlaces, pointer: str) -> Edit | None:
    """A member less in an object, with one of the commas beside it."""
    start, end, key = places.spans[pointer]
    if key < 0:
        return None
    members = _members(places, pointer.rpartition("/")[0])
    at = next(i for i, member in enumerate(members) if member[0] == start)
    if at > 0:
        return Edit(members[at - 1][1], end, "")
    return Edit(key, members[1][2] if len(members) > 1 else end, "")
