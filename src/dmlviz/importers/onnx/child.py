"""The process that reads models: ONNX's own inference ends it, or takes all memory, for some that are ill-made.

One is kept for the next model, as starting it takes a second. It ends with this process, by the end of its input.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

from ... import stopping
from ..lib.found import Item
from ..lib.imported import ImportFailedError

MOST_SECONDS = 20.0
"""For one model."""
MOST_MEMORY = 1 << 30
"""Bytes that the process may have."""
_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from dmlviz.importers.onnx import child
child.serve()
"""
_lock = threading.Lock()
_kept: list[subprocess.Popen[bytes]] = []


def found(data: bytes, name: str, dims: dict[str, int]) -> list[Item]:
    """What `reading.found` finds, in the process. Raises ImportFailedError, also where the process ends instead."""
    with _lock:
        if _kept and _kept[0].poll() is not None:  # something else has ended it
            end()
        process = _kept[0] if _kept else _started()
        assert process.stdin is not None
        assert process.stdout is not None
        done = threading.Event()
        threading.Thread(target=_watch, args=(process, done, stopping.wish()), daemon=True).start()
        try:
            pickle.dump((data, name, dims), process.stdin)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        except BaseException as error:
            end()
            stopping.checkpoint()
            if not isinstance(error, (OSError, EOFError, pickle.UnpicklingError)):
                raise
            most = f"{MOST_SECONDS:g} seconds or {MOST_MEMORY >> 30} GB of memory"
            raise ImportFailedError(
                f"{name} ends the process that reads it, or takes more than {most}, expected a smaller model."
            ) from None
        finally:
            done.set()
    if isinstance(answer, ImportFailedError):
        raise answer
    items: list[Item] = answer
    return items


def _watch(process: subprocess.Popen[bytes], done: threading.Event, wish: threading.Event | None) -> None:
    """End the process that isn't `done` in time, or is no longer waited for."""
    last = time.monotonic() + MOST_SECONDS
    while not done.wait(0.05):
        if time.monotonic() > last or (wish is not None and wish.is_set()):
            process.kill()
            return


def _started() -> subprocess.Popen[bytes]:
    """A new process, which is kept. Raises ImportFailedError."""
    folder = str(Path(__file__).resolve().parents[3])
    path = [folder, *(os.path.abspath(entry) for entry in sys.path if entry)]
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # what the terminal sends is not for it
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    except OSError as error:
        raise ImportFailedError(f"the process that reads models can't be started: {error.strerror or error}.") from None
    _kept.append(process)
    return process


@atexit.register
def end() -> None:
    """End the process, if there is one."""
    with contextlib.suppress(IndexError, OSError), _kept.pop() as process:
        process.kill()


# ---- in the process ---------------------------------------------------------------------------------------------


def serve() -> None:
    """Answer requests on standard input until it ends."""
    from . import reading

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what a library prints is no answer
    with contextlib.suppress(EOFError):
        while True:
            data, name, dims = pickle.load(sys.stdin.buffer)
            _bound()
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


def _bound() -> None:
    """Bound memory, and the processor's time for the next request, where the system can."""
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(usage.ru_utime + usage.ru_stime + MOST_SECONDS) + 1
    for kind, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))
