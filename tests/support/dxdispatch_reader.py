"""DxDispatch models read as its own source reads them, strictly and apart from dmlviz: bytes of buffers, bind points.

Only what an exported model uses. Sequences are added up in the buffer's type, one element after the other.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Part
from dmlviz.desc.fields import Field
from dmlviz.operators.registry import operator_of
from dmlviz.session.reading import parse_desc

DTYPES = {name: np.dtype(name.lower()) for name in ["FLOAT16", "FLOAT32", "FLOAT64"]} | {
    f"{sign}INT{bits}": np.dtype(f"{sign.lower()}int{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)
}


@dataclass(frozen=True)
class Bound:
    """An operator with what its dispatch binds."""

    kind: str
    desc: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    """The tensor at each bind point, by path."""


def load(text: str, folder: Path | None = None) -> list[Bound]:
    """Each dispatch of the model, in order."""
    root = json.loads(text)
    buffers = {name: _buffer(each, folder) for name, each in root["resources"].items()}
    made = []
    for command in root["commands"]:
        if command["type"] == "print":
            kind = root["resources"][command["resource"]]["initialValuesDataType"]
            # As characters, which nobody can read, unless it is verbose.
            assert command.get("verbose", False) == (kind in ("INT8", "UINT8"))
            continue
        assert command["type"] == "dispatch"
        found = root["dispatchables"][command["dispatchable"]]
        kind, desc, arrays = found["type"], found["desc"], {}
        assert [field.name for field in operator_of(kind).desc.FIELDS if field.name in desc] == list(desc)
        for field in operator_of(kind).desc.ATTRIBUTES + operator_of(kind).desc.COUNTS:
            _require(field, desc[field.name], desc)
        for name in (field.name for field in operator_of(kind).desc.TENSORS):
            several = isinstance(desc[name], list)
            tensors = desc[name] if several else [desc[name]]
            sources = command["bindings"][name] if several else [command["bindings"][name]]
            for i, (tensor, source) in enumerate(zip(tensors, sources, strict=True)):
                dtype, sizes = DTYPES[tensor["DataType"]], tensor["Sizes"]
                assert all(map(_is_uint, sizes))
                need = int(np.prod(sizes)) * dtype.itemsize
                held = buffers[source]
                assert len(held) + -len(held) % 4 >= need + -need % 4
                arrays[f"{name}[{i}]" if several else name] = np.frombuffer(held[:need], dtype).reshape(sizes)
        made.append(Bound(kind, desc, arrays))
    return made


def _require(field: Field, found: Any, desc: dict[str, Any]) -> None:
    """Fails for a member that JsonParsers would refuse: a name of an enumeration, or a number."""
    if field.choices():
        assert found.removeprefix(f"{field.c_type}_") in {choice.name for choice in field.choices()}
    elif field.c_type == "FLOAT":
        assert found in ("nan", "inf", "-inf") if isinstance(found, str) else math.isfinite(found)
    else:
        bounds = field.bounds
        assert bounds is not None
        assert all(bounds.holds(number) for number in (found if isinstance(found, list) else [found]))


def _is_uint(found: object) -> bool:
    return type(found) is int and 0 <= found < 2**32


def _buffer(found: dict[str, Any], folder: Path | None) -> bytes:
    dtype, initial = DTYPES[found["initialValuesDataType"]], found["initialValues"]
    if isinstance(initial, list):
        assert initial
        return bytes(np.array([_value(x, dtype) for x in initial], dtype).data)
    if "sourcePath" in initial:
        assert folder is not None
        array = np.load(folder / initial["sourcePath"])
        assert array.dtype == dtype
        assert array.flags.c_contiguous
        return bytes(array.data)
    count = initial["valueCount"]
    assert _is_uint(count)
    assert count
    if "value" in initial:
        return np.full(count, _value(initial["value"], dtype), dtype).tobytes()
    value, delta = _value(initial["valueStart"], dtype), _value(initial["valueDelta"], dtype)
    made = np.empty(count, dtype)
    for i in range(count):
        made[i] = value
        if dtype.kind == "i" and dtype.itemsize >= 4 and i + 1 < count:
            low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
            assert low <= int(value) + int(delta) <= high, "C++ leaves this open"
        with np.errstate(over="ignore"):
            value = value + delta
    return made.tobytes()


def _value(found: Any, dtype: np.dtype[Any]) -> Any:
    """One value as the type holds it; a FLOAT16 comes by way of FLOAT32."""
    if dtype.kind != "f":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        assert type(found) is int
        assert low <= found <= high
        return dtype.type(found)
    assert found in ("nan", "inf", "-inf") if isinstance(found, str) else int(float(found)) == found or True
    wide = np.float64(found)
    return np.float16(np.float32(wide)) if dtype == np.float16 else dtype.type(wide)


def played(text: str) -> list[NDArray[Any]]:
    """What the model prints: each dispatch writes its outputs' buffers, which later ones may read."""
    root = json.loads(text)
    kinds = {name: DTYPES[each["initialValuesDataType"]] for name, each in root["resources"].items()}
    held = {name: np.frombuffer(_buffer(each, None), kinds[name]) for name, each in root["resources"].items()}
    printed = []
    for command in root["commands"]:
        if command["type"] == "print":
            printed.append(held[command["resource"]])
            continue
        found, bound = root["dispatchables"][command["dispatchable"]], command["bindings"]
        desc = parse_desc(found["type"], found["desc"])
        names = {part.path: _bound(bound, part) for part in desc.parts}
        arrays = [held[names[part.path]].reshape(part.tensor.sizes) for part in desc.inputs]
        for part, array in zip(desc.outputs, dml.run(desc, arrays), strict=True):
            held[names[part.path]] = array.reshape(-1)
    return printed


def _bound(bound: dict[str, Any], part: Part) -> str:
    found = bound[part.field.name]
    return str(found[int(part.path.rpartition("[")[2][:-1])] if part.field.many else found)
