"""What the wall and the speaker's screen show at one moment: frozen values."""

from __future__ import annotations

from msgspec import Struct

from ...scene.view_state import ViewState
from ...session.class_status import ClassStatus, Said
from ...session.presentation_state import Presented
from ..asking.asked_desc import FieldState, TableState
from ..shown.state import PicturedState
from .presented_item import Item


class Notes(Struct, frozen=True, kw_only=True):
    """What the room must not see."""

    name: str
    counted: tuple[Said, ...]
    next: str
    """The question of the next experiment, with its number."""
    typing: str


class WallState(PicturedState, frozen=True, kw_only=True):
    """What the wall shows. No hands are in it before the reveal, but in `notes`."""

    at: Presented
    """Where the presentation stands, without hands and phones."""
    item: Item
    view: ViewState
    """Of the desc that is shown: after the reveal the solution's, where there is one."""
    title: str
    """The lesson's; "" for a session that is none."""
    name: str
    """The experiment's; "" while something is asked, which it might tell."""
    count: int
    """Experiments in the session."""
    elapsed: str
    told: bool
    """The answer may be seen."""
    drawn: bool
    """Tensors are drawn as a picture."""
    invalid: bool
    """The desc is marked as invalid."""
    fields: tuple[FieldState, ...]
    """The desc's numbers, as far as they may be seen."""
    tables: tuple[TableState, ...]
    """Its tensors, where no picture shows them."""
    counted: tuple[Said, ...]
    """() until the reveal."""
    hands: str
    """How many hands there are, once all are counted: numbers of single ones would follow from their sum."""
    sentences: tuple[str, ...]
    """What was revealed."""
    typing: str
    """What is being typed: an experiment's number, or for which answer."""
    sentence: str
    notes: Notes | None
    """The speaker's; None where the room alone is shown something."""
    room: ClassStatus | None
    """How the phones stand, without what they said; None where there are none."""
