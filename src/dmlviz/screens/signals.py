"""Signals that a driver listens to."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable


def on_signal(number: int, call: Callable[..., object], *given: object) -> None:
    """Call `call(*given)` in the running loop when a signal arrives.

    A handler of the loop's own loses a signal that arrives while the loop's pipe is full, as it is after a burst of
    input. Here the pipe only wakes the loop.
    """
    loop = asyncio.get_running_loop()

    def heard(*_: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the program is ending
            loop.call_soon_threadsafe(call, *given)

    loop.add_signal_handler(number, lambda: None)
    signal.signal(number, heard)
