"""The worker's process: started so that it finds what this one does, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from .. import kernels, operators
from ..desc import npy_files
from ..errors import DmlvizError

# The child finds modules, operators and kernels where this process does, however it was started. On a busy machine the
# screen comes first, from the child's first import on; what is timed in turns is all slowed alike. It ends with its
# input while it imports, too.
START = """
import gc, json, os, queue, sys, threading
gc.disable()
if hasattr(os, "nice"):
    os.nice(5)
told = json.loads(sys.stdin.buffer.readline())
requests = queue.SimpleQueue()
def listen():
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)
threading.Thread(target=listen, daemon=True).start()
sys.path[:] = told["path"]
from pathlib import Path
from dmlviz import kernels, operators
from dmlviz.desc import npy_files
from dmlviz.worker import process
operators.__path__[:], kernels.__path__[:] = told["operators"], told["kernels"]
npy_files.allow_only(map(Path, told["npy_files"]) if told["npy_files"] is not None else None)
process.main(requests)
"""


def spawn() -> subprocess.Popen[bytes]:
    """A new worker process. Raises DmlvizError."""
    if not sys.executable:
        raise DmlvizError("the run can't be started: Python's own program is not known, expected sys.executable.")
    try:
        # A session of its own: what the terminal sends to the explorer is not for the worker.
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise DmlvizError(f"the run can't be started: {error.strerror or error}.") from None
    assert process.stdin is not None
    folder = str(Path(__file__).resolve().parents[2])
    path = [os.path.abspath(entry) if entry else folder for entry in sys.path]
    told = {
        "path": path if folder in path else [folder, *path],
        "operators": [os.path.abspath(package_folder) for package_folder in operators.__path__],
        "npy_files": sorted(map(str, allowed)) if (allowed := npy_files.allowed()) is not None else None,
        "kernels": [os.path.abspath(package_folder) for package_folder in kernels.__path__],
    }
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(json.dumps(told).encode() + b"\n")
        process.stdin.flush()
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout):
        assert stream is not None
        with contextlib.suppress(OSError):
            stream.close()
    process.wait()


def exit_code(process: subprocess.Popen[bytes]) -> int:
    """The exit code of a process that is ending, or is made to."""
    try:
        return process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def why_ended(what: str, code: int) -> str:
    """Why a process that should have answered did not."""
    if code == -signal.SIGKILL:
        return f"{what} was killed, maybe because memory ran out; r starts it again."
    if code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
        return f"{what} crashed with {name}: please report this desc."
    return f"{what} ended with exit code {code} and without an answer; r starts it again."
