"""A script that dmlviz exported for NumPy, PyTorch or itself: the token in its docstring is read, and no line of it."""

from __future__ import annotations

import re
from pathlib import Path

from ..session.tokens import TokenError, experiments_of
from .lib.found import Item, own_items
from .lib.imported import ImportFailedError, Why

TITLE = "an exported script"
ORDER = 5

_BEGIN = b'"""A session of dmlviz'
_TOKEN = re.compile(r"\n\n(dml\d[^\"]*)\Z")


def knows(data: bytes, name: str) -> bool:
    """True for a script as `dmlviz export` writes it."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_BEGIN)


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The experiments of its session. Raises ImportFailedError for a token that is none, or that it doesn't hold."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    docstring = text[: text.find('\n"""', text.index('"""') + 3)]
    token = _TOKEN.search(docstring)
    if token is None:
        raise ImportFailedError(
            f"{name}: this script was exported before scripts held a token, or its session is too large for one; "
            "expected the session that it came from.",
            Why.NOT_READ,
        )
    try:
        experiments = experiments_of(token[1])
    except TokenError as error:
        raise ImportFailedError(f"{name}: {error}") from None
    found = own_items(experiments)
    for item in found:
        item.line = docstring.count("\n", 0, token.start(1)) + 1
        item.text = "the script's lines are not read"
    return [*found]
