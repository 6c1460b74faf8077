"""What a screen knows of the phones in the room: frozen values, made of what their server tells."""

from __future__ import annotations

from msgspec import Struct

from ...session.class_status import ClassStatus
from .votes import Counted

ENOUGH = 2
"""Advice comes once one in so many has answered: of the first two answers nothing follows."""


class ClassRoom(Struct, frozen=True, kw_only=True):
    """What the wall, or the speaker's screen, knows of the room."""

    status: ClassStatus
    """As the server tells it, but for what was said. `asked` and `answered` are of the present question, in the present
    vote."""
    open_for: str
    """How long the question has been open; "" while none is."""
    said: tuple[Counted, ...]
    """Answers without letters; () on the wall before the reveal."""
    commonest: tuple[str, int, int] | None = None
    """For the speaker: (wrong rule, how many go by it, of how many answers); None where nobody goes by a known one."""
