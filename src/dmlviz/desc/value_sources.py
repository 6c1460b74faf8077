"""What a session file says of a tensor's values: a list, a fill, an .npy file; read, written, held against a tensor."""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from msgspec import Struct

from ..errors import ValuesError, quote
from .npy_files import read_npy
from .tensors import DataType, TensorDesc, braces, brackets
from .values import SPECIAL, Array, Constant, Fill, Filled, Iota, Random, Stored, Values, clamp

MOST_FITTED = 1 << 16
"""Elements up to which a list is made longer when its tensor grows."""


class Listed(Struct, frozen=True):
    """A list from a file or from the screen, as it was written: `items` in row-major order, `shape` of its nesting."""

    items: tuple[int | float | str, ...]
    shape: tuple[int, ...]


class Npy(Struct, frozen=True):
    file: str


class Wired(Struct, frozen=True, eq=False):
    """Another experiment's output, by that one's name and the output's path; "" for the only output that it has.

    In a session it knows its source: the experiment, and the number of the output; or what is wrong with it. Two are
    equal if all that they read is equal, name by name.
    """

    name: str
    output: str = ""
    source: Any = None
    """An experiment, as frozen as this; None for a wire that leads nowhere, or that no session has looked at."""
    number: int = 0
    loose: tuple[str, str, str, str] | None = None
    """Why it leads nowhere: a check's id, expected, found, and its sentence without the tensor's path."""

    def __repr__(self) -> str:
        return f"Wired({self.name!r}, {self.output!r})"

    def __hash__(self) -> int:
        return hash((self.name, self.output))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wired):
            return NotImplemented
        named = (self.name, self.output, self.loose) == (other.name, other.output, other.loose)
        return named and (self.source is other.source or _all_read(self) == _all_read(other))


def _all_read(wire: Wired) -> list[object]:
    """What each experiment has that a wire leads to, once; the wires between them are told by their names."""
    rows = list[object]()
    for one in wire.source.stages if wire.source is not None else ():
        named = {p: (e.name, e.output, e.loose) if isinstance(e, Wired) else e for p, e in one.values.items()}
        rows.append((one.desc, one.feature_level, one.folder, named))
    return rows


Source = Listed | Npy | Iota | Constant | Random
ValueSource = Source | Wired
"""What the `values` of an experiment may hold for one tensor."""
_FILLS: dict[str, tuple[type[Iota | Constant | Random], tuple[str, ...]]] = {
    "iota": (Iota, ("start", "step")),
    "constant": (Constant, ("value",)),
    "random": (Random, ("seed",)),
}
"""Each kind of fill, and what a file tells of it."""


def parse_source(written: object, field: str) -> ValueSource:
    """What `written`, parsed JSON, says of a tensor's values. Raises ValuesError with a sentence that names `field`."""
    if isinstance(written, list):
        return _listed(written, field)
    if isinstance(written, dict):
        if "fill" in written:
            return _parsed_fill(written, field)
        if "npy" in written:
            _require(written, ("npy",), field, "only npy")
            return Npy(written["npy"])
        if "from" in written:
            _require(written, ("from", "output"), field, "only from and output")
            return Wired(written["from"], written.get("output", ""))
    expected = 'a list, {"fill": ...}, {"npy": ...} or {"from": ...}'
    raise ValuesError(f"{field} is {quote(written)}, expected {expected}.")


def _parsed_fill(written: dict[str, Any], field: str) -> Iota | Constant | Random:
    kind = written["fill"]
    told = {key: value for key, value in written.items() if key != "fill"}
    if kind not in (*_FILLS,):
        raise ValuesError(f"{field}.fill is {quote(kind)}, expected one of {', '.join(_FILLS)}.")
    fill, keys = _FILLS[kind]
    _require(told, keys, field, f"only {', '.join(keys)} with fill {kind}")
    if fill is Constant and not told:
        raise ValuesError(f"{field}.value is missing, expected the value to fill with.")
    return fill(**told)


