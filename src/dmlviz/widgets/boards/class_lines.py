"""What wall and speaker's screen say of the phones in the room."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from ...scene.spans import PLAIN, RULER, WARN, Line, Span, Style, fitting, length
from ...session.class_status import Place
from ...workspace.wall.presented_item import Item
from ...workspace.wall.room import ClassRoom
from ...workspace.wall.wall_state import NotesState, WallState

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAR = 24
"""Columns of the bar of a step that all are at."""
STEP = 14
"""Columns of a step's name, at most."""
GAP = 3
"""Columns between two students in the table."""
DONE, MISSED = "✓", "✗"


def wall_class(state: WallState, *, short: bool = False) -> Line:
    """The beginning of the wall's footer: how many have answered, how long it is open, and the key to the code."""
    room, say = state.room, state.item.say
    if room is None:
        return [Span(f"{say('present.room_away')}   ", RULER)] if state.away else []
    told = _how_many(room, state.item) if room.open_for else say("present.room_joined", count=room.status.joined)
    if short and room.open_for and room.status.asked:
        told = f"{room.status.answered}/{room.status.joined} · {room.open_for}"
    code = "" if short else f" {'code'}"
    return [Span(told, STRONG), Span(" · ", PLAIN), Span("J", ACCENT), Span(f"{code}   ", PLAIN)]


def _how_many(room: ClassRoom, item: Item) -> str:
    """How many have answered, and since when they may; how many have joined, where phones don't ask."""
    if not room.status.asked:
        return item.say("present.room_joined", count=room.status.joined)
    told = item.say("present.room_answered", count=room.status.answered, total=room.status.joined)
    return f"{told} · {room.open_for}" if room.open_for else told


def notes_class_lines(state: NotesState, width: int) -> list[Line]:
    """How the phones are, for the speaker: how many answered, how many are lost, and what their server can't do."""
    room, say = state.room, state.item.say
    if room is None:
        return [[], *wrapped_lines(say("present.room_away_notes"), WARN, width)] if state.away else []
    status, told = room.status, _how_many(room, state.item)
    if not status.asked and not status.own_pace:
        told += f" · {say('present.room_not_asked')}"
    lost = say("present.room_lost_one" if status.lost == 1 else "present.room_lost", count=status.lost)
    line: Line = [Span(told, STRONG), Span(f"   {lost}" if status.lost else "", WARN)]
    line.append(Span(f"   {say('present.room_connected')}", RULER))
    return [[], fitting(line, width), *wrapped_lines(status.trouble, WARN, width)]


def progress_lines(counts: Sequence[int], item: Item, width: int, height: int) -> list[Line]:
    """How many are at each step, and how many are done: a bar each, or several in a line where there is little room."""
    total, names = sum(counts), [item.say("present.room_step", number=k + 1) for k in range(len(counts) - 1)]
    names.append(item.say("present.room_done"))
    head = min(STEP, max(map(len, names), default=0))
    bar = min(BAR, width - head - 6)
    if len(counts) <= height and bar >= 4:
        return [
            [
                Span(f"{name:<{head}} ", RULER),
                Span(f"{count:>3}  ", STRONG if count else PLAIN),
                Span("█" * round(count * bar / total) if total else "", PLAIN),
            ]
            for name, count in zip(names, counts, strict=True)
        ]
    shorts = [f"{k + 1}:{count}" for k, count in enumerate(counts[:-1])]
    shorts.append(f"{names[-1]}:{counts[-1]}")
    return [[Span(line, PLAIN)] for line in textwrap.wrap("  ".join(shorts), max(8, width))][: max(0, height)]


def own_pace_lines(state: NotesState, width: int, height: int) -> list[Line]:
    """Where each student is, by number, with the steps that were missed; above that, which step most fail at."""
    room, item = state.room.status if state.room else None, state.item
    if room is None:
        return []
    failed = Counter(step for place in room.places for step in place.missed)
    lines: list[Line] = [[]]
    if failed:
        step, count = failed.most_common(1)[0]
        tried = sum(place.step > step or step in place.missed for place in room.places)
        told = item.say("present.room_fails_most", number=step + 1, count=count, total=tried)
        lines.append(fitting([Span(told, STRONG)], width))
    if not room.places:
        return lines
    lines.append(fitting([Span(item.say("present.room_table", done=DONE, missed=MISSED), RULER)], width))
    cells = [_student(place, room.tasks, item) for place in sorted(room.places, key=lambda place: place.student)]
    columns = max(map(length, cells)) + GAP
    across = max(1, (width + GAP) // columns)
    rows, most = -(-len(cells) // across), max(1, height - len(lines))
    shown = rows if rows <= most else max(1, most - 1)  # the last line says how many there are besides
    for row in range(shown):
        picked = cells[row : shown * across : shown]
        lines.append([span for cell in picked for span in (*cell, Span(" " * (columns - length(cell)), PLAIN))][:-1])
    if len(cells) > shown * across:
        lines.append([Span(item.say("present.room_more", count=len(cells) - shown * across), RULER)])
    return lines


def _student(place: Place, tasks: int, item: Item) -> Line:
    """One student in the table: a number, where they are, and what they missed."""
    at = DONE if place.step >= tasks else f"{place.step + 1}"
    missed = ",".join(f"{step + 1}" for step in place.missed)
    return [
        Span(f"{place.student:>3} ", RULER),
        Span(f"{at:>3}", RULER if place.lost else STRONG),
        Span(f"  {MISSED} {missed}" if missed else "", RULER if place.lost else WARN),
        Span(f"  {item.say('present.room_lost_mark')}" if place.lost else "", RULER),
    ]


def wrapped_lines(text: str, style: Style, width: int) -> list[Line]:
    """A text in lines of `width` columns, or of a few where there are fewer."""
    return [[Span(part, style)] for part in textwrap.wrap(text, max(8, width))]
