"""Experiments that can't be read or run, among some that are fine, and whether what is said of them is a sentence."""

from __future__ import annotations

import json
from typing import Any

from support.commands import document, experiment

MARK = '"MARK"'
SIZE = "desc.InputTensor.Sizes.0"


def tensor(data_type: str = "UINT8", *sizes: Any) -> dict[str, Any]:
    return {"DataType": data_type, "Sizes": list(sizes) or [2]}


def base(values: Any = None) -> dict[str, Any]:
    found = experiment("bad")
    return found if values is None else {**found, "values": {"InputTensor": values}}


def set_at(path: str, raw: str) -> str:
    """The experiment "bad" as JSON text, with `raw` at a dotted path."""
    found = base([1, 2])
    *way, last = path.split(".")
    at: Any = found
    for key in way:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[int(last) if isinstance(at, list) else last] = "MARK"
    return json.dumps(found).replace(MARK, raw)


def among_good(raw: str) -> str:
    """A session of the experiment `raw` between two that are fine."""
    return document(experiment("first"), "MARK", experiment("last")).replace(MARK, raw)


def one_line(text: str) -> bool:
    return text.endswith(".") and text.isprintable()
