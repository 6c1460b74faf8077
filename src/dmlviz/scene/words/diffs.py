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
    """`4 of 12 moved`, or `12 elements are now 16: 4 are new, 3 moved`; and in short, for where that doesn't fit."""
    before, after = counts.before, counts.after
    new_or_gone = [(n, what) for n, what in ((counts.new, "new"), (counts.gone, "gone")) if n]
    moved = _moved_phrases(counts)
    if new_or_gone:
        now = "is now" if before == 1 else "are now"
        sizes = f"still {_elements_text(after)}" if before == after else f"{_elements_text(before)} {now} {after:,}"
        parts = [f"{n:,} {'is' if n == 1 else 'are'} {what}" for n, what in new_or_gone]
        return f"{sizes}: {', '.join((*parts, *moved))}", ", ".join(f"{n:,} {what}" for n, what in new_or_gone)
    if counts.moved is None:
        return f"{_elements_text(after)}: {moved[0]}", "not counted"
    if not counts.moved and not counts.other_values:
        return "nothing moved", "nothing moved"
    number, _, what = moved[0].partition(" ")
    return ", ".join((f"{number} of {after:,} {what}", *moved[1:])), f"{number} of {after:,} {what}"


def _moved_phrases(counts: Counts) -> list[str]:
    if counts.moved is None or counts.other_values is None:
        return ["what moved is not counted"]
    moved, others = counts.moved, counts.other_values
    parts = [f"{moved:,} moved"] if moved else []
    if others:
        parts.append(f"{others:,} {'has another value' if others == 1 else 'have other values'}")
    return parts or ["none moved"]


def _elements_text(count: int) -> str:
    return f"{count:,} element{'s' * (count != 1)}"


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
