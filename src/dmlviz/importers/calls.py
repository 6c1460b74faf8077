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
import textwrap
import warnings
from pathlib import Path

from ..errors import plain
from .lib.call_reader import Reader
from .lib.imported import Imported, ImportFailedError
from .lib.known_arrays import Left

TITLE = "a line of NumPy or PyTorch"
ORDER = 90

MOST_TEXT = 1 << 16
MOST_BRACKETS = 40
_HEAD = 1 << 12
_CALL = re.compile(
    rb"\b(?:np|numpy|torch)\s{0,9}\.\s{0,9}[a-z_]|"
    rb"\.(?:take|split|chunk|tile|repeat|index_select|flip)\s{0,9}\(|"
    rb"\b(?:take|concatenate|cat|tile|index_select)\(|"
    rb"\b(?:from|import)\s{1,9}(?:numpy|torch)\b|"
    rb"#\s{0,9}\w{1,99}\s{0,9}:\s{0,9}[a-z]{3,8}\d{1,2}\s{0,9}[(\[]"
)
_FOREIGN = re.compile(rb"DML_|dml::|#include|\x00|\bint main\b")
_BRACKETS = re.compile(r"[()\[\]{}]")
_PROMPT = re.compile(r"[ \t]{0,40}(?:>>>|\.\.\.)(?: |$)")
_ODD = re.compile(r"[-+~]{50}|(?:not\s{1,9}){50}|(?:[-+~]\s{1,9}){50}")


def knows(data: bytes, name: str) -> bool:
    """True for what begins with a call of either library and is neither JSON nor C++, and for a file of Python."""
    head = data[:_HEAD]
    if _FOREIGN.search(head) or head.lstrip()[:1] in (b"{", b"<"):
        return False
    return name.lower().endswith(".py") or _CALL.search(head) is not None


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """The calls of `data` as experiments. Raises ImportFailedError where none could be taken."""
    if len(data) > MOST_TEXT:
        raise ImportFailedError(f"{name} has {len(data):,} bytes, expected at most {MOST_TEXT:,} of Python.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportFailedError(f"{name} is not UTF-8, expected a line of NumPy or PyTorch.") from None
    text = _without_prompts(text.replace("\r\n", "\n").replace("\r", "\n"))
    reader = Reader(text)
    try:
        body = _parsed(text)
    except Left as error:
        raise ImportFailedError(f"{name}: {error}.") from None
    for statement in body:
        reader.statement(statement)
    if not reader.experiments:
        first = next((each for each in reader.remarks if not each.taken), None)
        why = (
            f"{first.where}: {first.text}" if first else "there is no call in it, expected one such as np.take(x, [0])."
        )
        raise ImportFailedError(f"{name}: {why}")
    return Imported(tuple(reader.experiments), tuple(reader.remarks))


def _without_prompts(text: str) -> str:
    """A pasted dialogue as the lines that were typed in it, each where it was."""
    if ">>>" not in text:
        return textwrap.dedent(text)
    lines = text.split("\n")
    typed = [found.end() if (found := _PROMPT.match(line)) else None for line in lines]
    if not any(typed):
        return textwrap.dedent(text)
    return "\n".join(line[at:] if at is not None else "" for line, at in zip(lines, typed, strict=True))


def _parsed(text: str) -> list[ast.stmt]:
    """The statements of a text. Raises Left."""
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        depth = depth + 1 if found[0] in "([{" else max(0, depth - 1)
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
