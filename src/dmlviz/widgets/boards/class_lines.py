"""What wall and speaker's screen say of the phones in the room."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from ...scene.spans import PLAIN, RULER, WARN, Line, Span, Style, fitting, length
from ...session.class_status import Place
from ...teaching.words.catalogue import key_text
from ...workspace.wall.presented_item import Item
from ...workspace.wall.wall_state import NotesState, WallState

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAR = 24
"""Columns of the bar of a step that all are at."""
STEP = 14
"""Columns of a step's name, at most."""
GAP = 3
"""Columns between two students in the table."""
DONE, MISSED = "✓", "✗"


def wall_class(state: WallState) -> Line:
    """The beginning of the wall's footer: how many have answered, how long it is open, and the key to the code."""
    room, say = state.room, state.item.say
    if room is None:
        return [Span(f"{say('present.room_away')}   ", RULER)] if state.away else []
    if room.asked and room.open_for:
        told = f"{say('present.room_answered', count=room.answered, total=room.joined)} · {room.open_for}"
    else:
        told = say("present.room_joined", count=room.joined)
    return [
        Span(told, STRONG),
        Span(" · ", PLAIN),
        Span("J", ACCENT),
        Span(f" {key_text(state.item.lang, 'code')}   ", PLAIN),
    ]


def notes_class_lines(state: NotesState, width: int) -> list[Line]:
    """How the phones are, for the speaker: how many answered, how many are lost, and what their server can't do."""
    room, say = state.room, state.item.say
    if room is None:
        return [[], *_wrapped(say("present.room_away_notes"), WARN, width)] if state.away else []
    if room.asked and room.open_for:
        told = f"{say('present.room_answered', count=room.answered, total=room.joined)} · {room.open_for}"
    elif room.asked:
        told = say("present.room_answered", count=room.answered, total=room.joined)
    else:
        told = say("present.room_joined", count=room.joined)
    if not room.asked and not room.own_pace:
        told += f" · {say('present.room_not_asked')}"
    lost = say("present.room_lost_one") if room.lost == 1 else say("present.room_lost", count=room.lost)
    line: Line = [Span(told, STRONG), Span(f"   {lost}" if room.lost else "", WARN)]
    line.append(Span(f"   {say('present.room_connected')}", RULER))
    return [[], fitting(line, width), *(_wrapped(room.trouble, WARN, width) if room.trouble else [])]


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
    room, item = state.room, state.item
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
    columns = max(map(length, cells))
    across = max(1, (width + GAP) // (columns + GAP))
    rows = -(-len(cells) // across)
    most = max(1, height - len(lines))
    if rows > most:  # the last line says how many there are besides
        most = max(1, most - 1)
    shown = min(rows, most)
    for row in range(shown):
        line: Line = []
        for cell in cells[row : shown * across : shown]:
            line += [*cell, Span(" " * (columns + GAP - length(cell)), PLAIN)]
        lines.append(fitting(line, width))
    if len(cells) > shown * across:
        lines.append([Span(item.say("present.room_more", count=len(cells) - shown * across), RULER)])
    return lines


def _student(place: Place, tasks: int, item: Item) -> Line:
    """One student in the table: a number, where they are, and what they missed."""
    at = DONE if place.step >= tasks else f"{place.step + 1}"
    missed = ",".join(f"{step + 1}" for step in place.missed)
    style = RULER if place.lost else PLAIN
    line: Line = [Span(f"{place.student:>3} ", RULER), Span(f"{at:>3}", style if place.lost else STRONG)]
    line.append(Span(f"  {MISSED} {missed}" if missed else "", WARN if not place.lost else RULER))
    if place.lost:
        line.append(Span(f"  {item.say('present.room_lost_mark')}", RULER))
    return line


def _wrapped(text: str, style: Style, width: int) -> list[Line]:
    return [[Span(part, style)] for part in textwrap.wrap(text, width)]
