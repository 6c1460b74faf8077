"""A program in a real pseudo-terminal, its screen read back as lines of text.

Run with a program's path, it opens the explorer there, makes a step, quits, and fails where the screen isn't as it should be.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence

import pexpect
import pyte


class Terminal:
    """`command` in a pseudo-terminal of `columns` x `lines`."""

    def __init__(self, command: Sequence[str], columns: int = 120, lines: int = 36, cwd: str | None = None) -> None:
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment.pop("NO_COLOR", None)
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self.process = pexpect.spawn(
            command[0], list(command[1:]), env=environment, dimensions=(lines, columns), timeout=5, cwd=cwd
        )

    def lines(self) -> list[str]:
        return list(self._screen.display)

    def press(self, keys: str) -> None:
        self.process.send(keys)

    def read(self, seconds: float = 0.05) -> None:
        """Takes what the program has written, for at most `seconds` without anything new."""
        try:
            while True:
                self._stream.feed(self.process.read_nonblocking(65536, timeout=seconds))
        except (pexpect.TIMEOUT, pexpect.EOF):
            pass

    def until(self, seen: Callable[[str], bool] | str, seconds: float = 20) -> str:
        """Waits until the screen shows `seen`, and returns it; AssertionError with the screen where it never does."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()
            text = "\n".join(self.lines())
            if seen in text if isinstance(seen, str) else seen(text):
                return text
        raise AssertionError(f"never saw {seen!r} in:\n" + "\n".join(self.lines()))

    def end(self, seconds: float = 15) -> int:
        """Waits for the program to end and returns its exit code."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.isalive():
            self.read()
        assert not self.process.isalive(), "\n".join(self.lines())
        self.process.close()
        return int(self.process.exitstatus)


def main() -> None:
    terminal = Terminal([sys.argv[1]])
    terminal.until("valid")
    terminal.press(",")
    terminal.until("step 7 of 8")
    terminal.press("q")
    assert terminal.end() == 0
    print("the explorer opened, stepped and ended")


if __name__ == "__main__":
    main()
