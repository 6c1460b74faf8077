"""Lines of NumPy or PyTorch: `np.take(x, [0, 2], axis=1)`, `torch.cat([a, b], dim=-1)`.

A line is parsed and looked at, never evaluated. Shapes come from assignments, `x = np.zeros((2, 3), np.float32)`, and
from comments, `# x: float32 (2, 3)`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...stopping import checkpoint
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from ..lib.pasted_text import typed_lines
from .reader import CALLED, Reader

TITLE = "a line of NumPy or PyTorch"
ORDER = 90

MOST_TEXT, MOST_OPEN = 1 << 16, 50
"""Bytes of a text in which lines of Python are looked for; lines of a call that isn't closed."""
_CALL = re.compile(
    rb"\b(?:np|numpy|torch|tf|jnp)\s{0,9}\.\s{0,9}[a-z_][\w.]{0,99}\s{0,9}\(|"
    rb"\.(?:take|split|chunk|tile|repeat|index_select|flip)\s{0,9}\(|"
    rb"\b(?:take|concatenate|cat|tile|index_select)\(|\bF\.embedding\(|\bnn\.Embedding\(|"
    rb"\b(?:from|import)\s{1,9}(?:numpy|torch)\b|"
    rb"#\s{0,9}\w{1,99}\s{0,9}:\s{0,9}[a-z]{3,8}\d{1,2}\s{0,9}[(\[]"
)
_FOREIGN = re.compile(rb"_OPERATOR_DESC\s{1,9}\w{1,99}\s{0,9}[={;]|dml::|#include|\x00|\bint main\b")
_HEAD = re.compile(r"\s*(?:if|elif|else|for|while|with|try|except|finally|def|class|async|match|case)\b")
"""A line of which what stands below, indented, depends."""
_GOES_ON = re.compile(r"\s*(?:elif|else|except|finally)\b")


def knows(data: bytes, name: str) -> bool:
    """True for text with a call of either library that is neither JSON nor C++, and for a file of Python."""
    if data.lstrip()[:1] in (b"{", b"<") or _FOREIGN.search(data):
        return False
    return name.lower().endswith(".py") or _CALL.search(data) is not None


def line_pattern() -> str:
    """A pattern for the begin of a line that calls an operator, or assigns what it gives."""
    return rf"(?:\w+[ \t]*=[ \t]*)?{CALLED}"


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The calls, at least one, and what isn't read; of no Python as a whole, the lines that are."""
    if len(data) > MOST_TEXT:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_TEXT:,} of Python.")
    text = typed_lines(data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n"))
    lines = text.split("\n")
    reader = Reader(text)
    for statement in _statements(lines):
        checkpoint()
        if isinstance(statement, int):
            reader.lost(lines[statement - 1], statement)
        else:
            reader.statement(statement)
    if not any(isinstance(item, Found) for item in reader.items):
        notes = [item for item in reader.items if isinstance(item, Note)]
        first = min(notes, key=lambda note: not note.unchecked, default=Note("there is no call in it."))
        where = f"line {first.line:,}: " if first.line else ""
        only_others = reader.others and not first.unchecked
        raise ImportFailedError(f"{name}: {where}{first.text}", Why.NOTHING if only_others else Why.UNREADABLE)
    return reader.items


def _statements(lines: Sequence[str]) -> Iterator[ast.stmt | int]:
    """The statements of a text, or of its blocks that are Python, and the numbers of lines that are in none."""
    whole = _parsed(lines, 0)
    at = len(lines) if whole is not None else 0
    yield from whole or []
    while at < len(lines):
        end = _block_end(lines, at)
        body = _parsed(lines[at:end], at)
        if body is None:
            end = end if _HEAD.match(lines[at]) else at + 1
            yield from range(at + 1, end + 1)
        yield from body or []
        at = end


def _parsed(block: Sequence[str], at: int) -> list[ast.stmt] | None:
    """The statements of lines that may be indented; None where they are no Python."""
    is_indented = block[0][:1].isspace()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            tree = ast.parse("\n".join(["if 1:" if is_indented else "", *block]))
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return None
    ast.increment_lineno(tree, at - 1)
    return tree.body[0].body if is_indented and isinstance(tree.body[0], ast.If) else tree.body


def _block_end(lines: Sequence[str], at: int) -> int:
    """Where the statement ends that begins with a line: with all that hangs on it, or closes its brackets."""
    end, head = at + 1, _HEAD.match(lines[at])
    while end < len(lines):
        line = lines[end]
        hangs = head and (not line.strip() or _indent(line) > _indent(lines[at]) or _GOES_ON.match(line))
        if not hangs and (end - at > MOST_OPEN or not _is_open("\n".join(lines[at:end]))):
            break
        end += 1
    return end


def _is_open(text: str) -> bool:
    return text.count('"""') % 2 > 0 or sum(map(text.count, "([{")) > sum(map(text.count, ")]}"))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
