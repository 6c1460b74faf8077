"""What the wall and the speaker's screen show at one moment: frozen values."""

from __future__ import annotations

from msgspec import Struct

from ..scene.elements.cursor import Cursor
from ..session.presentation_state import Build
from .ask_state import AskState, FieldState
from .presented_item import Answer, Item
from .state import CellState, PictureState
from .votes import Vote


class NotesState(Struct, frozen=True, kw_only=True):
    """What the speaker's screen shows: the room must not see it."""

    title: str
    """The name of the file or of the example; without one the session's title."""
    number: int
    count: int
    name: str
    """The experiment's."""
    build: Build
    prompt: str
    answers: tuple[Answer, ...]
    votes: tuple[Vote, Vote]
    vote: int
    """Which one is counted, from 0."""
    advice: str
    next: str
    said: tuple[str, ...]
    """What the reveal will tell."""
    notes: tuple[str, ...]
    elapsed: str
    timer: str
    planned: str
    """How long the lesson is to take; "" where nobody says."""
    black: bool
    typing: str
    """What is being typed: an answer's hands, or an experiment's number."""
    problem: str
    sentence: str


class WallState(Struct, frozen=True, kw_only=True):
    """What the wall shows. No hands are in it before the reveal."""

    title: str
    """The lesson's; "" for a session that is none."""
    number: int
    count: int
    name: str
    """The experiment's; "" while something is asked, which it might tell."""
    operator: str
    build: Build
    item: Item
    picture: PictureState
    pictured: bool
    ask: AskState | None
    """What is asked, with its answers; None where there is only `item.prompt`."""
    fields: tuple[FieldState, ...]
    """The desc's numbers, where `lines` doesn't show them."""
    lines: tuple[str, ...]
    """The desc, where neither a picture nor a question shows it."""
    marked_invalid: bool
    said: tuple[str, ...]
    votes: tuple[Vote, Vote] | None
    """None until the reveal."""
    counted: tuple[str, ...]
    """The answers whose hands are counted in the present vote."""
    hands: int | None
    """How many hands there are, once all are counted: before, the numbers of single answers would follow."""
    vote: int
    elapsed: str
    timer: str
    black: bool
    spot: tuple[Cursor, ...]
    """The element that is pointed at and its partners; () where nothing is dimmed."""
    typing: str
    sentence: str
    notes: NotesState | None
    """The speaker's screen, where both are on one."""

    @property
    def cell(self) -> CellState | None:
        """Nothing can be edited."""
        return None
