"""One hard week in small: the program in a terminal, and everything that may happen to it, at random.

`python tests/support/hard_week.py SECONDS [SEED]` ends with a sentence, or fails with what was done last.
"""

from __future__ import annotations

import base64
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import dmlviz as dml
from dmlviz.session import examples, recovery, tokens
from dmlviz.session.experiments import Experiment
from dmlviz.session.notes import printable
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.widgets.lib.commands import COMMANDS
from support.full_disk import OWN, Disk, with_own_disk
from support.real_terminal import Terminal
from support.worker_processes import marked

KEYS = (
    *(b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\r", b"\t", b"\x1b[Z", b"\x7f", b"\x1b[6~", b"\x1b[1;5C", b"\x1b"),
    *(b"\x0f", b"\x10", b"\x05", b"\x1a", b"\x19", b"\x13", b"\x1b[17~", b"\x1bOQ", b"\x1bOR", b"\x1b[24~", b"e", b"n"),
    *(bytes([c]) for c in b"0123456789,- abfgikmopuvxyz?./~[]"),
)
MOST_MEMORY = 1 << 30
"""Bytes that the explorer may hold."""
MORE_MEMORY = 64 << 20
"""Bytes that the explorer may hold more than at first, once it shows what it showed then."""
SIZES = (6, 6), (40, 10), (80, 24), (120, 36), (200, 60)
LESSON, SAVED, SMALL = "lesson.json", "saved.json", "again.json"
ASKED = "The session has unsaved changes"
OWN_FILES = (LESSON, SMALL, "x.npy")
"""What the week itself writes, and breaks, into the folder of the sessions."""


@dataclass(frozen=True)
class Promise:
    """What a life that ended has been told is safe."""

    mark: str
    """A word that was typed into the notes last."""
    before: Experiment | None
    """What was on the screen before that; None where it didn't go into a token."""


class Life:
    """One program from its start to its end."""

    def __init__(self, random_: random.Random, folder: Path, disk: Disk, file: str) -> None:
        self.random, self.folder, self.disk = random_, folder, disk
        self.sent: list[bytes] = []
        self.size = 120, 36
        self.full_for = 0
        """Acts after which the disk gets room again."""
        mark = f"{random_.getrandbits(64):016x}"
        self.environment = f"DMLVIZ_TEST_LIFE={mark}"
        home = folder / ".home"
        more = {"DMLVIZ_TEST_LIFE": mark, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        more |= {"PYTHONFAULTHANDLER": "1"}  # tells where a life that hangs has got to
        self.terminal = Terminal([sys.executable, "-m", "dmlviz", file], *self.size, folder, more)
        self.terminal.until("dmlviz")

    # ---- what is sent

    def send(self, data: bytes) -> None:
        self.sent.append(data)
        # A terminal that is not raw any more makes signals of bytes: what is sent then is not for the explorer.
        while data and self.is_alive and self.terminal.is_raw:
            data = data[os.write(self.terminal.process.child_fd, data[:2048]) :]
            self.terminal.read(0)

    def read_for(self, seconds: float) -> None:
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and self.is_alive:
            self.terminal.read()

    def settle(self, seconds: float = 60) -> None:
        """Waits until it has done what was asked: it writes nothing and hardly works for a while."""
        limit, quiet = time.monotonic() + seconds, 0
        while quiet < 2 and time.monotonic() < limit and self.is_alive:
            written, worked = len(self.terminal.raw), self._worked()
            ends = time.monotonic() + 0.15
            while time.monotonic() < ends:
                self.terminal.read()
            quiet = quiet + 1 if len(self.terminal.raw) == written and self._worked() - worked <= 0.04 else 0

    def _worked(self) -> float:
        """Seconds of a processor that it has had; 0 where nobody can tell."""
        try:
            found = Path(f"/proc/{self.terminal.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0
        return (int(found[11]) + int(found[12])) / os.sysconf("SC_CLK_TCK")

    def shows(self, shown: str | Callable[[str], bool], seconds: float = 60) -> bool:
        """True if it is on the screen within that time."""
        try:
            self.terminal.until(shown, seconds=seconds)
        except AssertionError:
            return False
        return True

    @property
    def is_alive(self) -> bool:
        return bool(self.terminal.process.isalive())

    @property
    def processes(self) -> list[int]:
        """Its own and all that it has started."""
        return marked(self.environment)

    # ---- acts

    def act(self) -> None:
        """Does one thing."""
        if self.full_for:
            self.full_for -= 1
            if not self.full_for:
                self.room()
        acts: dict[Callable[[], None], float] = {
            self.press: 50,
            self.click: 12,
            self.wheel: 5,
            self.drag: 5,
            self.paste: 8,
            self.import_paste: 3,
            self.send_bytes: 5,
            self.command: 6,
            self.resize: 4,
            self.change_file: 5,
            self.change_npy: 4,
            self.fill_disk: 2,
        }
        self.random.choices(list(acts), list(acts.values()))[0]()
        self.terminal.read(0.02)

    def press(self) -> None:
        self.send(b"".join(self.random.choices(KEYS, k=self.random.randint(1, 12))))

    def _place(self) -> str:
        return f"{self.random.randint(1, self.size[0])};{self.random.randint(1, self.size[1])}"

    def click(self) -> None:
        place = self._place()
        self.send(f"\x1b[<0;{place}M\x1b[<0;{place}m".encode())

    def wheel(self) -> None:
        button = self.random.choice([64, 65, 66, 67, 68, 69, 80, 81])  # down, up, aside; with shift; with ctrl
        self.send(f"\x1b[<{button};{self._place()}M".encode() * self.random.randint(1, 20))

    def drag(self) -> None:
        moves = [f"\x1b[<32;{self._place()}M" for _ in range(self.random.randint(1, 8))]
        self.send(f"\x1b[<0;{self._place()}M{''.join(moves)}\x1b[<0;{self._place()}m".encode())

    def paste(self) -> None:
        paste = self.random.randbytes(self.random.randint(1, 3000)).replace(b"\x1b", b"")
        self.send(b"\x1b[200~" + paste + b"\x1b[201~")

    def import_paste(self) -> None:
        """What another one copied: a token, or a session's text, with or without some damage."""
        session = self.random.choice(list(examples.examples().values()))
        text = tokens.to_token(session.experiments[0]) if self.random.random() < 0.5 else dump(session)
        if self.random.random() < 0.3:
            at = self.random.randrange(len(text))
            text = text[:at] + text[at + self.random.randint(1, 9) :]
        opening = self.random.choice([b"", b"\x1b\x1b", b"i"])
        self.send(opening + b"\x1b[200~" + text.encode() + b"\x1b[201~" + self.random.choice([b"", b"\r", b"\r\r"]))

    def send_bytes(self) -> None:
        self.send(self.random.randbytes(self.random.randint(1, 12)).replace(b"\x11", b"").replace(b"\x1a", b""))

    def command(self) -> None:
        """A command by the palette, the exports and runs among them."""
        often = ["Run", "Export", "Import"]
        title = self.random.choice([each.title for each in COMMANDS if each.group != "app"] + often)
        self.send(b"\x10" + title.encode())
        self.terminal.read(0.1)
        self.send(b"\r" * self.random.randint(1, 3))

    def resize(self, size: tuple[int, int] | None = None) -> None:
        self.size = size or self.random.choice(SIZES)
        self.terminal.screen.resize(self.size[1], self.size[0])
        self.terminal.process.setwinsize(self.size[1], self.size[0])

    def change_file(self) -> None:
        """Somebody else changes the file that is open, or takes it away."""
        if not self.full_for:
            change_file(self.random, self.folder)

    def change_npy(self) -> None:
        if not self.full_for:
            change_npy(self.random, self.folder / "x.npy")

    def fill_disk(self) -> None:
        """The disk is full for some time."""
        if self.disk.can_fill and not self.full_for:
            self.full_for = self.random.randint(5, 25)
            self.disk.fill(self.processes, self.random.choice([0, 1, 500, 5000]), self.random.random() < 0.5)

    def room(self) -> None:
        self.full_for = 0
        self.disk.room(self.processes)

    # ---- the explorer itself

    def calm(self) -> bool:
        """Closes what lies over the explorer; False if it ended over that, as after a quit that was under way."""
        self.room()
        self.resize((120, 36))
        self.settle()
        for _ in range(30):
            self.send(b"\x1b[201~\x1b")
            self.settle()
            if not self.is_alive:
                return False
            if self._choose("Copy a token", look=True):
                self.send(b"\x1b")
                self.settle()
                return True
            self.send(b"\x1b")  # the palette itself, where it lies over a dialog
            self.settle()
        raise AssertionError("it can't be brought back to the explorer")

    def _choose(self, title: str, look: bool = False) -> bool:
        """Has the palette do something; False where that isn't offered."""
        about = next(each.help for each in COMMANDS if each.title == title)
        self.send(b"\x10")
        self.settle()
        if "Search for commands" not in self.terminal.text():
            return False
        self.send(title.encode())
        self.settle()
        if about not in self.terminal.text():
            return False
        if not look:
            self.send(b"\r")
        return True

    def choose(self, title: str) -> None:
        assert self._choose(title), f"{title} is not offered"

    def token(self) -> Experiment | None:
        """The experiment on the screen, as its token says; None where it doesn't go into one."""
        began = len(self.terminal.raw)
        self.choose("Copy a token")
        copied = re.compile(rb"\x1b\]52;c;([^\x07\x1b]*)[\x07\x1b]")
        if not self.shows(lambda _: copied.search(self.terminal.raw, began) is not None, 5):
            return None
        found = copied.search(self.terminal.raw, began)
        assert found is not None
        return tokens.experiments_of(base64.b64decode(found[1]).decode())[-1]

    def write(self, mark: str) -> None:
        """Puts a word into the notes, by keys; it is on the screen then."""
        self.choose("Notes")
        self.terminal.until("Session title")
        self.send(b"\r" + mark.encode())
        self.terminal.until(mark)

    def open_small(self) -> None:
        """Opens an example, whatever is there, and waits until it is shown and nothing happens any more."""
        self.choose("Open")
        self.terminal.until("Open a session file")
        self.send(b"tile-1")
        self.terminal.until(lambda text: "tile-1" in text)
        self.settle()
        self.send(b"\r")
        opened = self.terminal.until(
            lambda text: "The session has unsaved changes" in text or "Open a session file" not in text
        )
        if "The session has unsaved changes" in opened:
            self.send(b"\x04")  # ctrl+d
        self.terminal.until("three by three copies")
        self.settle()

    def memory(self) -> int:
        """Bytes that the explorer holds; 0 where nobody can tell."""
        try:
            pages = Path(f"/proc/{self.terminal.process.pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def threads(self) -> str:
        """Ends it, and tells what each of its threads was at."""
        began = len(self.terminal.raw)
        state = ""
        if self.is_alive:
            status = Path(f"/proc/{self.terminal.process.pid}/status")
            state = status.read_text().splitlines()[2] if status.exists() else ""
            self.terminal.process.kill(signal.SIGABRT)
            self.terminal.process.kill(signal.SIGCONT)
            for _ in range(40):
                self.terminal.read()
        return f"{state}\n{self.terminal.raw[began:].decode(errors='replace')}"

    # ---- what is promised

    def check(self) -> None:
        """Holds what has been written to the terminal, and what was kept, against what is promised."""
        raw = self.terminal.raw
        assert b"Traceback" not in raw, said(raw)
        assert b"a fault of dmlviz's own" not in raw, said(raw)
        assert self.memory() < MOST_MEMORY
        for file in kept_in(self.folder).glob("*.json"):
            document, _, errors, _ = recovery.read(file.read_text("utf-8"))
            assert not errors, errors
            assert dump(document.session)
        for file in self.folder.glob("*.json"):
            if file.name not in OWN_FILES:  # what the program itself has written under a name that was typed
                require_whole(file)

    def check_nothing_half_written(self) -> None:
        """No other process was killed in the middle of keeping or saving and left its file."""
        for each in [*kept_in(self.folder).glob(".*.new"), *self.folder.glob(f".{SAVED}.*.new")]:
            assert f".{self.terminal.process.pid}-" in each.name, each

    def ended(self, by: signal.Signals | None) -> None:
        """Waits for the end, and looks at what is left."""
        limit = time.monotonic() + 60
        while self.is_alive:
            assert time.monotonic() < limit, f"{by!r} didn't end it"
            if not self.terminal.is_raw:
                self.terminal.process.kill(signal.SIGCONT)  # a ctrl+z may have come just then
            self.terminal.read()
        how = self.terminal.process.exitstatus, self.terminal.process.signalstatus
        if by is not signal.SIGKILL:
            assert not self.terminal.is_raw, (how, said(self.terminal.raw))
        if by is None:
            assert how in ((0, None), (None, signal.SIGINT), (None, signal.SIGQUIT)), (how, said(self.terminal.raw))
        limit = time.monotonic() + 60
        while left := self.processes:
            assert time.monotonic() < limit, f"left after {by!r}: {[command(each) for each in left]}"
            time.sleep(0.05)
        self.check()


# ---- the ends of a life


def end_by_kill(life: Life) -> Promise | None:
    """A kill half a second after an edit."""
    before = life.token()
    mark = f"W{life.random.getrandbits(40):010x}"
    life.write(mark)
    life.read_for(life.random.uniform(0.8, 1.2))
    life.terminal.process.kill(signal.SIGKILL)
    life.ended(signal.SIGKILL)
    return Promise(mark, before)


def end_by_signal(life: Life) -> Promise | None:
    """A signal right after an edit."""
    before = life.token()
    mark = f"W{life.random.getrandbits(40):010x}"
    life.write(mark)
    by = life.random.choice([signal.SIGTERM, signal.SIGHUP])
    life.terminal.process.kill(by)
    life.ended(by)
    return Promise(mark, before)


def end_on_a_full_disk(life: Life) -> Promise | None:
    """An edit and a save while the disk is full, which gets room; nothing is done after that."""
    if not life.disk.can_fill:
        return end_by_kill(life)
    before = life.token()
    life.read_for(3)  # what had no room before is kept now
    life.disk.fill(life.processes, life.random.choice([0, 1, 100]), life.random.random() < 0.5)
    mark = f"W{life.random.getrandbits(40):010x}"
    life.write(mark)
    life.terminal.until("outlive")  # the sentence takes several lines
    life.send(b"\x1b")
    life.settle()
    life.choose("Save as")
    life.terminal.until("enter saves")
    life.send(b"\x1b[F\x15full.json\r")
    life.terminal.until("can't be written")
    assert not list(life.folder.glob("*full.json*"))
    if life.random.random() < 0.3:
        by = life.random.choice([signal.SIGTERM, signal.SIGHUP])
        life.terminal.process.kill(by)
        life.ended(by)
        life.room()
        return None
    life.room()
    life.read_for(recovery.AGAIN + 1)
    life.terminal.process.kill(signal.SIGKILL)
    life.ended(signal.SIGKILL)
    return Promise(mark, before)


def end_in_a_save(life: Life) -> Promise | None:
    """A kill at any moment while one save follows the other."""
    life.choose("Save as")
    life.terminal.until("enter saves")
    life.send(b"\x1b[F\x15" + SAVED.encode() + b"\r")
    life.terminal.until(lambda text: "saved to" in text or "Replace it" in text or "can't be written" in text)
    if "Replace it" in life.terminal.text():
        life.send(b"\x12")  # ctrl+r
        life.terminal.until(lambda text: "saved to" in text or "can't be written" in text)
    if "saved to" not in life.terminal.text():  # a session that was imported may have .npy files elsewhere
        return end_by_signal(life)
    life.check_nothing_half_written()
    life.send(b"nx\x13" * 40)
    life.read_for(life.random.uniform(0, 2))
    life.terminal.process.kill(signal.SIGKILL)
    life.ended(signal.SIGKILL)
    require_whole(life.folder / SAVED)
    return None


def end_by_quitting(life: Life) -> Promise | None:
    """A quit that is asked for, with what is unsaved given up: nothing is offered after that."""
    life.choose("Quit")
    life.terminal.until(lambda text: ASKED in text or not life.is_alive)
    if life.is_alive:
        life.send(b"\x04")  # ctrl+d
    life.ended(None)
    return None


ENDS = (end_by_kill, end_by_signal, end_on_a_full_disk, end_in_a_save, end_by_quitting)


def keep_promise(life: Life, promise: Promise) -> None:
    """The work of the life before is offered, and is what it was."""
    life.terminal.until("wasn't saved")
    life.send(b"o")
    life.terminal.until("unsaved")
    life.settle()
    now = life.token()
    if promise.before is None:  # its .npy file was no array, which no token stands for
        return
    assert now is not None
    assert promise.mark in now.notes, now.notes
    assert without_notes(now) == without_notes(promise.before)
    # The editor writes what it shows: a pasted control character is its replacement once anything is typed.
    words = printable(now.notes.replace(promise.mark, "", 1)).split()
    told = printable(promise.before.notes).split()
    assert words == told, [(new, old) for new, old in zip_longest(words, told) if new != old][:5]


def require_whole(file: Path) -> None:
    """Raises where a file is no JSON, or no session that says it is one; .npy files beside it may have gone."""
    data = file.read_bytes()
    if "dmlviz" in json.loads(data):  # an export may be JSON too
        session, errors = parse(data, file.name, file.parent, missing=[])
        assert session.experiments
        assert not errors, errors


def without_notes(experiment: Experiment) -> str:
    return tokens.to_token(replace(experiment, notes=""))


def note(what: str) -> None:
    """Tells how far it is, for who waits for it."""
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def said(raw: bytes) -> str:
    return raw[-3000:].decode(errors="replace")


def command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "(it has ended)"


def kept_in(folder: Path) -> Path:
    return folder / ".home" / "xdg_state_home" / "dmlviz" / "recovery"


# ---- what others do to the files


def fill(random_: random.Random, folder: Path) -> None:
    """A lesson, with or without an array in a file of its own."""
    file = folder / LESSON
    if random_.random() < 0.5:
        file.write_bytes(examples.example("gather-2").path.read_bytes())
        return
    fill_npy(folder / "x.npy")
    desc = dml.Tile(dml.TensorDesc("UINT8", (2, 3)), (2, 2))
    text = dump(dml.Session((Experiment("mine", desc), Experiment("other", desc, notes="What is it?"))))
    file.write_text(text.replace('"values": {}', '"values": {"InputTensor": {"npy": "x.npy"}}'), "utf-8")


def fill_npy(file: Path) -> None:
    np.save(file, np.arange(6, dtype=np.uint8).reshape(2, 3))


def change_file(random_: random.Random, folder: Path) -> None:
    """Somebody takes the lesson away, or writes noise or another one into it."""
    how = random_.randrange(3)
    if how == 0:
        (folder / LESSON).unlink(missing_ok=True)
    elif how == 1:
        (folder / LESSON).write_bytes(random_.randbytes(50))
    else:
        fill(random_, folder)


def change_npy(random_: random.Random, file: Path) -> None:
    """Somebody takes the array away, cuts it off, or writes noise or another one into it, while it may be open."""
    how = random_.randrange(6)
    if how == 0:
        file.unlink(missing_ok=True)
    elif how == 1:
        file.write_bytes(random_.randbytes(200))
    elif how == 2 and file.exists():
        os.truncate(file, random_.randrange(file.stat().st_size + 1))
    elif how == 3:
        np.save(file, np.zeros((random_.randint(1, 4), 3), random_.choice([np.uint8, np.int64])))
    elif how == 4:
        np.save(file, np.full((2, 3), random_.randrange(256), np.uint8))
    else:
        fill_npy(file)


# ---- lives


def live(random_: random.Random, folder: Path, disk: Disk, acts: int, promise: Promise | None) -> Promise | None:
    """One life, of that many acts, to an end of any kind."""
    if promise is None:
        fill(random_, folder)
    else:  # what was kept is held against what it was: nobody touches its files
        (folder / SMALL).write_bytes(examples.example("split-1").path.read_bytes())
    life = Life(random_, folder, disk, LESSON if promise is None else SMALL)
    try:
        if promise is not None:
            keep_promise(life, promise)
            note("what was promised is there")
        looks_at_memory = random_.random() < 0.3 and life.calm()
        first = 0
        if looks_at_memory:
            life.open_small()
            first = life.memory()
        for _ in range(acts * (2 if looks_at_memory else 1)):
            if not life.is_alive:
                break
            life.act()
        life.check()
        if not life.is_alive or not life.calm():
            life.ended(None)
            return None
        life.check_nothing_half_written()
        if looks_at_memory:
            life.open_small()
            held = life.memory()
            note(f"{first >> 20} MB at first, {held >> 20} in the end")
            assert held <= first + MORE_MEMORY, (first, held)
        end = random_.choice(ENDS)
        note(f"{end.__name__} after {len(life.sent)} acts")
        return end(life)
    except BaseException:
        print("sent last:", *(each[:200] for each in life.sent[-25:]), sep="\n")
        print("\n".join(line.rstrip() for line in life.terminal.text().splitlines() if line.strip()))
        print(life.threads())
        print(*(each.read_text() for each in folder.rglob("fault.txt")))
        raise
    finally:
        life.room()
        life.terminal.process.close(force=True)


def week(seconds: float, seed: int = 0, acts: int = 120, within: Path | None = None) -> int:
    """Lives one after the other, for so long; how many there were. Raises AssertionError where a promise was broken."""
    random_, ends, count = random.Random(seed), time.monotonic() + seconds, 0
    promise: Promise | None = None
    with tempfile.TemporaryDirectory(dir=within) as name:
        folder = Path(name) / "here"  # a name that was typed may lead one up
        (folder / ".home").mkdir(parents=True)
        disk = Disk(folder)
        if not disk.is_own:
            instead = "limits of files stand for it" if disk.can_fill else "none gets full"
            print(f"no disk of its own can be made here: {instead}.")
        while time.monotonic() < ends or count == 0 or promise is not None:
            promise = live(random_, folder, disk, acts, promise)
            count += 1
    return count


def main() -> None:
    seconds, seed = [float(each) for each in [*sys.argv[1:], *("60", "0")[len(sys.argv) - 1 :]]][:2]
    if OWN in os.environ:
        print(f"{week(seconds, int(seed), within=Path(os.environ[OWN]))} lives, nothing broken")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the process on its own disk ends with this one
    with tempfile.TemporaryDirectory() as name:
        called = with_own_disk([sys.executable, __file__, str(seconds), str(seed)], Path(name))
        if called[0] == sys.executable:
            print(f"{week(seconds, int(seed))} lives, nothing broken")
        else:
            raise SystemExit(subprocess.run(called, check=False).returncode)


if __name__ == "__main__":
    main()
