"""Work that may take long while its dialog waits: a sentence says so, and escape stops it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App
from textual.binding import Binding

from ...stopping import StoppedError
from ..background_job import in_thread
from .asking import Ask

T = TypeVar("T")

LATE = 0.3
"""Seconds after which it is said that something takes long."""


class Working(Ask):
    """Says what is going on, until that has ended or isn't wanted any more."""

    BINDINGS = [Binding("escape", "dismiss", "Stop", id="working.stop")]


async def wait_for_job(app: App[Any], what: str, job: Callable[[], T]) -> T | None:
    """What `job` returns, made in a thread behind a `Working`; None where it was stopped. Raises what `job` raises."""
    unwanted = threading.Event()
    task = asyncio.create_task(in_thread(job, unwanted))
    try:
        await asyncio.wait({task}, timeout=LATE)
        if not task.done():
            dialog = Working(f"{what} …")
            task.add_done_callback(lambda _: dialog.dismiss())
            await app.push_screen_wait(dialog)
            if not task.done():
                unwanted.set()
        return await task
    except StoppedError:
        return None
    finally:
        task.cancel()