def _require(tree: dict[str, Any], known: tuple[str, ...], field: str, beside: str) -> None:
    """Raises ValuesError for a key that isn't among `known`, and for what doesn't belong under one."""
    for key, value in tree.items():
        if key not in known:
            raise ValuesError(f"{field} has {quote(key)}, expected {beside}.")
        holds, expected = _TOLD[key]
        if not holds(value):
            raise ValuesError(f"{field}.{key} is {quote(value)}, expected {expected}.")


def _is_special(item: object) -> TypeGuard[str]:
    return isinstance(item, str) and item in SPECIAL


def _is_number(number: object) -> TypeGuard[int | float]:
    return isinstance(number, (int, float)) and not isinstance(number, bool)


_TOLD: dict[str, tuple[Callable[[Any], bool], str]] = {
    "start": (_is_number, "a finite number"),
    "step": (_is_number, "a finite number"),
    "value": (lambda value: _is_number(value) or _is_special(value), "a finite number"),
    "seed": (lambda seed: type(seed) is int and 0 <= seed < 2**128, "an integer from 0 to 2^128 - 1"),
    "npy": (lambda name: isinstance(name, str) and name != "", "the name of a file"),
    "from": (lambda name: isinstance(name, str), "an experiment's name"),
    "output": (lambda path: isinstance(path, str), 'an output such as "OutputTensor"'),
}
"""What may stand under each key, and how a sentence says it."""


def _listed(level: list[Any], field: str) -> Listed:
    """Flattens nested lists that are rectangular; deeper than eight dimensions is no tensor."""
    shape = [len(level)]
    while any(isinstance(item, list) for item in level):
        size = len(level[0]) if isinstance(level[0], list) else 0
        for at, item in enumerate(level):
            if not isinstance(item, list) or len(item) != size:
                found = f"is {quote(item)}, expected a list like the entries next to it"
                if isinstance(item, list):
                    found = f"is a list of {len(item)}, expected a list of {size} as before it"
                raise ValuesError(f"{field}{brackets(np.unravel_index(at, shape))} {found}.")
        if len(shape) == 8:
            raise ValuesError(f"{field} is nested deeper than 8 lists, expected one for each dimension at most.")
        shape.append(size)
        level = list(chain.from_iterable(level))
    return Listed(tuple(map(_written, level)), tuple(shape))


def dump_source(source: ValueSource) -> object:
    """The JSON that `parse_source` reads back as `source`."""
    if isinstance(source, Listed):
        return nest(source.items, source.shape)
    if isinstance(source, Npy):
        return {"npy": source.file}
    if isinstance(source, Wired):
        return {"from": source.name, **({"output": source.output} if source.output else {})}
    kind, keys = next((kind, keys) for kind, (fill, keys) in _FILLS.items() if type(source) is fill)
    return {"fill": kind, **{key: getattr(source, key) for key in keys}}


def nest(items: Sequence[Any], shape: Sequence[int]) -> list[Any]:
    """`items` in row-major order as lists nested like `shape`."""
    nested: list[Any] = np.array(items, object).reshape(shape).tolist()
    return nested


def convert(entry: object, data_type: DataType, field: str, shown: str = "") -> int | float:
    """One value as `data_type` can hold it: integers exact, floats such that they are rounded to nearest.

    Raises ValuesError where it doesn't fit; integers never pass through a float. `shown` is how it was typed.
    """
    if data_type.is_float and _is_special(entry):
        return SPECIAL[entry]
    if _is_number(entry):
        with contextlib.suppress(struct.error, OverflowError):
            if math.isfinite(entry):
                _packed([entry], data_type)
                return float(entry) if data_type.is_float else entry
    low, high = data_type.integer_range if not data_type.is_float else (0, 0)
    expected = 'a number, "nan", "inf" or "-inf"' if data_type.is_float else f"an integer from {low} to {high}"
    if data_type.is_float and _is_number(entry):
        largest = f"{float(np.finfo(data_type.dtype).max):.6g}"
        expected = f"a number from -{largest} to {largest}"
    raise ValuesError(f"{field} is {shown or quote(entry)}, expected {expected} for {data_type}.")


