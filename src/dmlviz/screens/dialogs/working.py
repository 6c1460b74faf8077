"""Work that may take long while its dialog waits: a sentence says so, and escape stops it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label

from ...stopping import StoppedError
from ..background_job import in_thread
from .dialog import Dialog

T = TypeVar("T")

LATE = 0.3
"""Seconds after which it is said that something takes long."""


class Working(Dialog[None]):
    """Says what is going on; it goes once that has ended, and `stop` is called where it shouldn't go on."""

    BINDINGS = [Binding("escape", "stop", "Stop", id="working.stop")]

    def __init__(self, what: str, stop: Callable[[], None]) -> None:
        super().__init__()
        self._what, self._stop = what, stop

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(f"{self._what} …", classes="question", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Stop (esc)", id="stop", action="screen.stop")

    def action_stop(self) -> None:
        self._stop()
        self.query_one(".question", Label).update("stopping …")

    def close_soon(self) -> None:
        """Has the dialog close itself, also where it is not mounted yet."""
        self.call_later(self._dismiss_late, None)


async def wait_for_job(app: App[Any], what: str, job: Callable[[], T]) -> T | None:
    """What `job` returns, made in a thread behind a `Working`; None where it was stopped. Raises what `job` raises."""
    unwanted = threading.Event()
    task = asyncio.create_task(in_thread(job, unwanted))
    try:
        await asyncio.wait({task}, timeout=LATE)
        if not task.done():
            dialog = Working(what, unwanted.set)
            task.add_done_callback(lambda _: dialog.close_soon())
            await app.push_screen_wait(dialog)
            if not task.done():
                unwanted.set()  # it was closed otherwise
        return await task
    except StoppedError:
        return None
    finally:
        task.cancel()
