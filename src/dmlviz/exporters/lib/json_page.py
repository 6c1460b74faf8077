"""JSON laid out for people: short things on one line, long rows of numbers wrapped, nothing that a terminal obeys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 110
"""Columns that a line may have."""


def json_page(document: Any) -> str:
    """`document` as JSON that ends with a line break. Raises ValueError for a number that JSON doesn't know."""
    return escaped("".join(_laid_out(document, 0, 0))) + "\n"


def _laid_out(node: Any, depth: int, used: int) -> Iterator[str]:
    """The text of `node`, whose first line stands `used` columns behind its indentation."""
    line = json.dumps(node, ensure_ascii=False, allow_nan=False)
    if 2 * depth + used + len(line) <= WIDTH or not node or not isinstance(node, (Mapping, list)):
        yield line
        return
    inner, outer = "  " * (depth + 1), "  " * depth
    if isinstance(node, Mapping):
        yield "{\n"
        for i, (key, value) in enumerate(node.items()):
            name = f"{json.dumps(key, ensure_ascii=False)}: "
            yield f",\n{inner}{name}" if i else f"{inner}{name}"
            yield from _laid_out(value, depth + 1, len(name) + 1)
        yield f"\n{outer}}}"
    elif any(isinstance(item, (Mapping, list)) for item in node):
        yield "[\n"
        for i, item in enumerate(node):
            yield f",\n{inner}" if i else inner
            yield from _laid_out(item, depth + 1, 1)
        yield f"\n{outer}]"
    else:
        yield f"[\n{inner}" + f",\n{inner}".join(_rows(node, WIDTH - len(inner))) + f"\n{outer}]"


def _rows(numbers: Sequence[Any], width: int) -> Iterator[str]:
    """Numbers and texts side by side, as many as a line takes."""
    row: list[str] = []
    room = width
    for item in numbers:
        text = json.dumps(item, ensure_ascii=False, allow_nan=False)
        if row and len(text) + 2 > room:
            yield ", ".join(row)
            row, room = [], width
        row.append(text)
        room -= len(text) + 2
    yield ", ".join(row)


def escaped(text: str) -> str:
    r"""JSON text whose unprintable characters, all in strings, are written `\uXXXX`; line breaks stay."""
    return "\n".join(line if line.isprintable() else "".join(map(_escape, line)) for line in text.split("\n"))


def _escape(character: str) -> str:
    if character.isprintable():
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))
