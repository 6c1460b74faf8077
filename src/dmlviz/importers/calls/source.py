"""Lines of NumPy or PyTorch: `np.take(x, [0, 2], axis=1)`, `torch.cat([a, b], dim=-1)`.

A line is parsed and looked at, never evaluated. The shapes of its arrays come from:

- assignments: `x = np.zeros((2, 3), np.float32)`,
- annotations: `x: "float32[2, 3]"`,
- comparisons: `x.shape == (2, 3)`,
- comments: `# x: float32 (2, 3)`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from pathlib import Path

from ...errors import plain
from ...stopping import checked, checkpoint
from ..lib.imported import Imported, ImportFailedError, NothingHereError
from ..lib.pasted_text import typed_lines
from ..lib.wired import wired, with_roots
from .call_reader import Lost, Reader
from .element_movers import CALLED
from .known_arrays import Left

TITLE = "a line of NumPy or PyTorch"
ORDER = 90
AMID_PROSE = True
"""Lines of Python are found amid other text."""

MOST_TEXT = 1 << 16
MOST_BRACKETS = 40
MOST_AROUND = 1 << 20
"""Bytes of a text in which lines of Python are looked for."""
MOST_LINES = 60
"""Of one statement amid prose."""
_CALL = re.compile(
    rb"\b(?:np|numpy|torch)\s{0,9}\.\s{0,9}[a-z_][\w.]{0,99}\s{0,9}\(|"
    rb"\.(?:take|split|chunk|tile|repeat|index_select|flip)\s{0,9}\(|"
    rb"\b(?:take|concatenate|cat|tile|index_select)\(|\bF\.embedding\(|\bnn\.Embedding\(|"
    rb"\b(?:from|import)\s{1,9}(?:numpy|torch)\b|"
    rb"#\s{0,9}\w{1,99}\s{0,9}:\s{0,9}[a-z]{3,8}\d{1,2}\s{0,9}[(\[]"
)
_FOREIGN = re.compile(rb"_OPERATOR_DESC\s{1,9}\w{1,99}\s{0,9}[={;]|dml::|#include|\x00|\bint main\b")
_BRACKETS = re.compile(r"[()\[\]{}]")
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|#.*')
_BEGINS = re.compile(
    r"[A-Za-z_]\w*[\w.]*+[ \t]*(?:\(|\[|[-+*/]?=|,|:)|(?:from|import|with|for|def|if|while|class|try|@)\b|@"
)
_ASSIGNS = re.compile(r"[ \t]*+(\w+(?:[ \t]*+,[ \t]*+\w+)*+)[ \t]*+(?:[-+*/|&%@]|//|\*\*)?=(?!=)")
_ODD = re.compile(r"[-+~]{50}|(?:not\s{1,9}){50}|(?:[-+~]\s{1,9}){50}")


def knows(data: bytes, name: str) -> bool:
    """True for text with a call of either library that is neither JSON nor C++, and for a file of Python."""
    if data.lstrip()[:1] in (b"{", b"<") or _FOREIGN.search(data):
        return False
    return name.lower().endswith(".py") or _CALL.search(data) is not None


def operator_pattern() -> str:
    """A pattern for the call of an operator that is known here."""
    return CALLED


def line_pattern() -> str:
    """A pattern for the begin of a line that calls an operator, or assigns what it gives."""
    return rf"(?:\w+[ \t]*=[ \t]*)?{CALLED}"


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """The calls of `data` as experiments; of no Python as a whole, the lines that are. Raises ImportFailedError."""
    if len(data) > MOST_AROUND:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_AROUND:,} around Python.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportFailedError(f"{name} is not UTF-8, expected a line of NumPy or PyTorch.") from None
    text = typed_lines(text.replace("\r\n", "\n").replace("\r", "\n"))
    reader = Reader(text)
    try:
        body: Iterable[ast.stmt | Lost] = _parsed(text)
    except Left as error:
        body = _statements_amid_prose(text)
        if not any(isinstance(statement, ast.stmt) for statement in body):
            raise ImportFailedError(f"{name}: {error}.") from None
    for statement in checked(body):
        if isinstance(statement, Lost):
            reader.lost(statement)
        else:
            reader.statement(statement)
    if not reader.experiments:
        first = min(
            (remark for remark in reader.remarks if not remark.taken),
            key=lambda remark: not remark.unchecked,
            default=None,
        )
        why = (
            f"{first.where}: {first.text}" if first else "there is no call in it, expected one such as np.take(x, [0])."
        )
        raise (NothingHereError if reader.only_others else ImportFailedError)(f"{name}: {why}")
    return Imported(with_roots(wired(reader.experiments, reader.links), reader.roots), tuple(reader.remarks))


def _parsed(text: str) -> list[ast.stmt]:
    """The statements of a text. Raises Left."""
    if len(text) > MOST_TEXT:
        raise Left(f"it has {len(text):,} characters, expected at most {MOST_TEXT:,} of Python")
    depth = deepest = 0
    for bracket in _BRACKETS.finditer(text):
        depth = depth + 1 if bracket[0] in "([{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    if deepest > MOST_BRACKETS or _ODD.search(text):
        raise Left(f"it is nested more than {MOST_BRACKETS} deep, expected a plain call")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in strings
            return ast.parse(text).body
    except SyntaxError as error:
        raise Left(f"line {error.lineno or 1} is no Python: {plain(error.msg or '', 80)}") from None
    except (ValueError, MemoryError, RecursionError, OverflowError):
        raise Left("it is no Python that can be read, expected a plain call") from None


# ---- lines of Python amid prose -----------------------------------------------------------------------------------


def _statements_amid_prose(text: str) -> list[ast.stmt | Lost]:
    """The statements that can be parsed by themselves, and the lines between them that look like code."""
    lines = text.split("\n")
    depths = [_depth_and_sign(line) for line in lines]
    statements_found: list[ast.stmt | Lost] = []
    taken = 0
    number = 0
    while number < len(lines):
        checkpoint()
        end = _statement_end(lines, depths, number)
        if end is not None:
            chunk = "\n".join(lines[number:end])
            statements = _statements(chunk) if taken + len(chunk) <= MOST_TEXT else []
            if statements:
                taken += len(chunk)
                for statement in statements:
                    ast.increment_lineno(statement, number)
                statements_found += statements
                number = end
                continue
        statements_found += _lost_line(lines[number], number + 1)
        number += 1
    return statements_found


def _depth_and_sign(line: str) -> tuple[int, str]:
    """By how many brackets a line goes deeper, and its last sign outside of strings and comments."""
    if len(line) > MOST_TEXT:
        return -1, ""
    bare = _LITERAL.sub("", line)
    depth = sum(1 if bracket[0] in "([{" else -1 for bracket in _BRACKETS.finditer(bare))
    return depth, bare.rstrip()[-1:]


def _statement_end(lines: list[str], depths: list[tuple[int, str]], start: int) -> int | None:
    """The line behind a statement that begins at `start`; None where none does."""
    if not _BEGINS.match(lines[start].lstrip()):
        return None
    depth = 0
    for number in range(start, min(len(lines), start + MOST_LINES)):
        deeper, last = depths[number]
        depth += deeper
        if depth < 0 or (not last and not depth):
            return None
        if depth == 0 and last != "\\":
            return _body_end(lines, start, number) if last == ":" else number + 1
    return None


def _body_end(lines: list[str], start: int, head: int) -> int:
    """The line behind the body of a compound statement."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = head + 1
    for number in range(head + 1, min(len(lines), head + MOST_LINES)):
        line = lines[number]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent:
                break
            end = number + 1
    return end


