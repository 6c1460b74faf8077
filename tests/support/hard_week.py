"""One hard week in small: the program in a terminal, and everything that may happen to it, at random.

Run as a script with a number of seconds and a seed, it ends with a sentence, or fails with what was done last.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from dmlviz.session import examples, recovery
from dmlviz.session.reading import load
from dmlviz.session.writing import dump
from support.real_terminal import Terminal

KEYS = (
    *(b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\r", b"\t", b"\x1b[Z", b"\x7f", b"\x1b[6~", b"\x1b[1;5C", b"\x1b"),
    *(b"\x0f", b"\x10", b"\x05", b"\x1a", b"\x19", b"\x13", b"\x1b[17~", b"\x1bOQ", b"\x1bOR", b"\x1b[24~", b"e", b"n"),
    *(bytes([c]) for c in b"0123456789,- abfgikmopuvxyz?./~[]"),
)
MOST_MEMORY = 1 << 30
"""Bytes that the process may hold."""


class Life:
    """One program from its start to its end."""

    def __init__(self, random_: random.Random, folder: Path) -> None:
        self.random, self.folder = random_, folder
        self.file = folder / "lesson.json"
        self.sent: list[bytes] = []
        self.size = 120, 36
        self.terminal = Terminal([sys.executable, "-m", "dmlviz", str(self.file)], *self.size, folder)
        self.terminal.until("dmlviz")

    def send(self, data: bytes) -> None:
        self.sent.append(data)
        while data and self.is_alive:
            data = data[os.write(self.terminal.process.child_fd, data[:2048]) :]
            self.terminal.read(0)

    @property
    def is_alive(self) -> bool:
        return bool(self.terminal.process.isalive())

    def act(self) -> None:
        """Does one thing."""
        chance = self.random.random()
        if chance < 0.6:
            self.send(b"".join(self.random.choices(KEYS, k=self.random.randint(1, 12))))
        elif chance < 0.75:
            x, y = self.random.randint(1, self.size[0]), self.random.randint(1, self.size[1])
            self.send(f"\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m".encode())
        elif chance < 0.85:
            paste = self.random.randbytes(self.random.randint(1, 3000)).replace(b"\x1b", b"")
            self.send(b"\x1b[200~" + paste + b"\x1b[201~")
        elif chance < 0.9:
            self.send(self.random.randbytes(self.random.randint(1, 12)).replace(b"\x11", b"").replace(b"\x1a", b""))
        elif chance < 0.95:
            self.size = self.random.choice([(6, 6), (40, 10), (80, 24), (120, 36), (200, 60)])
            self.terminal.screen.resize(self.size[1], self.size[0])
            self.terminal.process.setwinsize(self.size[1], self.size[0])
        else:
            self.change_file()
        self.terminal.read(0.02)

    def rest(self) -> str:
        """What is shown once nothing was done for some time."""
        ends = time.monotonic() + 0.8
        while time.monotonic() < ends:
            self.terminal.read()
        return self.terminal.text()

    def change_file(self) -> None:
        """Somebody else changes the file that is open, or takes it away."""
        how = self.random.randrange(3)
        if how == 0:
            self.file.unlink(missing_ok=True)
        elif how == 1:
            self.file.write_bytes(self.random.randbytes(50))
        else:
            fill(self.file)

    def memory(self) -> int:
        """Bytes that the process holds; 0 where nobody can tell."""
        try:
            pages = Path(f"/proc/{self.terminal.process.pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def check(self) -> None:
        """Holds what has been written to the terminal, and what was kept, against what is promised."""
        raw = self.terminal.raw
        assert b"Traceback" not in raw, said(raw)
        assert "❱".encode() not in raw, said(raw)
        assert self.memory() < MOST_MEMORY
        for file in kept_in(self.folder).glob("*.json"):
            document, _, errors, _ = recovery.read(file.read_text("utf-8"))
            assert not errors
            assert dump(document.session)


def said(raw: bytes) -> str:
    return raw[-6000:].decode(errors="replace")


def kept_in(folder: Path) -> Path:
    return folder / ".home" / "xdg_state_home" / "dmlviz" / "recovery"


def fill(file: Path) -> None:
    file.write_bytes(examples.example("gather-2").path.read_bytes())


def live(random_: random.Random, folder: Path, acts: int) -> None:
    """One life, of that many acts, to an end of any kind."""
    fill(folder / "lesson.json")
    one = Life(random_, folder)
    try:
        for _ in range(acts):
            if not one.is_alive:
                break
            one.act()
        one.check()
        if one.is_alive:
            end = random_.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
            shown = one.rest()
            one.check()
            if "● unsaved" in shown:  # half a second later it is kept
                assert list(kept_in(folder).glob("*.json")), shown
            one.terminal.process.kill(end)
            limit = time.monotonic() + 20
            while one.is_alive:
                assert time.monotonic() < limit, f"{end!r} didn't end it"
                one.terminal.read()
            assert end is signal.SIGKILL or not one.terminal.is_raw
        else:
            assert not one.terminal.is_raw
            assert one.terminal.process.exitstatus == 0, said(one.terminal.raw)
        one.check()
    except BaseException:
        print("sent last:", *one.sent[-25:], sep="\n")
        raise
    finally:
        one.terminal.process.close(force=True)


def week(seconds: float, seed: int = 0, acts: int = 120) -> int:
    """Lives one after the other, for so long; how many there were. Raises AssertionError where a promise was broken."""
    random_, ends, count = random.Random(seed), time.monotonic() + seconds, 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while time.monotonic() < ends or count == 0:
            live(random_, folder, acts)
            count += 1
        for file in folder.glob("*.json"):
            if file.name != "lesson.json":  # what the program itself has written under a name that was typed
                load(file)
        assert not list(folder.rglob("*.new"))
    return count


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    print(f"{week(seconds, int(sys.argv[2]) if len(sys.argv) > 2 else 0)} lives, nothing broken")


if __name__ == "__main__":
    main()
