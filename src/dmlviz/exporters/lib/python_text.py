"""Python source text: literals, docstrings, and brackets as `ruff format --line-length 120` leaves them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from ...desc.value_sources import nest
from ...desc.values import Array
from ...session.notes import without_emphasis

WIDTH = 120
"""Columns of a line at most."""
MOST_TEXT = 64
"""Columns of a name or a title; what is longer is cut."""
MOST_LINES, LINE = 40, 108
"""Lines of notes and columns of each; what is longer is cut."""
MOST_WHOLE = 10_000
"""Floats from here on are written as floats wherever they stand."""
ROW = 16
"""Numbers in a row, where all of them would be too long for a line."""


# ---- text -------------------------------------------------------------------------------------------------------


def text_literal(text: str) -> str:
    """`text` as a string literal: in double quotes unless single ones need fewer escapes."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join("\\" + c if c == quote else escaped(c) for c in text) + quote


def escaped(character: str) -> str:
    """A character inside a string literal: a backslash and whatever can't be printed as escapes."""
    if character == "\\":
        return "\\\\"
    # Control characters, line separators, marks that turn text round, halves of characters.
    return character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")


def columns(text: str) -> int:
    """How wide `text` is at most: characters from Hangul on may be two columns wide."""
    return len(text) if text.isascii() else sum(2 if c >= "\u1100" else 1 for c in text)


def cut(text: str, most: int = MOST_TEXT) -> str:
    """`text` on one line, escaped for a string literal, of at most `most` columns."""
    return next(_wrapped(" ".join(text[: 4 * most].split()), most, "…"), "")


def docstring(first: str, notes: str = "") -> list[str]:
    """The lines of a docstring: a first one that is harmless and ends with a full stop, then notes, nothing in bold."""
    body = [_quoted(line) for line in _note_lines(notes)]
    if not body:
        return [f'"""{_quoted(first)}"""']
    return [f'"""{_quoted(first)}', "", *body, '"""']


def _quoted(line: str) -> str:
    """Escaped text inside a docstring, which three quotes would end."""
    return re.sub('"{3,}', lambda quotes: "'" * len(quotes[0]), line)


def _note_lines(notes: str) -> list[str]:
    # What can't be printed is escaped here already, so that no line begins or ends with strange blanks.
    """Lines of notes, escaped, without bold, and cut with … where they are too many."""
    kept = notes[: 4 * MOST_LINES * LINE].split("\n")[: 2 * MOST_LINES]
    lines: list[str] = []
    told = without_emphasis("\n".join(line.rstrip() for line in kept))
    for line in textwrap.dedent(told).strip("\n").split("\n"):
        lines += list(_wrapped(line, LINE)) or [""]
    more = len(lines) > MOST_LINES or len(notes) > 4 * MOST_LINES * LINE or notes.count("\n") >= len(kept)
    lines = lines[:MOST_LINES]
    while lines and not lines[-1]:
        lines.pop()
    return [*lines, "…"] if lines and more else lines


def _wrapped(line: str, most: int, ending: str = "") -> Iterator[str]:
    """`line` in pieces of at most `most` columns, escaped; one piece, with `ending`, where that is given."""
    blank = line[: len(line) - len(line.lstrip(" "))][: most // 2]
    piece, full = blank, columns(blank)
    for word in re.findall(" *[^ ]+", line.lstrip(" ")):
        text = "".join(map(escaped, word))
        if full + columns(text) > most and piece.strip() and not ending:
            yield piece
            piece, full, text = blank, columns(blank), text.lstrip(" ")
        for character in map(escaped, word if text[:1] == " " else word.lstrip(" ")):
            wide = columns(character)
            if full + wide > most:
                yield piece.rstrip(" ") + ending
                if ending:
                    return
                piece, full = blank, columns(blank)
            piece, full = piece + character, full + wide
    if piece.strip():
        yield piece.rstrip(" ")


# ---- brackets ---------------------------------------------------------------------------------------------------


class Group(Struct, frozen=True):
    """Items in brackets: `np.array(` ... `)` or `[` ... `]`."""

    opening: str
    items: Sequence[Node]
    closing: str

    @property
    def is_call(self) -> bool:
        return self.closing == ")"


Node = str | Group
"""Source text without a line break in it, or brackets that may be broken."""


def call(function: str, *items: Node) -> Group:
    return Group(f"{function}(", items, ")")


def listed(items: Sequence[Node]) -> Group:
    return Group("[", items, "]")


def flat(node: Node) -> str:
    """`node` on one line."""
    return node if isinstance(node, str) else f"{node.opening}{', '.join(map(flat, node.items))}{node.closing}"


def mapped(node: Node, change: Callable[[str], str]) -> Node:
    """`node` with each piece of its text changed."""
    if isinstance(node, str):
        return change(node)
    return Group(change(node.opening), [mapped(item, change) for item in node.items], node.closing)


def packed_nodes(nodes: Sequence[Node]) -> list[Node]:
    """The same items, which share lines as far as those are wide enough."""
    packed: list[Node] = []
    for node in nodes:
        row = f"{flat(packed[-1])}, {flat(node)}" if packed else ""
        if row and 8 + columns(f"{row},") <= WIDTH:
            packed[-1] = row
        else:
            packed.append(node)
    return packed


def laid_out(before: str, node: Node, after: str = "", indent: int = 4) -> list[str]:
    """The lines of `before`, `node`, `after`: on one if that is wide enough, else with what is in brackets indented.

    The items of a call stay together where they fit on one line; else each item has a line.
    """
    blank = " " * indent
    whole = f"{blank}{before}{flat(node)}{after}"
    if isinstance(node, str) or columns(whole) <= WIDTH:
        return [whole]
    inner = f"{blank}    {', '.join(map(flat, node.items))}"
    if node.is_call and columns(inner) <= WIDTH:
        body = [inner]
    else:
        body = [line for item in node.items for line in laid_out("", item, ",", indent + 4)]
    return [f"{blank}{before}{node.opening}", *body, f"{blank}{node.closing}{after}"]


def comment(text: str) -> list[str]:
    """The lines of a comment. `text` is the exporter's own: nothing of a session stands in comments."""
    return textwrap.wrap(text, WIDTH, initial_indent="    # ", subsequent_indent="    # ")


def tuple_text(items: Sequence[int]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(map(str, items))})"


