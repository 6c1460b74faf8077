"""A session file of dmlviz's own."""

from __future__ import annotations

from pathlib import Path

from ..errors import DmlvizError
from ..session.places import session_places
from ..session.reading import parse
from .lib.imported import Imported, ImportFailedError, Remark

TITLE = "a dmlviz session"
ORDER = 0


def knows(data: bytes, name: str) -> bool:
    """True for JSON with dmlviz's version in it; a DxDispatch model may hold that word too."""
    if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{" or b'"dmlviz"' not in data:
        return False
    return b'"experiments"' in data or b'"dispatchables"' not in data


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """Every experiment that can be read; a remark for each that can't. Raises ImportFailedError where none can."""
    try:
        session, errors = parse(data, name, folder)
    except DmlvizError as error:
        raise ImportFailedError(str(error)) from None
    if not session.experiments:
        raise ImportFailedError(str(errors[0]))
    taken = [
        Remark(f"experiment {i + 1}", True, experiment.desc.TYPE) for i, experiment in enumerate(session.experiments)
    ]
    left = [Remark(name, False, str(error).removeprefix(f"{name}: ")) for error in errors]
    return Imported(session.experiments, (*taken, *left), lambda: session_places(data, session, errors))
