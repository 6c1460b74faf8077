"""A program in a real pseudo-terminal, timed from outside: from exec to a text, from a key to the end of its frame."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

QUIET = 0.04
"""Seconds without output after which a frame counts as finished; they are not part of the time."""
ASKED, ANSWER = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""The terminal is asked whether it shows frames whole; one that does is the usual case."""


class Program:
    """A child process with a terminal of `size` (columns, lines)."""

    def __init__(self, arguments: Sequence[str], size: tuple[int, int] = (200, 50), **environment: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.began = time.perf_counter()
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            time.sleep(0.01)  # until the terminal has its size
            names = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LINES": str(size[1]), "COLUMNS": str(size[0])}
            # As installed, with compiled sources; and with no settings or lost sessions of the user's.
            left_out = ("NO_COLOR", "TEXTUAL_ANIMATIONS", "PYTHONDONTWRITEBYTECODE")
            kept = {k: v for k, v in os.environ.items() if k not in left_out}
            own = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), self._folder.name)
            os.execve(arguments[0], list(arguments), {**kept, **own, **names, **environment})
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def read(self, seconds: float) -> bytes:
        """What the program writes next; empty if that takes longer. Raises EOFError where it has ended."""
        ready, _, _ = select.select([self._terminal], [], [], seconds)
        if not ready:
            return b""
        try:
            data = os.read(self._terminal, 1 << 20)
        except OSError:
            raise EOFError("the program has ended") from None
        if ASKED in data:
            os.write(self._terminal, ANSWER)
        return data

    def until(self, text: bytes, seconds: float = 30) -> float:
        """Seconds from the start of the process until it has written `text`."""
        seen, ends = b"", time.perf_counter() + seconds
        while text not in seen:
            if time.perf_counter() > ends:
                raise TimeoutError(f"{text!r} was not shown in {seconds} s")
            seen += self.read(0.5)
        return time.perf_counter() - self.began

    def settle(self, quiet: float = 0.4) -> None:
        """Waits until nothing more is written."""
        while self.read(quiet):
            pass

    def send(self, keys: bytes) -> None:
        """Presses keys and waits for nothing."""
        os.write(self._terminal, keys)

    def press(self, keys: bytes) -> float:
        """Seconds from a key until the last byte of the frames that it leads to; 0 where none is written."""
        began = last = time.perf_counter()
        os.write(self._terminal, keys)
        wait = 0.25  # nothing may come at all
        while self.read(wait):
            last = time.perf_counter()
            wait = QUIET
        return last - began

    def cpu(self) -> float:
        """Seconds of processor time that the program has taken so far, on Linux."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._terminal)
        self._folder.cleanup()


def percentile(samples: Sequence[float], share: float) -> float:
    """The sample that `share` of them don't exceed."""
    return sorted(samples)[min(len(samples) - 1, int(share * len(samples)))]


def say(progress: str) -> None:
    """Progress goes to stderr, figures to stdout."""
    print(progress, file=sys.stderr, flush=True)
