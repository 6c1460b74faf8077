"""A program in a real pseudo-terminal, its screen read back by a terminal emulator.

Run with a program's path, it opens the explorer there, makes a step and quits; it fails where the screen isn't as it
should be.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pexpect
import pyte

ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
"""Where a program keeps what it remembers; the cache, with its compiled kernels, is everybody's."""
ENVIRONMENT |= {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
FRAMES_ASKED, FRAMES_TOLD = b"\x1b[?2026$p", "\x1b[?2026;2$y"
"""A program asks whether the terminal knows frames, and the terminal says so."""
FRAME, FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"
LEFT, MOVED, HOVER = 0, 32, 35
"""What a terminal says of the button: the left one, the left one held while the mouse moves, and none."""


class Terminal:
    """A process with a terminal of its own."""

    def __init__(
        self,
        arguments: list[str],
        width: int,
        height: int,
        folder: Path,
        more: Mapping[str, str] | None = None,
        *,
        first: bool = False,
    ) -> None:
        """`more` is added to the process's environment. With `first` it is the user's first launch ever."""
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        own = {name: str(folder / ".home" / name.lower()) for name in FOLDERS}
        environment = {**ENVIRONMENT, **own, **(more or {})}
        recent = Path(environment.get("XDG_STATE_HOME", "")) / "dmlviz" / "recent.json"
        if not first and recent.is_absolute() and not recent.exists():
            recent.parent.mkdir(parents=True, exist_ok=True)
            recent.write_text('{"opened": []}')
        self.process: Any = pexpect.spawn(
            arguments[0], arguments[1:], dimensions=(height, width), env=environment, cwd=str(folder), timeout=60
        )
        self.raw = b""

    def text(self) -> str:
        return "\n".join(self.screen.display)

    def read(self, seconds: float = 0.05) -> None:
        """Read what the program has written, to the end of a frame: a screen is never half drawn."""
        data = b""
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF):
            while not data or data.rfind(FRAME) > data.rfind(FRAME_END):
                data += self.process.read_nonblocking(65536, timeout=seconds)
        self.raw += data
        if FRAMES_ASKED in data:
            self.send(FRAMES_TOLD)
        # Private sequences of newer terminals that pyte takes for text: ESC [ < ... u, ESC [ > ... u, ESC [ = ... u.
        self._stream.feed(re.sub(rb"\x1b\[[<>=][^@-~]*[@-~]?", b"", data))

    def until(self, *shown: str | Callable[[str], bool], seconds: float = 60) -> str:
        """Wait until all of this is on the screen at once, and return the screen's text."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            text = self.text()
            missing = [each for each in shown if not (each in text if isinstance(each, str) else each(text))]
            if not missing:
                return text
            self.read()
        raise AssertionError(f"{missing!r} is not on the screen:\n{self.text()}")

    def wait(self) -> None:
        """Waits until the program draws no more and has nothing to do: a hand is slower than that."""
        held = -1
        while held < len(self.raw) or self._is_busy:
            held = len(self.raw)
            self.read(0.03)

    @property
    def _is_busy(self) -> bool:
        """True while a thread of the program computes, or would if the machine let it; False where nobody can tell."""
        try:
            threads = [path.read_text() for path in Path(f"/proc/{self.process.pid}/task").glob("*/stat")]
        except OSError:
            return False
        return any(told.rpartition(")")[2].split()[0] == "R" for told in threads)

    def send(self, keys: str | bytes) -> None:
        """Sends keys in one write, as a paste or a fast hand does."""
        self.process.send(keys)

    def mouse(self, button: int, x: int, y: int, pressed: bool = True) -> None:
        """One event of the mouse at a column and a line, counted from 0."""
        self.send(f"\x1b[<{button};{x + 1};{y + 1}{'M' if pressed else 'm'}")

    @property
    def is_raw(self) -> bool:
        """True while the terminal hands keys over one by one, without showing them."""
        return not termios.tcgetattr(self.process.child_fd)[3] & (termios.ICANON | termios.ECHO)

    def click_text(self, text: str, below: str = "", at: int = -1) -> None:
        """A press and a release of the left button in the middle of a text, or `at` one of its columns.

        The text may have to be `below` another one. It waits until nothing moves any more.
        """

        def places(screen: str) -> list[tuple[int, int]]:
            lines = screen.split("\n")
            top = next((y + 1 for y, line in enumerate(lines) if below in line), len(lines)) if below else 0
            return [(line.index(text), y) for y, line in enumerate(lines) if y >= top and text in line]

        self.until(text, lambda screen: bool(places(screen)))
        self.wait()
        x, y = places(self.until(text, lambda screen: bool(places(screen))))[0]
        x += at if at >= 0 else len(text) // 2
        self.mouse(HOVER, x, y)
        self.mouse(LEFT, x, y)
        self.wait()
        self.mouse(LEFT, x, y, pressed=False)

    def quits(self) -> None:
        """Quits the explorer by its key, which asks nothing and goes well."""
        self.send("q")
        assert self.ends() == 0
        assert b"Traceback" not in self.raw

    def crash(self) -> None:
        """Kills the program, and waits until it is gone, however long a loaded machine takes."""
        self.process.kill(signal.SIGKILL)
        self.process.wait()
        self.process.close()

    def ends(self) -> int:
        """The exit code."""
        limit = time.monotonic() + 60
        while self.process.isalive() and time.monotonic() < limit:
            self.read()
        held = -1
        while held != len(self.raw):  # what it wrote last may wait to be read when it is gone
            held = len(self.raw)
            self.read()
        self.process.close()
        assert self.process.exitstatus is not None, f"it hasn't ended:\n{self.text()}"
        return int(self.process.exitstatus)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal([str(Path(sys.argv[1]).absolute())], 120, 36, Path(folder))
        terminal.until("✔ valid")
        terminal.send(",")
        terminal.until("7 of 8")
        terminal.quits()
    print("the explorer opened, stepped and ended")


if __name__ == "__main__":
    main()
