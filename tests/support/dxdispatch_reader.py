"""DxDispatch models read as its own source reads them, apart from dmlviz: bytes of buffers, bind points.

Only what an exported model uses. Sequences are added up in the buffer's type, one element after the other.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Part
from dmlviz.session.reading import parse_desc

DTYPES = {name: np.dtype(name.lower()) for name in ["FLOAT16", "FLOAT32", "FLOAT64"]} | {
    f"{sign}INT{bits}": np.dtype(f"{sign.lower()}int{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)
}


def _buffer(found: dict[str, Any]) -> bytes:
    dtype, initial = DTYPES[found["initialValuesDataType"]], found["initialValues"]
    if isinstance(initial, list):
        assert initial
        return bytes(np.array([_value(x, dtype) for x in initial], dtype).data)
    count = initial["valueCount"]
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
    held = {name: np.frombuffer(_buffer(each), kinds[name]) for name, each in root["resources"].items()}
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
