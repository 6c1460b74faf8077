"""C++ text with structs of DirectML, as people paste it into an issue. Nothing has to compile.

A desc is taken as it is when it is passed to CreateOperator, or else as it is at the end of its block.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..lib.found import Item
from ..lib.imported import ImportFailedError, Why
from ..lib.pasted_text import as_text, without_prose

TITLE = "C++ with DML_*_OPERATOR_DESC structs"
ORDER = 40
MOST_BYTES = 1 << 20
_OTHERS = (".json", ".onnx", ".py", ".ipynb", ".npy", ".npz", ".pt", ".pth")
_OWN = (".cpp", ".cxx", ".cc", ".c", ".h", ".hpp", ".hxx", ".inl")
_MARK = b"_OPERATOR_DESC"
_USED = re.compile(rb"_OPERATOR_DESC[\s*&)]*+\w*+\s*+[={;\[]")
_CALLS = re.compile(rb"\bdml\s*+::|\bnamespace\s++dml\b|=\s*+(?:::\s*+)?dml\s*+;")
"""Names of DirectMLX, whose calls make operators and aren't read."""
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*+(?:\{\s*+["}]|\[\s*+[{"\d\]])')


def knows(data: bytes, name: str) -> bool:
    """True if it names an operator's struct as C++ does, and isn't what another source reads."""
    if name.lower().endswith(_OTHERS) or _JSON.match(data):
        return False
    if name.lower().endswith(_OWN):
        return _MARK in data or _CALLS.search(data) is not None
    return _USED.search(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The descs in C++ text, and notes on others; no other file of `folder` is read. Raises ImportFailedError."""
    from .statements import items_of

    if len(data) > MOST_BYTES:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_BYTES:,} of C++.")
    text = without_prose(as_text(data))
    try:
        items = sorted(items_of(text.encode()), key=lambda item: item.line)
    except RecursionError:
        raise ImportFailedError(f"{name} is too deep to be read as C++, expected plain initialisers.") from None
    if not items:
        none = f"{name} holds no desc that can be read: no struct of an operator is filled."
        raise ImportFailedError(none, Why.NOT_FILLED)
    return items
