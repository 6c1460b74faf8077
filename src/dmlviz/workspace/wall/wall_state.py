"""What the wall and the speaker's screen show at one moment: frozen values."""

from __future__ import annotations

from msgspec import Struct

from ...scene.elements.cursor import Cursor
from ...session.presentation_state import Build
from ..asking.ask_state import AskState, FieldState
from ..shown.state import PicturedState
from .presented_item import Item
from .room import ClassRoom
from .votes import Vote


class Heading(Struct, frozen=True, kw_only=True):
    """Where the lesson is."""

    title: str
    """The lesson's, or the file's or the example's name; "" on the wall for a session that is none."""
    number: int
    count: int
    name: str
    """The experiment's; "" on the wall while something is asked, which it might tell."""
    elapsed: str
    timer: str
    operator: str
    planned: str
    """How long the lesson is to take; "" where nobody says."""


class WallDesc(Struct, frozen=True, kw_only=True):
    """How the desc is shown."""

    pictured: bool
    fields: tuple[FieldState, ...]
    """The desc's numbers, where `lines` doesn't show them."""
    lines: tuple[str, ...]
    """The desc, where neither a picture nor a question shows it."""
    marked_invalid: bool
    memory: bool
    """Linear memory can be shown."""


class WallHands(Struct, frozen=True, kw_only=True):
    """What the room may know of the hands."""

    vote: int
    """Which one is counted, from 0."""
    votes: tuple[Vote, Vote] | None
    """None until the reveal."""
    counted: tuple[str, ...]
    """The answers whose hands are counted in the present vote."""
    total: int | None
    """How many hands there are, once all are counted: before, the numbers of single answers would follow."""


class NotesState(Struct, frozen=True, kw_only=True):
    """What the speaker's screen shows: the room must not see it."""

    heading: Heading
    build: Build
    item: Item
    votes: tuple[Vote, Vote]
    vote: int
    """Which one is counted, from 0."""
    advice: str
    next: str
    black: bool
    typing: str
    """What is being typed: an answer's hands, or an experiment's number."""
    sentence: str
    room: ClassRoom | None = None
    """What the phones in the room say; None where there are none."""


class WallState(PicturedState, frozen=True, kw_only=True):
    """What the wall shows. No hands are in it before the reveal."""

    heading: Heading
    build: Build
    item: Item
    desc: WallDesc
    ask: AskState | None
    """What is asked, with its answers; None where there is only `item.prompt`."""
    hands: WallHands
    sentences: tuple[str, ...]
    black: bool
    spot: tuple[Cursor, ...]
    """The element that is pointed at and its partners; () where nothing is dimmed."""
    typing: str
    sentence: str
    notes: NotesState | None
    """The speaker's screen, where both are on one."""
    room: ClassRoom | None = None
    """What the room may know of its phones; None where there are none."""
    joining: bool = False
    """How phones join is shown."""
