"""Arrays as the pages print them, for people: nested brackets, aligned columns, whole floats without a point."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .json_text import json_number

MOST_PRINTED = 4096
"""Elements of an array that is printed whole; of a larger one its corners."""


def short_number(element: Any) -> str:
    """One element as a person would write it: a float that is whole has no point."""
    return json_number(element).strip('"').removesuffix(".0")


def shorts(elements: NDArray[Any]) -> list[str]:
    return [short_number(x) for x in elements]


def short_count(count: int) -> str:
    """A count in at most six columns, cut and never rounded up: 9,999 or 4.29G."""
    if count < 10_000:
        return f"{count:,}"
    power = min((len(str(count)) - 1) // 3, 3)
    return f"{count / 1000**power:.9f}"[:4].removesuffix(".") + "kMG"[power - 1]


def page_text(array: NDArray[Any]) -> str:
    """An array as the pages print it, one innermost row a line."""
    pad = max(map(len, shorts(array.reshape(-1)))) if array.size <= MOST_PRINTED else 0
    text = np.array2string(
        array,
        max_line_width=sys.maxsize,
        separator=", ",
        threshold=MOST_PRINTED,
        formatter={"all": lambda element: short_number(element).rjust(pad)},
    )
    return "\n".join(filter(None, text.split("\n")))
