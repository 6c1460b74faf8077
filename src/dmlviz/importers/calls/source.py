"""Lines of NumPy or PyTorch as a source: they are parsed and looked at, never evaluated."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...stopping import checkpoint
from ..lib.found import Item
from ..lib.imported import ImportFailedError
from ..lib.pasted_text import as_text, typed_lines
from .reader import Reader

TITLE = "a line of NumPy or PyTorch"
ORDER = 90

MOST_TEXT = 1 << 16  # bytes
_CALL = re.compile(
    rb"\b(?:np|numpy|torch|tf|jnp|F|nn)\s{0,9}\.\s{0,9}\w[\w.]{0,99}\s{0,9}\(|"
    rb"(?:\.|\b)(?:take|concatenate|cat|split|chunk|tile|repeat|index_select|flip)\(|"
    rb"\b(?:from|import)\s{1,9}(?:numpy|torch)\b|\bhelper\.make_node\(|"
    rb"#\s{0,9}\w{1,99}\s{0,9}:\s{0,9}[a-z]{3,8}\d{1,2}\s{0,9}[(\[]"
)
_FOREIGN = re.compile(rb"_OPERATOR_DESC\s{1,9}\w{1,99}\s{0,9}[={;]|dml::|#include|\x00|\bint main\b")
_HEAD = re.compile(r"\s*(?:if|elif|else|for|while|with|try|except|finally|def|class|async|match|case)\b")


def knows(data: bytes, name: str) -> bool:
    if data.lstrip()[:1] in (b"{", b"<") or _FOREIGN.search(data):
        return False
    return name.lower().endswith(".py") or _CALL.search(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The calls, at least one, and what isn't read; of no Python as a whole, the lines that are."""
    if len(data) > MOST_TEXT:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_TEXT:,} of Python.")
    text = typed_lines(as_text(data))
    lines = text.split("\n")
    reader = Reader(text)
    for statement in _statements(lines):
        checkpoint()
        if isinstance(statement, int):
            reader.lost(lines[statement - 1], statement)
        else:
            reader.statement(statement)
    if not (reader.items or reader.others):
        raise ImportFailedError(f"{name}: there is no call in it.")
    return reader.items


def _statements(lines: Sequence[str]) -> Iterator[ast.stmt | int]:
    whole = _parsed("\n".join(lines), 1)
    yield from whole or []
    margin, is_quoted = 0, False
    for number, line in enumerate(lines if whole is None else [], 1):
        indent = len(line) - len(line.lstrip())
        is_quoted ^= line.count('"""') % 2 > 0
        if is_quoted or not line.strip() or 0 < margin <= indent:
            yield number
            continue
        is_open = sum(map(line.count, "([{")) > sum(map(line.count, ")]}"))
        margin = indent + 1 if is_open or _HEAD.match(line) else 0
        body = None if margin else _parsed(line.strip(), number)
        yield from [number] if body is None else body


def _parsed(text: str, line: int) -> list[ast.stmt] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            tree = ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return None
    return ast.increment_lineno(tree, line - 1).body
