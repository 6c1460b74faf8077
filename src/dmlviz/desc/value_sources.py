"""What a session file says of a tensor's values: a list, a fill, an .npy file; read, written, held against a tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from msgspec import Struct

from ..errors import ValuesError, quote
from .npy_files import locate, read_npy
from .tensors import DataType, TensorDesc, braces, brackets
from .values import SPECIAL, Array, Constant, Fill, Filled, Iota, Random, Stored, Values, clamp

MOST_FITTED = 1 << 16
"""Elements up to which a list is made longer when its tensor grows."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A list from a file or from the screen, as it was written: `items` in row-major order, `shape` of its nesting."""

    items: tuple[int | float | str, ...]
    shape: tuple[int, ...]
    made: dict[DataType, Array] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What became of it last, flat and read-only: it is asked for at every check and every picture."""


class Npy(Struct, frozen=True):
    """An .npy file beside the session file."""

    file: str


class Loose(Struct, frozen=True):
    """Why a wire leads nowhere, as a check of that id says it."""

    id: str
    expected: str
    found: str
    message: str
    """The end of a sentence that begins with the tensor's path."""


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
    loose: Loose | None = None

    def __repr__(self) -> str:
        return f"Wired({self.name!r}, {self.output!r})"

    def __hash__(self) -> int:
        return hash((self.name, self.output))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Wired):
            return NotImplemented
        pairs, seen = [(self, other)], set()
        while pairs:  # each two sources once: there are more ways through a session than it has experiments
            one, another = pairs.pop()
            here, there = one.source, another.source
            if (one.name, one.output, one.loose) != (another.name, another.output, another.loose):
                return False
            if here is there or (id(here), id(there)) in seen:
                continue
            seen.add((id(here), id(there)))
            if here is None or there is None or _own(here) != _own(there) or here.values.keys() != there.values.keys():
                return False
            for path, entry in here.values.items():
                if isinstance(entry, Wired) and isinstance(there.values[path], Wired):
                    pairs.append((entry, there.values[path]))
                elif entry != there.values[path]:
                    return False
        return True


def _own(source: Any) -> tuple[object, ...]:
    """What an output follows from beside values."""
    return source.desc, source.feature_level, source.folder


ValueSource = Listed | Npy | Iota | Constant | Random | Wired
"""What the `values` of an experiment may hold for one tensor."""
_KEYS = {"iota": ("start", "step"), "constant": ("value",), "random": ("seed",)}
"""What each kind of fill is told."""


def parse_source(written: object, field: str) -> ValueSource:
    """What `written`, parsed JSON, says of a tensor's values. Raises ValuesError with a sentence that names `field`."""
    if isinstance(written, list):
        return _listed(written, field)
    if isinstance(written, dict):
        if "fill" in written:
            return _parsed_fill(written, field)
        if "npy" in written:
            _require_keys(written, ("npy",), field, "nothing beside npy")
            return Npy(_text(written["npy"], f"{field}.npy", "the name of a file", least=1))
        if "from" in written:
            _require_keys(written, ("from", "output"), field, "only output beside from")
            name = _text(written["from"], f"{field}.from", "an experiment's name")
            return Wired(name, _text(written.get("output", ""), f"{field}.output", 'an output such as "OutputTensor"'))
    raise ValuesError(
        f'{field} is {quote(written)}, expected a list, {{"fill": ...}}, {{"npy": ...}} or {{"from": ...}}.'
    )


def _text(written: object, field: str, expected: str, least: int = 0) -> str:
    if isinstance(written, str) and len(written) >= least:
        return written
    raise ValuesError(f"{field} is {quote(written)}, expected {expected}.")


def _require_keys(tree: dict[str, object], known: tuple[str, ...], field: str, expected: str) -> None:
    """Raises ValuesError for a key that isn't among `known`."""
    for key in tree:
        if key not in known:
            raise ValuesError(f"{field} has {quote(key)}, expected {expected}.")


def _parsed_fill(fill: dict[str, Any], field: str) -> ValueSource:
    kind = fill["fill"]
    if not isinstance(kind, str) or kind not in _KEYS:
        raise ValuesError(f"{field}.fill is {quote(kind)}, expected one of {', '.join(_KEYS)}.")
    _require_keys(fill, ("fill", *_KEYS[kind]), field, f"only {', '.join(_KEYS[kind])} with fill {kind}")
    if kind == "iota":
        start, step = (_as_number(fill.get(key, k), f"{field}.{key}") for k, key in enumerate(_KEYS[kind]))
        return Iota(start, step)
    if kind == "random":
        seed = fill.get("seed", 0)
        if type(seed) is not int or not 0 <= seed < 2**128:
            raise ValuesError(f"{field}.seed is {quote(seed)}, expected an integer from 0 to 2^128 - 1.")
        return Random(seed)
    if "value" not in fill:
        raise ValuesError(f"{field}.value is missing, expected the value to fill with.")
    value = fill["value"]
    return Constant(value if _is_special(value) else _as_number(value, f"{field}.value"))


