"""What an edit made of the outputs, in one line."""

from __future__ import annotations

from ..changes import Counts


def changes_words(counts: Counts) -> list[str]:
    """`4 of 12 moved`, or `12 elements are now 16: 4 are new, 3 moved`; shorter ones for where that doesn't fit."""
    before, after, new, gone = counts.before, counts.after, counts.new, counts.gone
    if new or gone:
        now = "is now" if before == 1 else "are now"
        sizes = f"still {_elements_text(after)}" if before == after else f"{_elements_text(before)} {now} {after:,}"
        parts = [f"{n:,} {'is' if n == 1 else 'are'} {what}" for n, what in ((new, "new"), (gone, "gone")) if n]
        tight = ", ".join(f"{n:,} {what}" for n, what in ((new, "new"), (gone, "gone")) if n)
        moved = _moved_phrases(counts)
        return [f"{sizes}: {', '.join((*parts, *moved))}", ", ".join((tight, *moved)), tight]
    if counts.moved is None:
        return [f"{_elements_text(after)}: {_moved_phrases(counts)[0]}", _moved_phrases(counts)[0], "not counted"]
    if not counts.moved and not counts.other_values:
        return ["nothing moved"]
    first, *rest = _moved_phrases(counts)
    number, _, what = first.partition(" ")
    return [", ".join((f"{number} of {after:,} {what}", *rest)), f"{number} of {after:,} {what}"]


def _moved_phrases(counts: Counts) -> list[str]:
    """How many come from elsewhere, and how many have other values, a phrase each."""
    if counts.moved is None or counts.other_values is None:
        return ["what moved is not counted"]
    moved, others = counts.moved, counts.other_values
    parts = [f"{moved:,} moved"] if moved else []
    if others:
        parts.append(f"{others:,} {'has another value' if others == 1 else 'have other values'}")
    return parts or ["none moved"]


def _elements_text(count: int) -> str:
    return f"{count:,} element{'s' * (count != 1)}"
