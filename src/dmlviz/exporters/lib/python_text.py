"""Python source text: literals, docstrings, arrays, and statements on as many lines as they take."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...desc.values import Array
from ...errors import cut

WIDTH = 120
MOST_TEXT = 64
"""Columns of a line of code, as far as numbers let it; characters of a name or a title, which is cut."""


def escaped(text: str) -> str:
    """Text inside a string literal: backslashes and whatever can't be printed as escapes."""
    kept = (c if c.isprintable() and c != "\\" else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
    return "".join(kept)


def short(text: str) -> str:
    return cut(" ".join(text[: 4 * MOST_TEXT].split()), MOST_TEXT)


def docstring(first: str, *paragraphs: str) -> list[str]:
    lines = [first]
    for paragraph in paragraphs:
        lines.append("")
        for line in paragraph.splitlines():
            lines += textwrap.wrap(line, 108, break_on_hyphens=False)
    whole = [escaped(line).replace('"""', "'''") for line in lines]
    if len(whole) == 1:
        return [f'"""{whole[0]}"""']
    return [f'"""{whole[0]}', *whole[1:], '"""']


def statement(head: str, items: Sequence[str], tail: str) -> list[str]:
    """`head items tail` on a line, or on several: no text in an item has blanks, so it may be broken at them."""
    whole = f"    {head}{', '.join(items)}{tail}"
    if len(whole) <= WIDTH:
        return [whole]
    rows = textwrap.TextWrapper(WIDTH, " " * 8, " " * 12, break_long_words=False, break_on_hyphens=False)
    return [f"    {head}", *(line for item in items for line in rows.wrap(f"{item},")), f"    {tail}"]


def tuple_text(items: Sequence[int]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(map(str, items))})"


def array_lines(name: str, array: Array) -> list[str]:
    """A statement that makes `name` an array with the dtype, the shape and the bytes of `array`."""
    dtype, after = array.dtype.name, ""
    if _has_payloads(array):  # no literal of a float says these NaNs: bits do
        array = np.ascontiguousarray(array).view(f"u{array.itemsize}")
        dtype, after = array.dtype.name, f".view(np.{dtype})"
    head = f"    {name} = np.array("
    tail = f", np.{dtype}){after}"
    formatter: Any = {"all": hex if after else _short}
    text = np.array2string(
        array, WIDTH, separator=", ", prefix=head, suffix=tail, threshold=sys.maxsize, formatter=formatter
    )
    whole = f"{head}{' '.join(text.split())}{tail}"
    if len(whole) <= WIDTH:
        return [whole]
    return [line for line in f"{head}{text}{tail}".split("\n") if line]


def _short(number: np.generic) -> str:
    """A number in an array of its type: 1 for 1.0, but -0.0."""
    text = number_text(number)
    return text if text == "-0.0" else text.removesuffix(".0")


def number_text(number: np.generic) -> str:
    """The shortest literal that a cast to the number's type turns into just its bits; a NaN's payload is lost."""
    if not isinstance(number, np.floating):
        return str(number)
    if not np.isfinite(number):
        if np.isnan(number):
            return "np.nan"
        if number > 0:
            return "np.inf"
        return "-np.inf"
    text = str(number)
    # A literal is a float64 first: rounded twice it could become the neighbour.
    if number.dtype.type(float(text)) != number:
        text = repr(float(number))
    return text.replace("e+", "e")


def _has_payloads(array: Array) -> bool:
    """True if there is a NaN that isn't the one that a cast of `np.nan` gives."""
    if array.dtype.kind != "f":
        return False
    bits = np.dtype(f"u{array.dtype.itemsize}")
    usual = np.array(math.nan, array.dtype).view(bits)
    return bool((np.ascontiguousarray(array).view(bits)[np.isnan(array)] != usual).any())
