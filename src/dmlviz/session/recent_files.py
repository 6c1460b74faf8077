"""What was open lately, session files and examples, the latest first."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from ..errors import DmlvizError, plain
from . import examples
from .document import Document
from .kept import Kept
from .reading import load
from .whole_files import digest_of, state_folder

MOST = 12
FIRST = "gather-2"


class _Entries(Struct):
    opened: list[tuple[str, str]]
    """(file or example, its path or name)"""


class Recent:
    """What was open lately, by default the user's own list. A file that can't be read is none: no user wrote it."""

    def __init__(self, file: Path | None = None) -> None:
        self._kept: Kept[_Entries] = Kept(file or state_folder() / "recent.json", _Entries)
        found = self._kept.read()
        self.first_launch = found is None and not self._kept.problem
        self._entries = found or _Entries([])

    @property
    def files(self) -> list[Path]:
        """Session files, the latest first; they may have gone since."""
        return [Path(name) for kind, name in self._entries.opened if kind == "file"]

    def remember(self, path: Path | None, example: str | None = None) -> None:
        """Puts a file or an example first, where either is given. Raises SessionError where that can't be kept."""
        entry = ("file", str(path.absolute())) if path is not None else ("example", example or "")
        before = self._entries.opened
        if entry[1] and before[:1] != [entry]:
            self._entries.opened = [entry, *(other for other in before if other != entry)][:MOST]
            self.keep()

    def keep(self) -> None:
        """Writes the list, after which no launch is the first. Raises SessionError where that can't be done."""
        self._kept.write(self._entries)

    def last(self) -> Document:
        """The document to begin with: the last one, or an example where there is none, or it has gone."""
        if not self._entries.opened:
            return first()
        kind, name = self._entries.opened[0]
        try:
            if kind == "example":
                return _offered(name)
            doc = Document(load(name), Path(name), digest_of(Path(name)))
            doc.notice = f"the session you had open last: {plain(name)}"
        except (DmlvizError, ValueError) as error:
            doc = first()
            doc.notice = f"The last session can't be opened, so here is an example: {error}"
        return doc


def first() -> Document:
    return _offered(FIRST)


def _offered(example: str) -> Document:
    doc = Document(examples.example(example).session(), example=example)
    doc.is_offered = True
    return doc
