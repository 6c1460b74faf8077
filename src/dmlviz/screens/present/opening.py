"""Opens a presentation over the explorer."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from ...errors import DmlvizError
from ...session.experiments import Session
from ...session.presentation_state import StateFile
from ...workspace.wall.presenting import Presenting
from .speaker import SpeakerScreen
from .wall import WallScreen


def open_presentation(
    explorer: Screen[Any],
    session: Session,
    name: str | None,
    *,
    notes: bool = False,
    room: bool = False,
    begins: int | None = None,
    closed: Callable[[], object] | None = None,
) -> None:
    """Opens the wall, for a `room` alone, or with `notes` the speaker's screen; or says why it can't be.

    `name` is what the state file is named after; None where nothing is to be kept. `begins` is an experiment's number,
    from 0; None goes on where the presentation stands. `closed` is called once it is left, or can't be opened.
    """
    kept = None
    with contextlib.suppress(RuntimeError):  # nobody knows the user's own folder
        kept = StateFile(name) if name is not None else None
    try:
        presenting = Presenting(session, time.time, kept=kept, begins=begins)
    except DmlvizError as error:
        explorer.notify(str(error), severity="error", markup=False)
        if closed is not None:
            closed()
        return
    screen = SpeakerScreen(presenting) if notes else WallScreen(presenting, room=room)

    def left(_: None) -> None:
        if closed is not None:
            closed()

    explorer.app.push_screen(screen, left)
