"""What stands in one cell: a value with a letter or a sign, an answer, or a block of colour with its letter."""

from __future__ import annotations

from ..cells.cells import CLAMPED_SIGN, Cell
from ..digits import HIGH, digit_line
from ..layout.figure import Figure
from ..look import Entry, EntryKind
from ..spans import Style

SIGNS = {
    EntryKind.ASKED: "?",
    EntryKind.WAITS: "?",
    EntryKind.ABOUT: "▸",
    EntryKind.MARK: "▣",
    EntryKind.RIGHT: "✓",
    EntryKind.WRONG: "✗",
    EntryKind.MISSED: "○",
}
"""What tells entries apart without colour too."""
MARKED = "▌▐"
"""Brackets inside a block, in the colour of text, because there is no room beside it."""


def block_of(figure: Figure, cell: Cell) -> tuple[str, Style]:
    """The two columns of a block, and their style."""
    name, place = cell.letter if figure.letters == "cell" else "", cell.place.strip()
    if cell.is_marked:
        text = MARKED
    elif not cell.is_known:
        text = cell.text.center(2)
    elif cell.is_unread:
        text = "×0"
    elif cell.is_nowhere:
        text = cell.letter
    else:
        is_clamped = cell.sign == CLAMPED_SIGN and len(name) < 2
        text = f"{name}!" if is_clamped else name if 0 < len(name) <= 2 else "▪"
        text += place if len(text + place) == 2 else ""
    return f"{text:<2}", cell.small_style


def value_of(figure: Figure, cell: Cell) -> tuple[str, Style]:
    """A cell's text, with an answer, or a letter, sign and place; and its style."""
    # Bold tells a marked cell without colour where cells are lower.
    style = cell.style._replace(strong=figure.lines > 3)
    width = figure.cell
    if cell.entry is not None and cell.is_answered:
        return entered(cell.text if cell.is_known else "", cell.entry, width), style
    if not cell.is_known:
        return cell.text.center(width), style
    if large := large_line(figure, cell, 0):
        return large, style
    place = cell.place
    text = _text(figure, cell, width - len(place), apart=bool(place.strip()))
    if place.strip() and ("…" in text or not text.endswith((" ", CLAMPED_SIGN))):
        # Right behind a value it would be read as a part of that, and it is no reason to cut one.
        place, text = "", _text(figure, cell, width)
    return text + place, style


def large_line(figure: Figure, cell: Cell, line: int) -> str:
    """Line -1, 0 or 1 of a number as high as its cell, with its sign and place behind it; "" where there is none."""
    if figure.lines <= HIGH or abs(line) > HIGH // 2 or not cell.is_known or cell.entry is not None:
        return ""
    text = digit_line(cell.text, line + HIGH // 2)
    behind = "" if line else f"{cell.sign}{cell.place.strip()}"
    start = (figure.cell - len(text)) // 2
    if not text or start + len(text) + len(behind) > figure.cell:
        return ""
    return f"{' ' * start}{text}".ljust(figure.cell - len(behind)) + behind


def is_cornered(figure: Figure) -> bool:
    """True if letters stand in the corner of their cells, over the value, and not before it."""
    return figure.lines > 3


def name_in(figure: Figure, cell: Cell) -> str:
    """The letter, or the sign of what has no source, that stands in a cell; "" for none."""
    return cell.letter if figure.letters == "cell" or cell.is_nowhere else ""


def _text(figure: Figure, cell: Cell, columns: int, *, apart: bool = False) -> str:
    """A value with letter and sign, cut to so many columns; `apart` from what follows by a last blank."""
    text, sign = cell.text, cell.sign or " "
    name = "" if is_cornered(figure) else name_in(figure, cell)
    room, pad, prefix = columns - 2, " ", ""
    if name:
        room -= len(name) + 1
        prefix = f"{name} "
        if len(text) == room + 1 and sign == " " and not apart:
            room, sign = room + 1, ""
        if len(text) > room:  # the letter moves up against the value before that is cut
            room, pad, prefix = room + 2, "", name
        # The sign of a cell from nowhere takes the room that others have for theirs.
        if len(text) > room and cell.is_nowhere and sign == " ":
            room, sign = room + 1, ""
    elif len(text) > room:
        room, pad = room + 1, ""
    if len(text) > room:
        text = text[: max(0, room - 1)] + "…"
    if figure.paged:
        return f"{pad}{prefix}{text:>{max(0, room)}}{sign}"
    text += sign.strip()
    if pad or not prefix:
        return _centred(pad + prefix, text, columns, keeps_edge=not prefix)
    free = columns - len(prefix + text)
    between = " " * (free % 2 and free > apart)  # so that both stand in the middle
    return _centred("", prefix + between + text, columns, keeps_edge=True)


def entered(held: str, entry: Entry, cell: int) -> str:
    """A cell of so many columns with what a user has said of it, beside its value or in its place."""
    answer, sign = entry.text, SIGNS[entry.kind]
    if entry.kind in (EntryKind.ASKED, EntryKind.WAITS):
        text = answer or sign
        return (text if len(text) <= cell else "…" + text[1 - cell :]).center(cell)
    if entry.kind in (EntryKind.MARK, EntryKind.ABOUT):
        ways = [f"{sign} {held}", f"{sign}{held}", sign]
    elif answer:  # each value has its own sign before it: `3 ✗5` would be read as a product
        true = f"{SIGNS[EntryKind.RIGHT]}{held}"
        ways = [f"{sign}{answer} {true}", f"{sign}{answer}{true}", true]
    else:
        ways = [f"{held} {sign}", f"{held}{sign}"]
    return next((way for way in ways if len(way.strip()) <= cell), sign).strip().center(cell)


def _centred(before: str, text: str, cell: int, *, keeps_edge: bool) -> str:
    """`before`, then `text` in the middle of the cell if `keeps_edge`, else of what `before` leaves of it."""
    free = cell - len(before)
    start = (cell - len(text)) // 2 - len(before) if keeps_edge else (free - len(text)) // 2
    return before + (" " * max(0, min(start, free - len(text))) + text).ljust(free)