def _statements(chunk: str) -> list[ast.stmt]:
    """The statements of a few lines, columns as in the text; none where they are no Python."""
    indent = len(chunk) - len(chunk.lstrip(" \t"))
    try:
        # Behind `if 1:` a line may stand anywhere, and keeps its column.
        statements = _parsed(f"if 1:\n{chunk}") if indent else _parsed(chunk)
    except Left:
        return []
    if indent and statements and isinstance(statements[0], ast.If):
        statements = statements[0].body
        for statement in statements:
            ast.increment_lineno(statement, -1)
    return [
        statement
        for statement in statements
        if not (isinstance(statement, ast.Expr) and not isinstance(statement.value, _TELLS))
    ]


_TELLS = (ast.Call, ast.Subscript, ast.Compare, ast.BoolOp)
"""Expressions that say something of an array where they stand alone."""


def _lost_line(line: str, number: int) -> list[ast.stmt | Lost]:
    """What a line that can't be parsed assigns or calls; nothing for one that does neither."""
    called = re.search(CALLED, line[:MOST_TEXT])
    names = _ASSIGNS.match(line[:MOST_TEXT])
    if called is None and names is None:
        return []
    assigned = tuple(re.findall(r"\w+", names[1])) if names is not None else ()
    return [Lost(number, assigned, called[0].rstrip("( \t") if called is not None else "")]
