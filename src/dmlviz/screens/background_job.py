"""Work behind a screen that may take long: in a thread, stopped once nobody waits for it any more."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

from ..errors import DmlvizError, plain
from ..stopping import stoppable

T = TypeVar("T")
REFUSALS = (DmlvizError, OSError, MemoryError)
"""What a job may raise that is told in a sentence; all else is a fault."""


async def in_thread(job: Callable[[], T]) -> T:
    """What `job` returns or raises, made in a daemon thread; a worker that is cancelled stops it."""
    loop, ended, unwanted = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    outcome: concurrent.futures.Future[T] = concurrent.futures.Future()

    def work() -> None:
        try:
            with stoppable(unwanted):
                outcome.set_result(job())
        except BaseException as error:
            outcome.set_exception(error)
        with contextlib.suppress(RuntimeError):  # the program has ended
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=work, daemon=True).start()
    try:
        await ended.wait()
    except asyncio.CancelledError:
        unwanted.set()
        raise
    return outcome.result()


def sentence(refused: Exception) -> str:
    if isinstance(refused, MemoryError):
        return "There is too little memory for it; smaller tensors may do."
    if isinstance(refused, OSError):
        where = f"{plain(str(refused.filename))}: " if refused.filename is not None else ""
        return f"{where}{plain(refused.strerror or 'it cannot be read')}."
    return str(refused)
