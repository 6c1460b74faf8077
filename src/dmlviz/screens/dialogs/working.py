"""Work that may take long while its dialog waits: a sentence says so, and escape stops it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Label

from ...stopping import StoppedError, stoppable
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
        """Closes it, from wherever that is called."""
        self.call_later(self._dismiss_late, None)


async def done(app: App[Any], what: str, job: Callable[[], T]) -> T | None:
    """What `job` returns, made in a thread; None where it was stopped. Raises what it raises."""
    loop, wish = asyncio.get_running_loop(), threading.Event()
    future: asyncio.Future[T | None] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def work() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            with stoppable(wish):
                result = job()
        except StoppedError:
            pass
        except BaseException as failure:
            error = failure
        with contextlib.suppress(RuntimeError):  # the program has ended
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=work, daemon=True).start()
    try:
        await asyncio.wait({future}, timeout=LATE)
        if not future.done():
            dialog = Working(what, wish.set)
            future.add_done_callback(lambda _: dialog.close_soon())
            await app.push_screen_wait(dialog)
            if not future.done():
                wish.set()  # it was closed otherwise
        return await future
    except asyncio.CancelledError:
        wish.set()
        raise
