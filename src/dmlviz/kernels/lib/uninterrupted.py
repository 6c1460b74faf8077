"""Work that no exception out of a signal breaks into."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


def uninterrupted(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises; it is done to its end, whatever comes meanwhile.

    Python runs handlers of signals in the main thread, between any two instructions. Imports and Numba fill in
    dictionaries that an exception there leaves half made, or turns into a KeyError. So `work` is done in another
    thread, and the main one waits for it: what a handler raises comes out of the waiting.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    result: Future[Result] = Future()
    over: Any = _thread.allocate_lock()
    over.acquire()

    def do() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)
        finally:
            over.release()

    try:
        _thread.start_new_thread(do, ())  # threading.Thread's own start is done in steps that can be broken into
    except RuntimeError:  # no thread can start
        return work()
    over.acquire()
    return result.result()
