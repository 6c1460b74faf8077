"""Lines of NumPy or PyTorch: `np.take(x, [0, 2], axis=1)`, `torch.cat([a, b], dim=-1)`.

A line is parsed and looked at, never evaluated. Shapes come from assignments, `x = np.zeros((2, 3), np.float32)`, and
from comments, `# x: float32 (2, 3)`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from ...errors import plain
from ...stopping import checkpoint
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from ..lib.pasted_text import typed_lines
from .functions import MOVERS
from .reader import Reader

TITLE = "a line of NumPy or PyTorch"
ORDER = 90

MOST_TEXT = 1 << 16
MOST_AROUND = 1 << 18
"""Bytes of a text in which lines of Python are looked for."""
MOST_LINES = 60
"""Of one statement amid prose."""
_NAMES = "|".join(sorted({name.rpartition(".")[2] for name in MOVERS}, reverse=True))
_CALLED = rf"\b(?:np|numpy|torch|F|nn\.functional)[ \t]{{0,9}}\.[ \t]{{0,9}}(?:{_NAMES})[ \t]{{0,9}}\("
_CALL = re.compile(
    rb"\b(?:np|numpy|torch|tf|jnp|helper)\s{0,9}\.\s{0,9}[a-z_][\w.]{0,99}\s{0,9}\(|"
    rb"\.(?:take|split|chunk|tile|repeat|index_select|flip)\s{0,9}\(|"
    rb"\b(?:take|concatenate|cat|tile|index_select|make_node)\(|\bF\.embedding\(|\bnn\.Embedding\(|"
    rb"\b(?:from|import)\s{1,9}(?:numpy|torch)\b|"
    rb"#\s{0,9}\w{1,99}\s{0,9}:\s{0,9}[a-z]{3,8}\d{1,2}\s{0,9}[(\[]"
)
_FOREIGN = re.compile(rb"_OPERATOR_DESC\s{1,9}\w{1,99}\s{0,9}[={;]|dml::|#include|\x00|\bint main\b")
_BEGINS = re.compile(
    r"[ \t]*(?:[A-Za-z_][\w.]*+[ \t]*(?:\(|\[|[-+*/]?=|,|:)|@|"
    r"(?:from|import|with|for|def|if|elif|else|except|finally|while|class|try)\b)"
)
_GOES_ON = re.compile(r"never closed|EOF|indented block|unterminated triple")
"""What Python says of a statement whose lines aren't all there."""
_HEAD = re.compile(r"\s*(?:if|elif|else|for|while|try|except|finally|def|class|async|match|case)\b[^#]*:\s*(?:#.*)?")
"""A line of which what stands below, indented, depends."""
_TELLS = (ast.Call, ast.Subscript)
"""Expressions that say something of an array where they stand alone."""


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
    if len(data) > MOST_AROUND:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_AROUND:,} around Python.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportFailedError(f"{name} is not UTF-8, expected a line of NumPy or PyTorch.") from None
    text = typed_lines(text.replace("\r\n", "\n").replace("\r", "\n"))
    reader = Reader(text)
    body, why = _parsed(text)
    lines = text.split("\n")
    statements: list[ast.stmt | int] = [*(_amid_prose(lines) if why else body)]
    if why and all(isinstance(statement, int) for statement in statements):
        raise ImportFailedError(f"{name}: {why}.")
    for statement in statements:
        checkpoint()
        if isinstance(statement, int):
            reader.lost(lines[statement][:MOST_TEXT], statement + 1)
        else:
            reader.statement(statement)
    if not any(isinstance(item, Found) for item in reader.items):
        notes = [item for item in reader.items if isinstance(item, Note)]
        first = min(notes, key=lambda note: not note.unchecked, default=Note("there is no call in it."))
        where = f"line {first.line:,}: " if first.line else ""
        only_others = reader.others and not first.unchecked
        raise ImportFailedError(f"{name}: {where}{first.text}", Why.NOTHING if only_others else Why.UNREADABLE)
    return reader.items


def _parsed(text: str) -> tuple[list[ast.stmt], str]:
    """The statements of a text, or why there are none: a sentence without its full stop."""
    if len(text.strip("\n")) > MOST_TEXT:
        return [], f"it has {len(text):,} characters, expected at most {MOST_TEXT:,} of Python"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            return ast.parse(text).body, ""
    except SyntaxError as error:
        return [], f"line {error.lineno or 1} is no Python: {plain(error.msg or '', 80)}"
    except (ValueError, MemoryError, RecursionError, OverflowError):
        return [], "it is nested too deep or no text, expected a plain call"


def _amid_prose(lines: list[str]) -> Iterator[ast.stmt | int]:
    """The statements that can be parsed by themselves, and the numbers, from 0, of the lines between them."""
    left, number = 4 * MOST_TEXT, 0
    while number < len(lines):
        checkpoint()
        body: list[ast.stmt] = []
        end = number
        indent = len(lines[number]) - len(lines[number].lstrip())
        while _BEGINS.match(lines[number]) and end < min(number + MOST_LINES, len(lines)) and left > 0:
            end += 1
            is_head = lines[end - 1].rstrip().endswith(":")
            while is_head and end < len(lines) and lines[end][: indent + 1].isspace() | (not lines[end].strip()):
                end += 1
            # Behind `if 1:` a line may stand anywhere, and keeps its column.
            chunk = "\n".join(["if 1:"] * bool(indent) + lines[number:end])
            left -= len(chunk)
            body, why = _parsed(chunk)
            if body or not _GOES_ON.search(why):
                break
        if indent and body and isinstance(body[0], ast.If):
            body = body[0].body
        for one in body:
            ast.increment_lineno(one, number - bool(indent))
        if not body and _HEAD.fullmatch(lines[number]):
            yield from range(number, end)
        elif any(not isinstance(one, ast.Expr) or isinstance(one.value, _TELLS) for one in body):
            yield from body
        else:
            yield number
        number = end if body or _HEAD.fullmatch(lines[number]) else number + 1
