"""Work that can be stopped: whoever waits for a thread says so, and the thread ends at its next checkpoint."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_here = threading.local()


class StoppedError(BaseException):
    """The work is no longer wanted. No `except Exception` takes it for something else; what cleans up does."""


@contextlib.contextmanager
def stoppable(wish: threading.Event) -> Iterator[None]:
    """A context in which checkpoints of this thread raise StoppedError once `wish` is set."""
    _here.wish = wish
    try:
        yield
    finally:
        _here.wish = None


def checkpoint() -> None:
    """Raises StoppedError where the work of this thread is no longer wanted; otherwise it costs next to nothing."""
    found: threading.Event | None = getattr(_here, "wish", None)
    if found is not None and found.is_set():
        raise StoppedError


def checked(items: Iterable[T]) -> Iterator[T]:
    """The items, with a checkpoint before each."""
    for item in items:
        checkpoint()
        yield item
