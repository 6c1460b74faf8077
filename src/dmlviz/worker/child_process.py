"""A Python process that answers pickled requests, finds what this one finds, and ends with it."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from ..errors import DmlvizError


class Child:
    """A process that runs `module`, which reads requests from its standard input and ends where that does."""

    def __init__(self, module: str, **environment: str) -> None:
        """Raises DmlvizError where it can't be started."""
        path = [str(Path(__file__).resolve().parents[2]), *map(os.path.abspath, filter(None, sys.path))]
        try:
            # A session of its own: what the terminal sends to the explorer is not for it.
            self._process: Any = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, **environment, "PYTHONPATH": os.pathsep.join(path)},
            )
        except OSError as error:
            raise DmlvizError(f"the run can't be started: {error.strerror or error}.") from None

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def send(self, request: object) -> None:
        """Raises OSError where it has ended."""
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()

    def receive(self) -> Any:
        """Its next reply. Raises EOFError or UnpicklingError where it ends instead."""
        return pickle.load(self._process.stdout)

    def kill(self) -> None:
        self._process.kill()

    def bury(self, patience: float = 0.0) -> int:
        """Ends it, if it has not ended after so many seconds, and gives back what it holds here; its exit code."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        code: int = self._process.wait()
        return code


def why_ended(code: int) -> str:
    """Why a process that should have answered did not."""
    if code == -signal.SIGKILL:
        return "its process was killed, maybe because memory ran out; r starts it again."
    if code < 0:
        name = signal.Signals(-code).name if -code in signal.valid_signals() else f"signal {-code}"
        return f"its process crashed with {name}: please report this desc."
    return f"its process ended with exit code {code} and without an answer; r starts it again."
