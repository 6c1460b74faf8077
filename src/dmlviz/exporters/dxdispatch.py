"""A model file for Microsoft's DxDispatch: a buffer for each tensor, an operator and its commands for each experiment.

What DxDispatch has no place for, an experiment's name, level and notes, stands in a member of the root that it passes
over, under NOTED. What reads another experiment's output binds its buffer; a chain's last outputs alone are printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..desc.base import Desc, Part
from ..desc.tensors import DataType, TensorDesc
from ..desc.value_sources import Listed, Npy, ValueSource, convert
from ..desc.values import Array, Constant, Cycle, Fill, Filled, Iota, Values
from ..errors import DmlvizError, cut, quote
from ..formats.json_text import json_file
from ..running.memory import require_memory
from ..session.dxdispatch_names import NOTED, adds_exactly
from ..session.experiments import Experiment, Session
from ..session.writing import field_json
from ..stopping import checked
from .lib.chained import groups, operator_name, tensor_name
from .lib.writing import Export

ABOUT = "A model file for Microsoft's DxDispatch, which runs it on a device: buffers, operators, commands."
SUFFIX = ".json"
RUNS = False

MOST_LISTED = 4096
MOST_NAME, MOST_NOTES = 1_000, 20_000
"""Elements that are written as a list, where more go into an .npy file; characters of a name, and of notes."""
_TIMING = "DxDispatch waits for the device after each dispatch, so its times of these stages add up to no chain's time."


def export(session: Session, stem: str) -> Export:
    """The session as one model. Raises DmlvizError for values that no memory holds."""
    about: dict[str, Any] = {"title": cut(session.title, MOST_NAME), "operators": []}
    model: dict[str, Any] = {"resources": {}, "dispatchables": {}, "commands": [], NOTED: about}
    commands = model["commands"]
    files = dict[str, Array]()
    for group in checked(groups(session)):
        for number, one in group:
            desc = one.desc
            name = operator_name(desc, number)
            found = {part.path: group.source(one, part) for part in desc.inputs}
            buffers = {part.path: tensor_name(part, name) for part in desc.parts}
            for path, led in found.items():
                if led is not None:
                    buffers[path] = tensor_name(led[0].desc.outputs[led[1]], group.names[id(led[0])])
            filled, problems = one.sources_or_defaults()
            values = dict(zip(found, filled, strict=True))
            for part in desc.parts:
                path = part.path
                kind = part.tensor.data_type.name
                if found.get(path) is None:
                    own = buffers[path]
                    made = _initial(one, part, values.get(path), f"{stem}-{own}", files)
                    model["resources"][own] = {"initialValuesDataType": kind, "initialValues": made}
            model["dispatchables"][name] = {"type": desc.TYPE, "desc": desc_json(desc)}
            bindings = _bindings(desc, buffers)
            commands.append({"type": "dispatch", "dispatchable": name, "bindings": bindings})
            about["operators"].append(_note_of(one, name, problems))
        for number, end in group.ends:
            for part in end.desc.outputs:
                # Elements of 8 bits with their digits, as DxDispatch streams characters.
                more = {"verbose": True} if part.tensor.data_type.item_size == 1 else {}
                resource = tensor_name(part, operator_name(end.desc, number))
                commands.append({"type": "print", "resource": resource, **more})
        if group.is_chain:
            chain = {"dispatchables": list(group.names.values()), "timing": _TIMING}
            about.setdefault("chains", []).append(chain)
    return Export(json_file(model, in_rows=True), files)


def _note_of(one: Experiment, name: str, problems: Sequence[str]) -> dict[str, Any]:
    noted = {"dispatchable": name, "name": cut(one.name, MOST_NAME)}
    level = one.feature_level.value
    notes = cut(one.notes, MOST_NOTES)
    told = {"feature_level": level, "notes": notes, "problems": [*problems]}
    return noted | {key: value for key, value in told.items() if value}


def desc_json(desc: Desc) -> dict[str, Any]:
    """Every field that has a value, inferred ones too: DxDispatch wants all of them."""
    held = (each for each in desc.FIELDS if each not in desc.TENSORS or desc.get(each.name) is not None)
    return {field.name: field_json(desc, field) for field in held}


def _bindings(desc: Desc, buffers: Mapping[str, str]) -> dict[str, Any]:
    bindings = dict[str, Any]()
    for field in desc.TENSORS:
        names = [buffers[part.path] for part in desc.parts if part.field is field]
        if desc.get(field.name) is not None:
            bindings[field.name] = names if field.many else names[0]
    return bindings


def _initial(one: Experiment, part: Part, values: Values | None, stem: str, files: dict[str, Array]) -> Any:
    source = one.values.get(part.path)
    can_exist = part.tensor.can_exist
    if values is None or not can_exist:  # no buffer may be empty
        listed = None if values is None else _listed_alone(source, part.tensor)
        return listed or {"valueCount": part.tensor.element_count if can_exist else 1, "value": 0}
    by_rule = _by_rule(values, source)
    if by_rule is not None:
        return by_rule
    if isinstance(values, Filled):
        require_memory(part.tensor.byte_count, f"experiment {quote(one.name)}: {part.path}, written to a file,")
    files[f"{stem}.npy"] = values.array()
    return {"sourcePath": f"{stem}.npy"}


def _listed_alone(source: ValueSource | None, tensor: TensorDesc) -> list[Any] | None:
    """The list that was given for a tensor that can't exist; None where its type doesn't hold that."""
    if not isinstance(source, Listed) or len(source.items) > MOST_LISTED:
        return None
    try:
        items = [convert(item, tensor.data_type, "") for item in source.items]
        return _json_numbers(np.array(items, tensor.data_type.dtype))
    except DmlvizError:
        return None


def _by_rule(values: Values, source: ValueSource | None) -> Any:
    """A rule or a list by which DxDispatch makes just these values; None where only a file can say them."""
    tensor = values.tensor
    count = tensor.element_count
    if isinstance(values, Filled):
        fill = values.fill
        if isinstance(fill, Constant):
            return {"valueCount": count, "value": _json_numbers(fill.make(np.zeros(1, np.int64), tensor.data_type))[0]}
        sequence = _sequence(fill, tensor.data_type, count)
        if sequence is not None:
            return {"valueCount": count, "valueStart": sequence[0], "valueDelta": sequence[1]}
    if isinstance(source, Npy) or count > MOST_LISTED:
        return None
    return _json_numbers(values.array().reshape(-1))


def _sequence(fill: Fill, kind: DataType, count: int) -> tuple[Any, Any] | None:
    """The start and the delta by which DxDispatch, which adds in the tensor's type, makes the fill's very elements."""
    if isinstance(fill, Cycle) and fill.n >= count:
        fill = Iota(0, 1)
    if not isinstance(fill, Iota):
        return None
    start, step = fill.start, fill.step
    if kind.is_float:
        exact = adds_exactly(start, step, count, kind)
        if exact:
            return _json_number(np.float64(start)), _json_number(np.float64(step))
        return None
    if not isinstance(start, int) or not isinstance(step, int):
        return None
    low, high = kind.integer_range
    start, step = ((number - low) % (high - low + 1) + low for number in (start, step))
    # C++ doesn't define what a sum is that leaves a signed type.
    wraps = kind.is_signed and kind.item_size > 2 and not low <= start + step * (count - 1) <= high
    return None if wraps else (start, step)


def _json_numbers(array: Array) -> list[Any]:
    if array.dtype.kind == "f":
        return [_json_number(x) for x in array]
    whole: list[Any] = array.tolist()
    return whole


def _json_number(item: Any) -> int | float | str:
    if not np.isfinite(item):
        return "nan" if np.isnan(item) else "inf" if item > 0 else "-inf"
    short = float(str(item))
    exact = short if type(item)(short) == item else float(item)
    is_whole = exact.is_integer() and abs(exact) < 2**53 and (exact or not np.signbit(item))
    return int(exact) if is_whole else exact
