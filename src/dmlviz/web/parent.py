"""The parent of this process: when it ends, in whatever way, this process ends too."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time

PARENT = "DMLVIZ_PARENT"
"""The variable that holds the parent's process id."""
LOOKS = 0.5
"""Seconds between two looks."""
GRACE = 3.0
"""Seconds in which a process without a parent may end by itself: its input ends, too."""
_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Has this process end when its parent does, which a kill -9 ends without a word. Does nothing where none is told.

    The parent is the process whose id `PARENT` holds. Linux sends a signal; elsewhere a thread looks.
    """
    parent = os.environ.pop(PARENT, "")
    if not parent.isdecimal() or sys.platform == "win32":
        return  # on Windows a process keeps its parent's id; its input ends there
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    threading.Thread(target=_watch, args=(int(parent),), daemon=True, name="parent").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKS)
    time.sleep(GRACE)
    os._exit(1)
