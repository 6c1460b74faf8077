"""Answers: elements' values and places in the form that is compared, and numbers as they are typed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal

from ...desc.values import SPECIAL, Array
from ...errors import DmlvizError, quote
from ...formats.json_text import json_number
from ...operators.maps import NOWHERE
from ..words.catalogue import sentence

Answer = Any
"""What a kind wants: hashable, made of tuples, numbers, texts and booleans. Its JSON form has lists for tuples."""
Value = int | float | str
"""An element as session files write it: exact, the shortest float that is it, or "nan", "inf", "-inf"."""
Cell = tuple[int, tuple[int, ...]]
"""An element by its tensor's number, among the inputs or among the outputs, and its index."""
FROM_NOWHERE: Cell = (NOWHERE, ())
"""In place of an input's element: an output's element comes from none."""
FROM_NOWHERE_JSON = "nowhere"
NOTHING = ("none", "valid", "nowhere", "-")
"""What is typed where no answer of several fits."""
How = Literal["choose", "tick", "type", "mark", "edit"]
Side = Literal["", "inputs", "outputs"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def values_of(elements: Array) -> list[Value]:
    """(N,) elements in the form of answers, in which NaN equals NaN too."""
    return [json.loads(json_number(element)) for element in elements]


def shown(value: Value) -> str:
    """An answer's value as a person writes it: 2 for 2.0."""
    return str(value).removesuffix(".0")


def first_wrong(given: Sequence[Value], wanted: Sequence[Value]) -> int | None:
    """The position of the first wrong value; None where all are right."""
    return next((i for i, (a, b) in enumerate(zip(given, wanted, strict=True)) if a != b), None)


def typed_numbers(text: str) -> list[Value]:
    """Numbers with blanks, commas or brackets between. Raises DmlvizError, with a sentence."""
    numbers: list[Value] = []
    for word in re.findall(r"[^\s,;{}()\[\]]+", text.lower().replace("−", "-")):
        if word not in SPECIAL and not re.fullmatch(r"[-+]?(\d{1,99}\.?\d*|\.\d+)(e[-+]?\d+)?", word, re.ASCII):
            raise DmlvizError(sentence("quiz.found_number", found=quote(word)))
        numbers.append(word if word in SPECIAL else int(word) if word.strip("+-").isdigit() else float(word))
    return numbers
