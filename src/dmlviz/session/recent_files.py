"""What was open lately: session files and examples, the latest first."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import DmlvizError, SessionError, plain
from ..formats.regular_files import read_regular
from . import examples
from .experiments import Session
from .reading import load
from .settings import write
from .whole_files import state_folder

MOST = 12
FIRST = "gather-2"
"""The example that a first launch opens."""


def default_file() -> Path:
    """The file, in the user's state folder, of what was open lately."""
    return state_folder() / "recent.json"


@dataclass(frozen=True)
class Opened:
    """A session, and where it came from."""

    session: Session
    path: Path | None = None
    example: str | None = None
    notice: str = ""
    """What the user should know about it."""
    saved: bool = True
    """False for what no session file holds: it came out of a token, or from another program."""
    seen: str | None = field(default=None, compare=False)
    """A digest of what its file held."""


class Recent:
    """The list in its file. A file that can't be read counts as none: it holds nothing that a user wrote."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.first_launch = True
        """True if nothing was ever open before."""
        self._welcomes = True  # the ways to begin are still to be offered
        self._entries: list[tuple[str, str]] = []
        try:
            tree = json.loads(read_regular(file))
            self._entries = [(str(kind), str(name)) for kind, name in tree["opened"] if kind in ("file", "example")]
            self.first_launch, self._welcomes = False, tree.get("welcome") is True
        except FileNotFoundError:
            pass
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            self.first_launch = self._welcomes = False

    @property
    def files(self) -> list[Path]:
        """Session files, the latest first; they may have gone since."""
        return [Path(name) for kind, name in self._entries if kind == "file"]

    def remember(self, path: Path | None, example: str | None = None) -> None:
        """Puts a file or an example first, where either is given. Raises SessionError where that can't be kept."""
        if path is None and example is None:
            return
        entry = ("file", str(path.absolute())) if path is not None else ("example", str(example))
        if self._entries[:1] == [entry]:
            return
        self._entries = [entry, *(other for other in self._entries if other != entry)][:MOST]
        self.keep()

    def keep(self) -> None:
        """Writes the list, after which no launch is the first. Raises SessionError where that can't be done."""
        more = {"welcome": True} if self._welcomes else {}
        write(self._file, {"opened": [list(opened) for opened in self._entries], **more})

    def take_welcome(self) -> bool:
        """True, once, if ways to begin are to be offered: at the first launch without a file, if that can be kept."""
        if not self._welcomes:
            return False
        self._welcomes = False
        try:
            self.keep()
        except (SessionError, OSError):
            return False
        return True

    def last(self) -> Opened:
        """The session to begin with: the last one, or an example where there is none, or it has gone."""
        notice = ""
        if self._entries:
            kind, name = self._entries[0]
            try:
                if kind == "example":
                    return Opened(examples.example(name).session(), example=name)
                path = Path(name)
                return Opened(load(path), path, notice=f"the session you had open last: {plain(name)}")
            except (DmlvizError, ValueError) as error:
                notice = f"The last session can't be opened, so here is an example: {error}"
        return first(notice)


def first(notice: str = "") -> Opened:
    """The example that a first launch opens, with a notice for the user."""
    return Opened(examples.example(FIRST).session(), example=FIRST, notice=notice)
