"""JSON laid out for people: short things on one line, long rows of numbers wrapped, nothing that a terminal obeys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...formats.json_text import escaped

WIDTH = 110
"""Columns that a line may have."""


def json_page(document: Any) -> str:
    """`document` as JSON that ends with a line break. Raises ValueError for a number that JSON doesn't know."""
    return escaped("".join(_laid_out(document, 0, 0))) + "\n"


def _laid_out(node: Any, depth: int, used: int) -> Iterator[str]:
    """The text of `node`, whose first line stands `used` columns behind its indentation."""
    line = _text(node)
    if 2 * depth + used + len(line) <= WIDTH or not node or not isinstance(node, (dict, list)):
        yield line
        return
    inner = "  " * (depth + 1)
    if isinstance(node, list) and not any(isinstance(item, (dict, list)) for item in node):
        yield f"[\n{inner}" + f",\n{inner}".join(_rows(node, WIDTH - len(inner))) + f"\n{inner[2:]}]"
        return
    yield line[0]
    keys = [f"{_text(key)}: " for key in node] if isinstance(node, dict) else [""] * len(node)
    for i, (name, item) in enumerate(zip(keys, node.values() if isinstance(node, dict) else node, strict=True)):
        yield f"{',' * bool(i)}\n{inner}{name}"
        yield from _laid_out(item, depth + 1, len(name) + 1)
    yield f"\n{inner[2:]}{line[-1]}"


def _rows(items: list[Any], width: int) -> Iterator[str]:
    """Numbers and texts side by side, as many as a line takes."""
    row, room = "", width
    for text in map(_text, items):
        if row and len(text) + 2 > room:
            yield row
            row, room = "", width
        row += f", {text}" if row else text
        room -= len(text) + 2
    yield row


def _text(node: Any) -> str:
    return json.dumps(node, ensure_ascii=False, allow_nan=False)
