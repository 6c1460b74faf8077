"""Work behind a screen that may take long: in a thread, stopped where it isn't wanted any more."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from textual.message import Message
from textual.message_pump import MessagePump

from ..errors import DmlvizError, plain
from ..stopping import StoppedError, stoppable

T = TypeVar("T")


async def in_thread(job: Callable[[], T], unwanted: threading.Event | None = None) -> T:
    """What `job` returns or raises, made in a daemon thread; StoppedError once `unwanted` has stopped it.

    A worker that is cancelled stops it too.
    """
    unwanted = unwanted or threading.Event()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
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


class BackgroundJob:
    """Runs one job at a time, and the one that was asked for last; `owner` gets a message for each that is done."""

    class Done(Message):
        """What came of the job that was asked for as `key`: its result, or the exception that it raised."""

        def __init__(self, key: Hashable, outcome: object) -> None:
            super().__init__()
            self.key = key
            self.outcome = outcome

    def __init__(self, owner: MessagePump) -> None:
        self._owner = owner
        self._key: Hashable = None  # of what was asked for last
        self._unwanted = threading.Event()
        self._task: asyncio.Task[None] | None = None

    def ask(self, key: Hashable, job: Callable[[], object]) -> None:
        """Stops the job that runs, and begins `job` after it; does nothing where a job of this `key` runs already."""
        before = self._task if self._task is not None and not self._task.done() else None
        if before is not None and key == self._key and not self._unwanted.is_set():
            return
        self._unwanted.set()
        self._key, self._unwanted = key, threading.Event()
        self._task = asyncio.create_task(self._run(key, job, self._unwanted, before))

    def forget(self) -> None:
        """Stops the job that was asked for last, or keeps it from beginning."""
        self._unwanted.set()

    async def _run(
        self, key: Hashable, job: Callable[[], object], unwanted: threading.Event, before: asyncio.Task[None] | None
    ) -> None:
        """Runs `job` once `before` has ended, and posts its outcome as `Done`; does nothing where it is unwanted."""
        if before is not None:
            await asyncio.wait({before})
        if unwanted.is_set():
            return
        try:
            outcome = await in_thread(job, unwanted)
        except StoppedError:
            return
        except Exception as error:  # the screen says it, or fails where it can be seen
            outcome = error
        self._owner.post_message(self.Done(key, outcome))


def sentence(outcome: object) -> str | None:
    """The sentence on a job's DmlvizError, OSError or MemoryError; None for what is no error. Raises other errors."""
    if isinstance(outcome, DmlvizError):
        return str(outcome)
    if isinstance(outcome, MemoryError):
        return "There is too little memory for it; smaller tensors may do."
    if isinstance(outcome, OSError):
        where = f"{plain(str(outcome.filename))}: " if outcome.filename is not None else ""
        return f"{where}{plain(outcome.strerror or 'it cannot be read')}."
    if isinstance(outcome, BaseException):
        raise outcome
    return None
