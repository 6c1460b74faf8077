"""Sessions of wired experiments for tests: rotate half, with what is broken in it."""

from __future__ import annotations

import json
from typing import Any

from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse

Json = dict[str, Any]


def tensor(*sizes: int, kind: str = "FLOAT32") -> Json:
    return {"DataType": kind, "Sizes": list(sizes)}


def stage(name: str, operator: str, desc: Json, **wires: tuple[str, str]) -> Json:
    """An experiment, and by path of its inputs what they read: (name, path of an output)."""
    values: Json = {}
    for path, (source, output) in wires.items():
        values[path] = {"from": source, "output": output}
    return {"name": name, "feature_level": "5_0", "type": f"DML_OPERATOR_{operator}", "desc": desc, "values": values}


def session_of(*experiments: Json) -> Session:
    session, errors = parse(json.dumps({"dmlviz": 1, "experiments": experiments}).encode(), "it", None)
    assert not errors
    return session


def rotate_half(rows: int = 1, size: int = 8, cut: int | None = None, kind: str = "FLOAT32") -> Session:
    """`halves` ▸ `swapped` ▸ `twice`: a SPLIT, a JOIN of its parts the other way round, and a TILE; in file order.

    With `cut`, the first part is that long, which the JOIN doesn't know.
    """
    half = size // 2
    first = half if cut is None else cut
    split = {
        "InputTensor": tensor(rows, size, kind=kind),
        "OutputTensors": [tensor(rows, first, kind=kind), tensor(rows, size - half, kind=kind)],
        "Axis": 1,
    }
    join = {"InputTensors": [tensor(rows, size - half, kind=kind), tensor(rows, half, kind=kind)], "Axis": 1}
    swapped = stage("swapped", "JOIN", join)
    swapped["values"] = {"InputTensors": [{"from": "halves", "output": f"OutputTensors[{k}]"} for k in (1, 0)]}
    tile = {"InputTensor": tensor(rows, size, kind=kind), "Repeats": [1, 2]}
    return session_of(
        stage("halves", "SPLIT", split), swapped, stage("twice", "TILE", tile, InputTensor=("swapped", "OutputTensor"))
    )


def looked_up(picked: tuple[int, ...] = (1, 3, 1)) -> Session:
    """`ids` ▸ `rows`: a GATHER of indices from a list of them, and the rows of a table that they pick."""
    count = len(picked)
    ids = {
        "InputTensor": tensor(4, kind="INT32"),
        "IndicesTensor": tensor(count, kind="INT32"),
        "OutputTensor": tensor(count, kind="INT32"),
        "Axis": 0,
        "IndexDimensions": 1,
    }
    rows = {
        "InputTensor": tensor(3, 2),
        "IndicesTensor": tensor(1, count, kind="INT32"),
        "OutputTensor": tensor(count, 2),
        "Axis": 0,
        "IndexDimensions": 1,
    }
    first = stage("ids", "GATHER", ids)
    first["values"] = {"InputTensor": [2, 0, 1, 2], "IndicesTensor": list(picked)}
    return session_of(first, stage("rows", "GATHER", rows, IndicesTensor=("ids", "OutputTensor")))
