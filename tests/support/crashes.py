"""Sessions that a crash left behind."""

from __future__ import annotations

from pathlib import Path

from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.recovery import Keeper, LostSession, find


def unsaved(session: Session, path: Path | None = None, number: int = 0, seen: str | None = None) -> Document:
    """A document of which no file holds anything."""
    document = Document(session, path, seen)
    document.number, document.saved = number, None
    return document


def crashed(where: Path, session: Session, path: Path | None = None, number: int = 0, seen: str | None = None) -> None:
    """Has an explorer that is gone have edited a session; `where` is the folder of such sessions."""
    said: list[str] = []
    keeper = Keeper(said.append, where)
    keeper.keep(unsaved(session, path, number, seen))
    assert keeper.close(clean=False)
    assert not said


def only(where: Path) -> LostSession:
    """The only one that is found, all of which is there."""
    (found,), said = find(where)
    assert said == []
    return found
