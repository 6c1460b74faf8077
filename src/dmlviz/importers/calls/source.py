"""Lines of NumPy or PyTorch: `np.take(x, [0, 2], axis=1)`, `torch.cat([a, b], dim=-1)`.

A line is parsed and looked at, never evaluated. Shapes come from assignments, `x = np.zeros((2, 3), np.float32)`, and
from comments, `# x: float32 (2, 3)`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

from ...errors import plain
from ...stopping import checkpoint
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from ..lib.pasted_text import typed_lines
from .reader import MOVING, Reader

TITLE = "a line of NumPy or PyTorch"
ORDER = 90

MOST_TEXT = 1 << 16
"""Bytes of a text in which lines of Python are looked for."""
MOST_PARSED = 1 << 21
"""Characters that are parsed, again and again, until what is left is Python."""
_CALLED = rf"\b(?:np|numpy|torch|F|nn\.functional)[ \t]{{0,9}}\.[ \t]{{0,9}}(?:{MOVING})[ \t]{{0,9}}\("
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


def knows(data: bytes, name: str) -> bool:
    """True for text with a call of either library that is neither JSON nor C++, and for a file of Python."""
    if data.lstrip()[:1] in (b"{", b"<") or _FOREIGN.search(data):
        return False
    return name.lower().endswith(".py") or _CALL.search(data) is not None


def line_pattern() -> str:
    """A pattern for the begin of a line that calls an operator, or assigns what it gives."""
    return rf"(?:\w+[ \t]*=[ \t]*)?{_CALLED}"


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The calls, at least one, and what isn't read; of no Python as a whole, the lines that are."""
    if len(data) > MOST_TEXT:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_TEXT:,} of Python.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportFailedError(f"{name} is not UTF-8, expected a line of NumPy or PyTorch.") from None
    text = typed_lines(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = text.split("\n")
    left = [*lines]
    body, lost, why = _parsed(left)
    if not body and why:
        raise ImportFailedError(f"{name}: {why}.")
    reader = Reader("\n".join(left), lost)
    for number, statement in sorted([*((one.lineno, one) for one in body), *((n, None) for n in lost)], key=_first):
        checkpoint()
        if statement is None:
            reader.lost(lines[number - 1], number)
        else:
            reader.statement(statement)
    if not any(isinstance(item, Found) for item in reader.items):
        notes = [item for item in reader.items if isinstance(item, Note)]
        first = min(notes, key=lambda note: not note.unchecked, default=Note("there is no call in it."))
        where = f"line {first.line:,}: " if first.line else ""
        only_others = reader.others and not first.unchecked
        raise ImportFailedError(f"{name}: {where}{first.text}", Why.NOTHING if only_others else Why.UNREADABLE)
    return reader.items


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


def _parsed(left: list[str]) -> tuple[list[ast.stmt], list[int], str]:
    """The statements of a text, the lines that are no Python and are left out, and why the first of them isn't."""
    lines, lost, first, parsed = [*left], list[int](), "", 0
    while True:
        checkpoint()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes in strings
                return ast.parse("\n".join(left)).body, lost, first
        except SyntaxError as error:
            said = error.msg or ""
            head = re.search(r"on line (\d+)", said)
            number = int(head[1]) if head else error.lineno or 1
        except (ValueError, MemoryError, RecursionError, OverflowError):
            return [], [], "it is nested too deep or no text, expected a plain call"
        number = next((n for n in range(min(number, len(left)), 0, -1) if left[n - 1].strip()), 0)
        parsed += sum(map(len, left[:number])) + number
        if not number or parsed > MOST_PARSED:
            return [], [], "it has too much that is no Python, expected calls and assignments"
        if said != "unexpected indent" or not _moved_left(left, lines, number - 1):
            first = first or f"line {number} is no Python: {plain(said, 80)}"
            left[number - 1] = ""
            lost.append(number)


def _moved_left(left: list[str], lines: Sequence[str], at: int) -> bool:
    """Takes away the indentation of a block that begins at a line; False where it hangs on what stands above it."""
    above = next((line for line in reversed(lines[:at]) if line.strip() and _indent(line) < _indent(lines[at])), "")
    if _HEAD.match(above):
        return False
    indent = _indent(left[at])
    for k in range(at, len(left)):
        if left[k].strip() and _indent(left[k]) < indent:
            break
        left[k] = left[k][indent:]
    return True


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
