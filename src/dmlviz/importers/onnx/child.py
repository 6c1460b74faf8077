"""The process that reads models, as ONNX's inference crashes or eats all memory for some; one is kept."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import sys
import threading
import time

from ...worker.child_process import Child
from ..lib.found import Item
from ..lib.imported import ImportFailedError

MOST_SECONDS = 20.0
MOST_MEMORY = 1 << 30
_lock = threading.Lock()
_kept: list[Child] = []


def found(data: bytes, name: str, dims: dict[str, int]) -> list[Item]:
    """What `reading.found` finds, in the process. Raises ImportFailedError, also where the process ends instead."""
    with _lock:
        late = threading.Timer(MOST_SECONDS, end)
        late.start()
        try:
            if not _kept:
                _kept.append(Child(__name__, OPENBLAS_NUM_THREADS="1"))
            child = _kept[0]
            child.send((MOST_SECONDS, MOST_MEMORY, data, name, dims))
            answer: list[Item] | ImportFailedError = child.receive()
        except BaseException as error:
            end()
            if not isinstance(error, Exception):
                raise
            most = f"{MOST_SECONDS:g} seconds or {MOST_MEMORY >> 30} GB of memory"
            raise ImportFailedError(
                f"{name} ends the process that reads it, or takes more than {most}, expected a smaller model."
            ) from None
        finally:
            late.cancel()
    if isinstance(answer, ImportFailedError):
        raise answer
    return answer


@atexit.register
def end() -> None:
    with contextlib.suppress(IndexError):
        _kept.pop().bury()


def serve() -> None:
    from . import reading

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    with contextlib.suppress(EOFError):
        while True:
            seconds, memory, data, name, dims = pickle.load(sys.stdin.buffer)
            with contextlib.suppress(ImportError, OSError, ValueError):  # the system may have no bounds
                import resource

                last = math.ceil(time.process_time() + seconds)
                for kind, most in (
                    (resource.RLIMIT_CORE, 0),
                    (resource.RLIMIT_CPU, last),
                    (resource.RLIMIT_AS, memory),
                ):
                    resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
            try:
                answer = pickle.dumps(reading.found(data, name, dims))
            except ImportFailedError as error:
                answer = pickle.dumps(error)
            except MemoryError:
                raise
            except Exception:  # of protobuf's, or of ONNX's
                answer = pickle.dumps(ImportFailedError(f"{name} is damaged, expected a well-formed ONNX model."))
            answers.write(answer)
            answers.flush()


if __name__ == "__main__":
    serve()
