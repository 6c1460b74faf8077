"""Answers: elements' values and places in the form that is compared, and read from and written to JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from ...desc.base import Desc, Part
from ...desc.tensors import DataType, braces
from ...desc.value_sources import convert
from ...desc.values import Array
from ...errors import DmlvizError, quote
from ...formats.json_text import json_number
from ...operators.maps import NOWHERE

Value = int | float | str
"""An element as session files write it: exact, the shortest float that is it, or "nan", "inf", "-inf"."""
Cell = tuple[int, tuple[int, ...]]
"""An element by its tensor's number, among the inputs or among the outputs, and its index."""
FROM_NOWHERE: Cell = (NOWHERE, ())
"""In place of an input's element: an output's element comes from none."""
FROM_NOWHERE_JSON = "nowhere"


def values_of(elements: Array) -> list[Value]:
    """(N,) elements in the form of answers, in which NaN equals NaN too."""
    return [json.loads(json_number(element)) for element in elements]


def shown(value: Value) -> str:
    """An answer's value as a person writes it: 2 for 2.0."""
    return str(value).removesuffix(".0")


def read_value(given: object, data_type: DataType, field: str = "answer") -> Value:
    """A value of a type, rounded as session files round it. Raises DmlvizError for what the type doesn't hold."""
    return values_of(np.array([convert(given, data_type, field)], data_type.dtype))[0]


def read_list(given: object, count: int) -> list[object]:
    """A flat list of `count` entries. Raises DmlvizError for anything else."""
    if not isinstance(given, list):
        raise DmlvizError(f"answer is {quote(given)}, expected a list of {count}.")
    if len(given) != count:
        entries = "entry" if len(given) == 1 else "entries"
        raise DmlvizError(f"answer has {len(given)} {entries}, expected {count}.")
    return given


def read_integer(given: object) -> int:
    """An integer of 0 or more. Raises DmlvizError for anything else."""
    if type(given) is not int or given < 0:
        raise DmlvizError(f"answer is {quote(given)}, expected an integer of 0 or more.")
    return given


def read_sizes(given: object, field: str = "answer") -> tuple[int, ...]:
    """The tuple of a list of integers. Raises DmlvizError for anything else."""
    if not isinstance(given, list) or not all(type(n) is int for n in given):
        raise DmlvizError(f"{field} is {quote(given)}, expected a list of integers.")
    return tuple(given)


def read_cell(given: object, side: str, parts: Sequence[Part], field: str = "answer") -> Cell:
    """One of `parts`' elements from `{"tensor": 0, "index": [2, 0]}`, or "output" by `side`. Raises DmlvizError."""
    if not isinstance(given, dict) or set(given) != {side, "index"}:
        raise DmlvizError(f'{field} is {quote(given)}, expected an object such as {{"{side}": 0, "index": [2, 0]}}.')
    number = given[side]
    if type(number) is not int or not 0 <= number < len(parts):
        raise DmlvizError(f"{field}.{side} is {quote(number)}, expected 0 to {len(parts) - 1}.")
    index, tensor = read_sizes(given["index"], f"{field}.index"), parts[number].tensor
    sizes = tensor.sizes
    if len(index) != len(sizes) or not all(0 <= i < n for i, n in zip(index, sizes, strict=True)):
        raise DmlvizError(f"{field}.index is {quote(list(index))}, expected an index into Sizes {braces(sizes)}.")
    return number, index


def read_cells(given: object, side: str, parts: Sequence[Part]) -> tuple[Cell, ...]:
    """Elements in any order, each once or oftener, from a list. Raises DmlvizError as `read_cell` does."""
    if not isinstance(given, list):
        raise DmlvizError(f'answer is {quote(given)}, expected a list of {{"{side}": 0, "index": [2, 0]}}.')
    return tuple(sorted({read_cell(cell, side, parts, f"answer[{i}]") for i, cell in enumerate(given)}))


def cell_json(cell: Cell, side: str) -> dict[str, object]:
    """The JSON that `read_cell` reads; the cell isn't `FROM_NOWHERE`."""
    return {side: cell[0], "index": list(cell[1])}


def cells_json(cells: Sequence[Cell], side: str) -> list[dict[str, object]]:
    """The JSON that `read_cells` reads."""
    return [cell_json(cell, side) for cell in cells]


def score_of_cells(given: Sequence[Cell], wanted: Sequence[Cell]) -> float:
    """(hits - wrong) / all, not below 0; where there is none to find, 1 for none."""
    if not wanted:
        return float(not given)
    hits = len(set(given) & set(wanted))
    return max(0.0, (hits - (len(set(given)) - hits)) / len(wanted))


def first_wrong(given: Sequence[Value], wanted: Sequence[Value]) -> int | None:
    """The position of the first wrong value; None where all are right."""
    return next((i for i, (a, b) in enumerate(zip(given, wanted, strict=True)) if a != b), None)


def output_type(desc: Desc) -> DataType:
    """The type of the first output, which all outputs share."""
    return desc.outputs[0].tensor.data_type
