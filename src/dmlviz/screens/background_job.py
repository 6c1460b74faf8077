"""Work behind a screen that may take long: one thing at a time, and what was asked for last stops it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Hashable

from textual.message import Message
from textual.message_pump import MessagePump

from ..errors import DmlvizError, plain
from ..stopping import StoppedError, stoppable


class BackgroundJob:
    """Runs jobs in a thread that ends with the program; `owner` gets a message for each that is done."""

    class Done(Message):
        """What came of the job that was asked for as `key`: its result, or the exception that it raised."""

        def __init__(self, key: Hashable, outcome: object) -> None:
            super().__init__()
            self.key = key
            self.outcome = outcome

    def __init__(self, owner: MessagePump) -> None:
        self._owner = owner
        self._lock = threading.Lock()
        self._busy = False
        self._next: tuple[Hashable, Callable[[], object]] | None = None
        self._key: Hashable = None  # of the job that runs
        self._unwanted = threading.Event()

    def ask(self, key: Hashable, job: Callable[[], object]) -> None:
        """Stops the one that runs, and lets `job` run as soon as that has ended, unless another is asked for before.

        One that runs already as `key` goes on.
        """
        with self._lock:
            if self._busy and key == self._key and not self._unwanted.is_set():
                self._next = None
                return
            self._next = key, job
            self._unwanted.set()
            if self._busy:
                return
            self._busy = True
        threading.Thread(target=self._run, daemon=True).start()

    def forget(self) -> None:
        """Takes back what was asked for, and stops it where it has begun."""
        with self._lock:
            self._next = None
            self._unwanted.set()

    def _run(self) -> None:
        while True:
            with self._lock:
                wanted, self._next = self._next, None
                if wanted is None:
                    self._busy = False
                    return
                key, job = wanted
                self._key, self._unwanted = key, threading.Event()
                unwanted = self._unwanted
            outcome: object
            try:
                with stoppable(unwanted):
                    outcome = job()
            except StoppedError:
                continue
            except Exception as error:  # the screen says it, or fails where it can be seen
                outcome = error
            with contextlib.suppress(RuntimeError):  # the program has ended
                self._owner.post_message(self.Done(key, outcome))


def sentence(outcome: object) -> str | None:
    """What to tell of a job that failed for a reason of the user's; None of one that didn't. Raises any other error."""
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
