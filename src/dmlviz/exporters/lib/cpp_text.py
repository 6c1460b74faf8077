"""C++ text. What a session's author wrote stands in `//` comments alone, which nothing in it can end."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from ...desc.fields import INT, UINT, Role
from ...desc.tensors import braces
from ...desc.value_sources import Listed, Npy, ValueSource, Wired
from ...desc.values import Constant, Cycle, Fill, Iota, Random
from ...errors import cut, quote
from ...formats.json_text import escaped
from ...formats.number_text import int32, uint
from ...operators.registry import operator_of
from ...operators.report import Severity
from ...session.experiments import Experiment
from ...session.wiring import wire_text

WIDTH = 110
MOST_TEXT = 200
MOST_MESSAGE = 600
MOST_SHOWN = 64
"""Columns of a line; characters of a name, and of a sentence; index or length values that are shown."""


def quoted(text: str) -> str:
    """`text`, cut, as a JSON string on one line of a comment; what isn't printed is escaped."""
    return escaped(json.dumps(cut(text, MOST_TEXT), ensure_ascii=False)).replace("??", "?\\u003f")


def comment(text: str, indent: str = "", first: str = "") -> Iterator[str]:
    """`text` as lines of comments; `first` begins the first one, and is as long as what begins the others."""
    kept = text if len(text) <= MOST_MESSAGE else text[: MOST_MESSAGE - 3] + "..."
    plain = "".join(c if c.isprintable() else " " for c in kept).replace("\\", "/").replace("??", "? ?")
    room = WIDTH - len(indent) - 3 - len(first)
    for i, line in enumerate(textwrap.wrap(plain, room, break_on_hyphens=False)):
        # A compiler that takes the file to be in another code page may read the line's end as half of a character.
        ended = line if line[-1].isascii() else f"{line} ."
        yield f"{indent}// {' ' * len(first) if i else first}{ended}"


def array(declaration: str, numbers: Sequence[int], *, signed: bool = False) -> Iterator[str]:
    yield from listing(f"{declaration} =", [int32(n) if signed else uint(n) for n in numbers])


def listing(head: str, items: Sequence[str], indent: str = "    ") -> Iterator[str]:
    line = f"{indent}{head} {{{', '.join(items)}}};"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{indent}{head} {{"
    row = ""
    for item in items:
        if row and len(indent) + 4 + len(row) + len(item) + 2 > WIDTH:
            yield f"{indent}    {row}"
            row = ""
        row += f"{' ' * bool(row)}{item},"
    yield f"{indent}    {row}"
    yield f"{indent}}};"


def wrap_comments(numbers: Iterable[int], *, signed: bool = False) -> Iterator[str]:
    """A comment for each number that no UINT, or no INT, holds, which says what becomes of it."""
    bounds = INT if signed else UINT
    for number in dict.fromkeys(numbers):
        if not bounds.holds(number):
            wrapped = (number - bounds.low) % 2**32 + bounds.low
            yield from comment(f"{quote(number, 40)} is no {bounds.type}: it becomes {wrapped} here.", "    ")


def camel(name: str) -> str:
    return name[:1].lower() + name[1:]


def heading(one: Experiment) -> Iterator[str]:
    """The comment above a function: the experiment's name and level, and every rule that it breaks."""
    yield f"// Experiment {quoted(one.name)}"
    report = one.check()
    level = f"// at DML_FEATURE_LEVEL_{one.feature_level.value}"
    if report.is_refused:
        yield f"{level}. CreateOperator may answer E_INVALIDARG (0x80070057):"
    elif report.lowest_level is not None:
        yield f"{level}; it is valid from {report.lowest_level} on."
    else:
        yield f"{level}."
    for check in (cause.told for cause in report.causes):
        kind = "" if check.severity is Severity.ERROR else f"{check.severity} "
        yield from comment(f"{kind}{check.id} ({check.field}): {check.message}", first="- ")


def fill_comments(one: Experiment) -> Iterator[str]:
    """Comments that say what fills the inputs, which is no part of a desc; small index and length values are shown."""
    for k, part in enumerate(one.desc.inputs):
        source: ValueSource | Fill | None = one.values.get(part.path)
        source = source or operator_of(one.desc).default_fill(one.desc, k)
        if isinstance(source, Listed):
            is_shown = part.field.role is not Role.DATA and len(source.items) <= MOST_SHOWN
            items = braces(quote(item, 40) for item in source.items) if is_shown else ""
            fill = f"{items or f'{len(source.items):,} listed values'}."
        elif isinstance(source, Npy):
            fill = f"the array in {quote(source.file)}."
        elif isinstance(source, Wired):
            fill = f"{wire_text(source)}."
        elif isinstance(source, Random):
            fill = f"random values of seed {quote(source.seed, 40)}."
        elif isinstance(source, Constant):
            fill = f"{quote(source.value, 40)} everywhere."
        elif isinstance(source, Iota):
            fill = f"{quote(source.start, 40)} and on in steps of {quote(source.step, 40)}."
        elif isinstance(source, Cycle):
            fill = f"0, 1, 2, ... modulo {quote(source.n, 40)}."
        else:
            fill = "1, 2, 3, ..."
        yield from comment(f"{part.path} holds {fill}", "    ")