def _packed(numbers: Sequence[object], data_type: DataType) -> bytes:
    """Numbers in memory. Raises struct.error, or OverflowError, for one that the type can't hold."""
    return struct.pack(f"{'=' if data_type.is_float else '@'}{len(numbers)}{data_type.dtype.char}", *numbers)


def fill_from(
    source: Source | None, tensor: TensorDesc, default: Fill, field: str, folder: Path | None, below: int | None
) -> Values:
    """The values that `source` gives `tensor`; `default` where it gives none.

    `folder` is where .npy files may lie; `below` bounds random indices and lengths. Raises ValuesError with a sentence
    that names `field` where the two don't fit.
    """
    if isinstance(source, Listed):
        return Stored(tensor, _typed_array(source, tensor, field))
    if isinstance(source, Npy):
        return Stored(tensor, read_npy(source.file, tensor, field, folder))
    if isinstance(source, Constant):
        convert(source.value, tensor.data_type, f"{field}.value")
    for name in ("start", "step") if isinstance(source, Iota) else ():
        number = getattr(source, name)
        if tensor.data_type.is_float:
            convert(number, DataType.FLOAT64, f"{field}.{name}")  # the type that it is computed in
        elif not isinstance(number, int):
            raise ValuesError(f"{field}.{name} is {number}, expected an integer for {tensor.data_type}.")
    return Filled(tensor, Random(source.seed, below) if isinstance(source, Random) else source or default)


def _typed_array(source: Listed, tensor: TensorDesc, field: str) -> Array:
    sizes = tensor.sizes
    count = tensor.element_count
    dtype = tensor.data_type.dtype
    items = source.items
    if source.shape not in (sizes, (count,)):
        if len(items) != count:
            raise ValuesError(f"{field} has {len(items):,} values, expected {count:,} for Sizes {braces(sizes)}.")
        raise ValuesError(f"{field} is nested as {braces(source.shape)}, expected {braces(sizes)} or one flat list.")
    if bool not in map(type, items):
        with contextlib.suppress(struct.error, OverflowError):  # of NaN and infinities too, which are texts
            return np.frombuffer(_packed(items, tensor.data_type), dtype).reshape(sizes)
    array = np.empty(len(items), dtype)
    for i, item in enumerate(items):
        try:
            array[i] = convert(item, tensor.data_type, "")
        except ValuesError as error:
            raise ValuesError(f"{field}{brackets(np.unravel_index(i, sizes))}{error}") from None
    array.setflags(write=False)
    return array.reshape(sizes)


def fitted(source: Listed, tensor: TensorDesc, default: Fill) -> Listed | None:
    """`source` made to fit `tensor`: coordinates that both have keep their value, the rest is filled by `default`.

    Values beyond the type's range are clipped to it. None where the tensor has grown too large to be written as a list.
    """
    sizes, count = tensor.sizes, tensor.element_count
    if count > max(MOST_FITTED, len(source.items)):
        return None
    made = default.make(np.arange(count, dtype=np.int64), tensor.data_type)
    array = np.array([*map(_written, made.tolist())], object)
    old = np.array([_clipped(item, tensor.data_type) for item in source.items], object)
    if len(old) != count and len(source.shape) == len(sizes):
        both = tuple(slice(0, min(a, b)) for a, b in zip(source.shape, sizes, strict=True))
        array.reshape(sizes)[both] = old.reshape(source.shape)[both]
    else:
        array[: len(old)] = old[:count]
    return Listed(tuple(array.tolist()), sizes)


def _written(item: Any) -> Any:
    """A number as session files hold it, which spell NaN and infinities; anything else as it is."""
    return str(item) if isinstance(item, float) and not math.isfinite(item) else item


def _clipped(item: object, data_type: DataType) -> int | float | str:
    if _is_special(item) and data_type.is_float:
        return item
    number = clamp(item, data_type) if _is_number(item) and item == item else 0
    return number if data_type.is_float else int(number)
