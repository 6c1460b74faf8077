"""What an edit made of the outputs; what a fix changes, before and after, with what differs marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...desc.base import Desc
from ...desc.tensors import braces
from ...operators.report import Change, Fix
from ..changes import Counts


def changes_words(counts: Counts) -> tuple[str, str]:
    """`4 of 12 changed`, or `12 elements are now 16: 4 changed`; and in short, for where that doesn't fit."""
    after, changed = counts.after, counts.changed
    short = f"{changed:,} of {after:,} changed" if changed else "not counted" if changed is None else "nothing changed"
    if counts.before == after:
        return short, short
    sizes = f"{counts.before:,} element{'s are' if counts.before != 1 else ' is'} now {after:,}"
    return f"{sizes}: {short}", short


class Piece(NamedTuple):
    """Part of a diff's text; `new` where the other side has something else."""

    text: str
    new: bool


def words_after_fix(desc: Desc, fix: Fix) -> str:
    """What is so after a fix: `then every check passes; OutputTensor {3, 1, 2}`, where the output follows by itself.

    What it does to the data comes first: `loses 3 of 6 elements of IndicesTensor, then every check passes`.
    """
    return ", ".join(filter(None, (fix.effect, _rules_after(desc, fix))))


def _rules_after(desc: Desc, fix: Fix) -> str:
    """How many checks stay broken after a fix; else that all pass, and the output that follows by itself."""
    if fix.left:
        return "1 check still fails" if fix.left == 1 else f"{fix.left:,} checks still fail"
    before = {part.path: part.tensor.sizes for part in desc.outputs}
    told = {change.what for change in fix.changes}
    follow = [
        f"; {part.path} {braces(part.tensor.sizes)}"
        for part in fix.desc.outputs
        if part.path not in told and part.tensor.sizes != before.get(part.path)
    ]
    return "then every check passes" + "".join(follow[:1])


def diff(change: Change) -> tuple[list[Piece], list[Piece]]:
    """Before and after, with what differs marked; sizes are held against each other from the last one."""
    before, after = (re.findall(r"-?\w+|[^\w-]+|-", text) for text in (change.before, change.after))
    return _compared(before, after), _compared(after, before)


def _compared(tokens: Sequence[str], other: Sequence[str]) -> list[Piece]:
    """The tokens in pieces, with words marked that differ from those of `other`, counted from the last one."""
    words = [token for token in other if token[-1].isalnum()]
    rest = sum(token[-1].isalnum() for token in tokens)
    pieces: list[Piece] = []
    for token in tokens:
        new = False
        if token[-1].isalnum():
            new = rest > len(words) or words[-rest] != token
            rest -= 1
        if pieces and pieces[-1].new == new:
            pieces[-1] = Piece(pieces[-1].text + token, new)
        else:
            pieces.append(Piece(token, new))
    return pieces
