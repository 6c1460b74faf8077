"""A session file of dmlviz's own."""

from __future__ import annotations

from pathlib import Path

from ..errors import DmlvizError
from ..session.places import session_places
from ..session.reading import parse
from .lib.found import Item, own_items
from .lib.imported import ImportFailedError, Note

TITLE = "a dmlviz session"
ORDER = 0


def knows(data: bytes, name: str) -> bool:
    """True for JSON with dmlviz's version in it; a DxDispatch model may hold that word too."""
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{" or b'"dmlviz"' not in data:
        return False
    return b'"experiments"' in data or b'"dispatchables"' not in data


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """Every experiment that can be read; a note for each that can't. Raises ImportFailedError where none can."""
    missing: list[str] = []
    try:
        session, errors = parse(data, name, folder, missing=missing)
    except DmlvizError as error:
        raise ImportFailedError(str(error)) from None
    if not session.experiments:
        raise ImportFailedError(str(errors[0]))
    settled = tuple(one.settled() for one in session.experiments) if missing else session.experiments
    found = own_items(settled, lambda: session_places(data, session, errors))
    return [*found, *map(Note, [*missing, *(str(error).removeprefix(f"{name}: ") for error in errors)])]
