"""A token: `dml1:...` alone, or in the docstring of a script that dmlviz exported, of which no line is read."""

from __future__ import annotations

import re
from pathlib import Path

from ..session.tokens import TokenError, experiments_of, is_token
from .lib.found import Item, own_items
from .lib.imported import ImportFailedError

TITLE = "a shared token, a script with one"
ORDER = 1

_SCRIPT = re.compile(rb'(?:\xef\xbb\xbf)?\s*+"""A session of dmlviz')


def knows(data: bytes, name: str) -> bool:
    """True if the text begins as a token of any version does, or as a script that `dmlviz export` writes."""
    return _SCRIPT.match(data) is not None or is_token(data[:256].decode("utf-8-sig", "replace").lstrip())


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The experiments of the token. Raises ImportFailedError for one that is missing, cut, damaged or newer."""
    text = data.decode("utf-8-sig", "replace").lstrip()
    if _SCRIPT.match(data):
        docstring = re.split(r'\n[ \t]*"""', text.replace("\r\n", "\n"))[0]
        text = re.split(r"\n[ \t]*\n", docstring)[-1].strip()
        if not is_token(text):
            raise ImportFailedError(f"{name}: this script has no token, expected the session that it came from.")
    try:
        return [*own_items(experiments_of(text))]
    except TokenError as error:
        raise ImportFailedError(f"{name}: {error}") from None
