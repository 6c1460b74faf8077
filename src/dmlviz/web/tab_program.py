"""The program of a tab's process: dmlviz, which ends when its server does, in whatever way.

It is run by its file's name. So it watches before anything else is imported, which takes long on a busy machine.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import runpy
import signal
import sys
import threading
import time

PARENT = "DMLVIZ_PARENT"
"""The variable that holds the server's process id."""
LOOKS = 0.5
"""Seconds between two looks."""
GRACE = 3.0
"""Seconds in which a process without a server may end by itself: its input ends, too."""
_PR_SET_PDEATHSIG = 1


def _end_with(parent: int) -> None:
    """Has this process end with `parent`, by a kill -9 too: Linux sends a signal; elsewhere a thread looks."""
    if sys.platform == "win32":
        return  # a process keeps its parent's id there; its input ends
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)  # no signal comes any more
    threading.Thread(target=_exit_after, args=(parent,), daemon=True, name="parent").start()


def _exit_after(parent: int) -> None:
    """Ends this process once `parent` has gone and `GRACE` is over."""
    while os.getppid() == parent:
        time.sleep(LOOKS)
    time.sleep(GRACE)
    os._exit(1)


if __name__ == "__main__":
    _end_with(int(os.environ.pop(PARENT)))
    runpy.run_module("dmlviz", run_name="__main__", alter_sys=True)
