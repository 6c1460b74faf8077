"""What wall and speaker's screen say of the phones in the room."""

from __future__ import annotations

import textwrap

from ...scene.spans import PLAIN, WARN, Line, Span, Style, fitting
from ...workspace.wall.presented_item import Item
from ...workspace.wall.room import ClassRoom
from ...workspace.wall.wall_state import NotesState, WallState

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)


def wall_class(state: WallState, *, short: bool = False) -> Line:
    """The beginning of the wall's footer: how many have answered, how long it is open, and the key to the code."""
    room, say = state.room, state.item.say
    if room is None:
        return []
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
    """How the phones are, for the speaker: how many answered, and what their server can't do."""
    room, say = state.room, state.item.say
    if room is None:
        return []
    status, told = room.status, _how_many(room, state.item)
    if not status.asked:
        told += f" · {say('present.room_not_asked')}"
    return [[], fitting([Span(told, STRONG)], width), *wrapped_lines(status.trouble, WARN, width)]


def wrapped_lines(text: str, style: Style, width: int) -> list[Line]:
    """A text in lines of `width` columns, or of a few where there are fewer."""
    return [[Span(part, style)] for part in textwrap.wrap(text, max(8, width))]