def _is_special(item: object) -> bool:
    """True for NaN and infinities as a session file spells them."""
    return isinstance(item, str) and item in SPECIAL


def _as_number(number: object, field: str) -> int | float:
    if _is_number(number):
        return number
    raise ValuesError(f"{field} is {quote(number)}, expected a finite number.")


def _is_number(number: object) -> TypeGuard[int | float]:
    return isinstance(number, (int, float)) and not isinstance(number, bool)


def _listed(listed: list[Any], field: str) -> Listed:
    """Flattens nested lists that are rectangular; deeper than eight dimensions is no tensor."""
    shape: list[int] = []
    level: list[Any] = listed
    while True:
        shape.append(len(level) if len(shape) == 0 else len(level) // max(1, math.prod(shape)))
        lists = [issubclass(kind, list) for kind in set(map(type, level))]
        if not any(lists):
            return Listed(tuple(level), tuple(shape))
        if not all(lists):
            at = next(i for i, item in enumerate(level) if not isinstance(item, list))
            where = brackets(np.unravel_index(at, shape)) if math.prod(shape) else ""
            raise ValuesError(f"{field}{where} is {quote(level[at])}, expected a list like its neighbours.")
        lengths = set(map(len, level))
        if len(lengths) > 1:
            at = next(i for i, item in enumerate(level) if len(item) != len(level[0]))
            where = brackets(np.unravel_index(at, shape))
            raise ValuesError(f"{field}{where} has {len(level[at])} entries, expected {len(level[0])} as before it.")
        if len(shape) == 8:
            raise ValuesError(f"{field} is nested deeper than 8 lists, expected one for each dimension at most.")
        level = list(chain.from_iterable(level))


def spelled(source: ValueSource) -> ValueSource:
    """A list that Python gave, with NaN and infinities as a session file spells them; anything else as it is."""
    if not isinstance(source, Listed) or all(not isinstance(x, float) or math.isfinite(x) for x in source.items):
        return source
    return Listed(tuple(_written(x) if isinstance(x, float) else x for x in source.items), source.shape)


def dump_source(source: ValueSource) -> object:
    """The JSON that `parse_source` reads back as `source`."""
    if isinstance(source, Listed):
        return nest(source.items, source.shape)
    if isinstance(source, Npy):
        return {"npy": source.file}
    if isinstance(source, Iota):
        return {"fill": "iota", "start": source.start, "step": source.step}
    if isinstance(source, Constant):
        return {"fill": "constant", "value": source.value}
    if isinstance(source, Wired):
        return {"from": source.name, **({"output": source.output} if source.output else {})}
    return {"fill": "random", "seed": source.seed}


def nest(items: Sequence[Any], shape: Sequence[int]) -> list[Any]:
    """`items` in row-major order as lists nested like `shape`."""
    level = list(items)
    for d in range(len(shape) - 1, 0, -1):
        size = shape[d]
        level = [level[i * size : (i + 1) * size] for i in range(math.prod(shape[:d]))]
    return level


def convert(entry: object, data_type: DataType, field: str, shown: str = "") -> int | float:
    """One value as `data_type` can hold it: integers exact, floats such that they are rounded to nearest.

    Raises ValuesError where it doesn't fit; integers never pass through a float. `shown` is how it was typed.
    """
    if not data_type.is_float:
        low, high = data_type.integer_range
        if isinstance(entry, int) and not isinstance(entry, bool) and low <= entry <= high:
            return entry
        raise ValuesError(f"{field} is {quote(entry)}, expected an integer from {low} to {high} for {data_type}.")
    if _is_special(entry):
        return SPECIAL[str(entry)]
    if not _is_number(entry):
        raise ValuesError(f'{field} is {quote(entry)}, expected a number, "nan", "inf" or "-inf" for {data_type}.')
    number = entry
    if isinstance(entry, int) and data_type is not DataType.FLOAT64:
        # What float64 can't hold is rounded to odd: to nearest twice, it could land on the wrong side of the middle.
        spare = max(0, entry.bit_length() - 53)
        number = (entry >> spare | bool(entry % (1 << spare))) << spare
    with np.errstate(over="ignore"):
        try:
            if np.isfinite(data_type.dtype.type(number)):
                return float(number)
        except OverflowError:  # of an integer beyond every float
            pass
    largest = f"{float(np.finfo(data_type.dtype).max):.6g}"
    raise ValuesError(
        f"{field} is {shown or quote(entry)}, expected a number from -{largest} to {largest} for {data_type}."
    )


def fill_from(
    source: ValueSource | None, tensor: TensorDesc, default: Fill, field: str, folder: Path | None, below: int | None
) -> Values:
    """The values that `source` gives `tensor`; `default` where it gives none.

    `folder` is where .npy files may lie; `below` bounds random indices and lengths. Raises ValuesError with a sentence
    that names `field` where the two don't fit.
    """
    if source is None:
        return Filled(tensor, default)
    if isinstance(source, Listed):
        return Stored(tensor, _typed_array(source, tensor, field))
    if isinstance(source, Npy):
        return Stored(tensor, read_npy(source.file, tensor, field, folder))
    if isinstance(source, Random):
        return Filled(tensor, Random(source.seed, below))
    if isinstance(source, Wired):
        raise ValuesError(f"{field} is from {quote(source.name)}, expected a session with that experiment.")
    if isinstance(source, Constant):
        convert(source.value, tensor.data_type, f"{field}.value")
    else:
        for name, number in (("start", source.start), ("step", source.step)):
            if tensor.data_type.is_float:
                convert(number, DataType.FLOAT64, f"{field}.{name}")  # the type that it is computed in
            elif not isinstance(number, int):
                raise ValuesError(f"{field}.{name} is {number}, expected an integer for {tensor.data_type}.")
    return Filled(tensor, source)


def check_alone(source: ValueSource, field: str, folder: Path | None) -> None:
    """Holds `source` against what is asked of any values, for a tensor that can't exist. Raises ValuesError."""
    if isinstance(source, Npy):
        locate(source.file, field, folder)
    elif isinstance(source, Listed):
        for i, item in enumerate(source.items):
            if not (_is_number(item) or _is_special(item)):
                _as_number(item, f"{field}{brackets(np.unravel_index(i, source.shape))}")


def _typed_array(source: Listed, tensor: TensorDesc, field: str) -> Array:
    sizes, data_type, items = tensor.sizes, tensor.data_type, source.items
    if source.shape not in (sizes, (tensor.element_count,)):
        if len(items) != tensor.element_count:
            count_text = f"{len(items):,} values"
            raise ValuesError(f"{field} has {count_text}, expected {tensor.element_count:,} for Sizes {braces(sizes)}.")
        raise ValuesError(f"{field} is nested as {braces(source.shape)}, expected {braces(sizes)} or one flat list.")
    array = source.made.get(data_type)
    if array is None:
        array = _at_once(items, data_type)
        if array is None:
            array = np.empty(len(items), data_type.dtype)
            for i, item in enumerate(items):
                try:
                    array[i] = convert(item, data_type, "")
                except ValuesError as error:
                    raise ValuesError(f"{field}{brackets(np.unravel_index(i, sizes))}{error}") from None
        array.setflags(write=False)
        source.made.clear()
        source.made[data_type] = array
    return array.reshape(sizes)


def _at_once(items: tuple[Any, ...], data_type: DataType) -> Array | None:
    """What `convert` makes of each of `items`; None where one of them is large, not finite or wrong, or may be."""
    kinds, dtype = set(map(type, items)), data_type.dtype
    if not data_type.is_float:
        low, high = data_type.integer_range
        return np.array(items, dtype) if kinds == {int} and low <= min(items) and max(items) <= high else None
    if not kinds <= {int, float} or (int in kinds and max(map(abs, items)) > 2.0**53):  # it is rounded in steps
        return None
    with np.errstate(over="ignore"):
        array = np.array(items, np.float64).astype(dtype)
    return array if np.isfinite(array).all() else None


def fitted(source: Listed, tensor: TensorDesc, default: Fill) -> Listed | None:
    """`source` made to fit `tensor`: coordinates that both have keep their value, the rest is filled by `default`.

    Values beyond the type's range are clipped to it. None where the tensor has grown too large to be written as a list.
    """
    sizes, count = tensor.sizes, tensor.element_count
    if count > max(MOST_FITTED, len(source.items)):
        return None
    made = default.make(np.arange(count, dtype=np.int64), tensor.data_type)
    array = np.array([_written(x) for x in made.tolist()], object)
    old = np.array([_clipped(item, tensor.data_type) for item in source.items], object)
    if len(old) != count and len(source.shape) == len(sizes):
        both = tuple(slice(0, min(a, b)) for a, b in zip(source.shape, sizes, strict=True))
        array.reshape(sizes)[both] = old.reshape(source.shape)[both]
    else:
        array[: len(old)] = old[:count]
    return Listed(tuple(array.tolist()), sizes)


def _written(number: int | float) -> int | float | str:
    """A number as session files hold it."""
    return number if math.isfinite(number) else str(number)


def _clipped(item: object, data_type: DataType) -> int | float | str:
    if _is_special(item) and data_type.is_float:
        return str(item)
    if not _is_number(item) or item != item:
        return 0
    number = clamp(item, data_type)
    return number if data_type.is_float else int(number)
