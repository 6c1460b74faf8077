"""Opens a presentation over the explorer: the wall, or the speaker's screen."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from ...errors import DmlvizError
from ...session.experiments import Session
from ...session.presentation_state import StateFile
from ...workspace.wall.wall_desk import WallDesk
from .pages import SpeakerPage
from .wall import Attend, WallPage


def open_presentation(
    explorer: Screen[Any],
    session: Session,
    name: str | None,
    *,
    notes: bool = False,
    begins: int | None = None,
    closed: Callable[[], object] = lambda: None,
    attend: Attend | None = None,
) -> None:
    """Opens the wall, or with `notes` the speaker's screen; or says why it can't be.

    `name` is what the state file is named after; None where nothing is to be kept. `begins` is an experiment's number,
    from 0; None goes on where the presentation stands. `closed` is called once it is left, or can't be opened. `attend`
    has a class on phones follow it.
    """
    kept = None
    with contextlib.suppress(RuntimeError):  # nobody knows the user's own folder
        kept = StateFile(name) if name is not None else None
    try:
        desk = WallDesk(session, time.time, kept=kept, begins=begins)
    except DmlvizError as error:
        explorer.notify(str(error), severity="error", markup=False)
        closed()
        return
    if attend is None and not notes:  # a class that was held here before is over
        desk.hear(None, joining=False)
    screen = SpeakerPage(desk) if notes else WallPage(desk, attend=attend)

    def left(_: None) -> None:
        closed()

    explorer.app.push_screen(screen, left)