# ---- arrays -----------------------------------------------------------------------------------------------------


def dtype_text(dtype: np.dtype[np.generic]) -> str:
    return f"np.{dtype.name}"


def array_lines(name: str, array: Array, *, short: bool = False) -> list[str]:
    """Statements that make `name` an array with the dtype, the shape and the bytes of `array`.

    `short` writes floats that are integers as such.
    """
    dtype, lines, steps = array.dtype, [], []
    if _has_payloads(array):
        lines += comment("Bits: some are NaNs with a payload, which no literal of a float says.")
        steps.append(f"view({dtype_text(dtype)})")
        dtype = np.dtype(f"u{dtype.itemsize}")
        digits = 2 * dtype.itemsize
        texts = [f"0x{number:0{digits}X}" for number in array.reshape(-1).view(dtype).tolist()]
    elif short and _is_whole(array):
        texts = [str(int(element)) for element in array.reshape(-1)]
    else:
        texts = [number_text(element) for element in array.reshape(-1)]
    node = call("np.array", _nested(texts, array.shape, 0), dtype_text(dtype))
    if len(laid_out(f"{name} = ", node)) > 3:
        room = WIDTH - 4 * (array.ndim + 2) - 1
        node = call("np.array", _nested(texts, array.shape, room), dtype_text(dtype))
    return lines + stepped(name, node, steps)


def _nested(texts: Sequence[str], shape: Sequence[int], room: int) -> Node:
    """Lists nested like `shape`; where `room` is given, rows that are wider are lists of `numbers`."""
    size = shape[-1]
    rows = [texts[i : i + size] for i in range(0, len(texts), size)]
    nodes: Sequence[Node] = [numbers(row, room) if room else listed(row) for row in rows]
    return _as_node(nest(nodes, shape[:-1])) if len(shape) > 1 else nodes[0]


def _as_node(node: Node | list[Node]) -> Node:
    """Nested lists as a Node."""
    return listed([_as_node(item) for item in node]) if isinstance(node, list) else node


def numbers(texts: Sequence[str], room: int) -> Group:
    """A list of numbers; wider than `room` columns it is unpacked from rows, so that not each has a line."""
    if columns(flat(listed(texts))) <= room:
        return listed(texts)
    per_row = max(1, min(ROW, (room - 4) // (max(map(len, texts)) + 2)))
    return listed([f"*[{', '.join(texts[i : i + per_row])}]" for i in range(0, len(texts), per_row)])


def stepped(name: str, node: Node, steps: Sequence[str]) -> list[str]:
    """`name = node.step.step` on one line; as statements of their own where that is too long."""
    chain = "".join(f".{step}" for step in steps)
    whole = f"    {name} = {flat(node)}{chain}"
    if not chain or columns(whole) <= WIDTH:
        return laid_out(f"{name} = ", node, chain)
    return [*laid_out(f"{name} = ", node), f"    {name} = {name}{chain}"]


def number_text(number: np.generic) -> str:
    """The shortest literal that a cast to the number's type turns into just its bits; a NaN's payload is lost."""
    if not isinstance(number, np.floating):
        return str(number)
    if not np.isfinite(number):
        return "np.nan" if np.isnan(number) else "np.inf" if number > 0 else "-np.inf"
    text = str(number)
    # A literal is a float64 first: rounded twice it could become the neighbour.
    if number.dtype.type(float(text)) != number:
        text = repr(float(number))
    return text.replace("e+", "e")


def _is_whole(array: Array) -> bool:
    """True if all of an array are small integers, and none of them is -0.0."""
    small = np.isfinite(array) & (np.abs(array) < MOST_WHOLE)
    return bool((small & (np.trunc(array) == array)).all() and not np.signbit(array[array == 0]).any())


def _has_payloads(array: Array) -> bool:
    """True if there is a NaN that isn't the one that a cast of `np.nan` gives."""
    if array.dtype.kind != "f":
        return False
    bits = np.dtype(f"u{array.dtype.itemsize}")
    usual = np.array(math.nan, array.dtype).view(bits)
    flags = np.isnan(array)
    return bool((np.ascontiguousarray(array).view(bits)[flags] != usual).any())
