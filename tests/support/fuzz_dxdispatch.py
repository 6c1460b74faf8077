"""Inputs for the reader of DxDispatch models: models put together at random, exported ones, and damaged ones."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from dmlviz.exporters.lib import exporting
from dmlviz.session.examples import all_examples

TYPES = ["FLOAT32", "FLOAT16", "INT8", "UINT8", "INT64", "UINT32", "DML_TENSOR_DATA_TYPE_INT32", "UNKNOWN", "INT4", 7]
KINDS = ["TILE", "JOIN", "SPLIT", "GATHER", "REVERSE_SUBSEQUENCES", "DML_OPERATOR_GEMM", "hlsl", "onnx", None]
FIELDS = {
    "TILE": (("InputTensor", "OutputTensor"), ("RepeatsCount",), ("Repeats",)),
    "JOIN": (("InputTensors", "OutputTensor"), ("InputCount", "Axis"), ()),
    "SPLIT": (("InputTensor", "OutputTensors"), ("OutputCount", "Axis"), ()),
    "GATHER": (("InputTensor", "IndicesTensor", "OutputTensor"), ("Axis", "IndexDimensions"), ()),
    "REVERSE_SUBSEQUENCES": (("InputTensor", "SequenceLengthsTensor", "OutputTensor"), ("Axis",), ()),
}
NUMBERS = [0, 1, 2, 3, 4, 6, 8, -1, 2**31, 2**32 - 1, 2**32, 2**64, -(2**63), 10**40, 0.5, 1.5, -0.0, 1e300, 1e-320]
ODD: list[Any] = [None, True, "", "nan", "-inf", "Inf", [], {}, [[]], {"a": 1}, "deferred", "\ud800", "\x00", "A", 3]
TOKENS = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"//", b"/*", b"*/", b"\\", b"null", b"1e999", b"-", b"\xff", b"\n"]
TOKENS += [b'"Desc"', b'"Strides"', b'"elementOffset"', b'"valueDelta"', b"9" * 30, b"\xef\xbb\xbf", b"NaN", b"\x00"]


def inputs(generator: random.Random) -> bytes:
    """One input: a model, as often as not with damage, at times anything at all."""
    if generator.random() < 0.04:
        return generator.randbytes(generator.randrange(60))
    data = generator.choice(_exported()) if generator.random() < 0.1 else json.dumps(_model(generator)).encode()
    if generator.random() < 0.3:
        data = data.replace(b", ", b", /* , } */ // x\n", 3).replace(b"}", b",}", 2)
    for _ in range(generator.choice((0, 0, 1, 1, 2, 5))):
        at = generator.randrange(len(data) + 1)
        end = at + generator.choice((0, 0, 1, 1, 5, 40))
        data = data[:at] + generator.choice(TOKENS) + data[end:]
    return data


@cache
def _exported() -> list[bytes]:
    """A few examples as dmlviz writes them."""
    return [exporting.export(each.session(), "dxdispatch").data for each in all_examples()[::5]]


def _odd(generator: random.Random, usual: Any) -> Any:
    """What would be there, or now and then something else."""
    return generator.choice(ODD) if generator.random() < 0.02 else usual


def _number(generator: random.Random) -> Any:
    return generator.choice(NUMBERS) if generator.random() < 0.2 else generator.randrange(1, 5)


def _tensor(generator: random.Random) -> Any:
    count = generator.choice((1, 2, 2, 3, 9))
    sizes = [_number(generator) if generator.random() < 0.05 else generator.randrange(1, 4) for _ in range(count)]
    found: dict[str, Any] = {"DataType": generator.choice(TYPES[:7]), "Sizes": _odd(generator, sizes)}
    if generator.random() < 0.1:
        found[generator.choice(("Strides", "Flags", "DimensionCount", "TotalTensorSizeInBytes", "?"))] = _odd(
            generator, [_number(generator)]
        )
    return {"Type": "BUFFER", "Desc": found} if generator.random() < 0.1 else _odd(generator, found)


def _buffer(generator: random.Random) -> Any:
    way = generator.randrange(5)
    if way == 0:
        initial: Any = [_odd(generator, _number(generator)) for _ in range(generator.randrange(10))]
    elif way == 1:
        initial = {"valueCount": _number(generator) * 4, "value": _odd(generator, _number(generator))}
    elif way == 2:
        count = _odd(generator, generator.choice((6, 64, 2**32 - 1)))
        initial = {"valueCount": count, "valueStart": _number(generator), "valueDelta": _number(generator)}
    elif way == 3:
        initial = {"sourcePath": generator.choice(("a.npy", "b.bin", "../c", "/dev/zero", "d.png", ""))}
    else:
        initial = [{"type": generator.choice(TYPES), "value": _number(generator)} for _ in range(8)]
    found = {"initialValuesDataType": generator.choice(TYPES), "initialValues": _odd(generator, initial)}
    if generator.random() < 0.1:
        found[generator.choice(("sizeInBytes", "initialValuesOffsetInBytes"))] = _number(generator)
    return _odd(generator, found)


def _binding(generator: random.Random) -> Any:
    name = generator.choice("AB")
    if generator.random() < 0.6:
        return name
    keys = ("elementOffset", "elementSizeInBytes", "elementCount")
    return _odd(generator, {"name": name, generator.choice(keys): _odd(generator, _number(generator))})


def _model(generator: random.Random) -> Any:
    kind = generator.choice(KINDS[:5]) if generator.random() < 0.9 else generator.choice(KINDS)
    tensors, numbers, arrays = FIELDS.get(str(kind), FIELDS["TILE"])
    desc = {name: _tensor(generator) for name in tensors}
    desc |= {name: [_tensor(generator)] for name in tensors if name.endswith("s")}
    desc |= {name: _odd(generator, _number(generator)) for name in numbers}
    desc |= {name: _odd(generator, [_number(generator), 1]) for name in arrays}
    bindings = {name: _odd(generator, _binding(generator)) for name in tensors}
    dispatchable = {"type": _odd(generator, kind), "desc": _odd(generator, desc)}
    return {
        "resources": _odd(generator, {"A": _buffer(generator), "B": _buffer(generator)}),
        "dispatchables": _odd(generator, {"t": dispatchable}),
        "commands": _odd(generator, [{"type": "dispatch", "dispatchable": "t", "bindings": bindings}]),
        "$dmlviz": _odd(generator, {"operators": [{"dispatchable": "t", "name": _odd(generator, "n")}]}),
    }
