"""A model file for Microsoft's DxDispatch: a buffer for each tensor, an operator and its commands for each experiment.

Buffers and operators are called after the operator and the experiment's number. What DxDispatch has no place for, an
experiment's name, level and notes, stands in a member of the root that it passes over, under NOTED. What reads another
experiment's output binds its buffer; the chain's last outputs alone are printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.tensors import DataType, TensorDesc
from ..desc.value_sources import Listed, Npy, ValueSource, convert
from ..desc.values import Array, Constant, Cycle, Fill, Filled, Iota, Values
from ..errors import DmlvizError, quote
from ..running.memory import require_memory
from ..session.dxdispatch_names import NOTED, adds_exactly
from ..session.experiments import Experiment, Session
from ..session.writing import dump_tensor
from ..stopping import checked
from .lib.chained import Group, groups, operator_name, tensor_name
from .lib.export import Export
from .lib.json_page import json_page

ABOUT = "A model file for Microsoft's DxDispatch, which runs it on a device: buffers, operators, commands."
SUFFIX = ".json"
LANGUAGE = "json"
RUNS = False

MOST_LISTED = 4096
"""Elements that are written as a list; more go into an .npy file."""
MOST_STORED = 1 << 28
"""Elements that go into an .npy file."""
MOST_NAME, MOST_NOTES = 1_000, 20_000
"""Characters of a name and of notes that are kept."""
MOST_PROBLEMS = 20
"""Sentences about values that don't fit their tensor."""
_TIMING = "DxDispatch waits for the device after each dispatch, so its times of these stages add up to no chain's time."


def export(session: Session, stem: str) -> Export:
    """The session as one model. Raises DmlvizError for values that DxDispatch can't make and a file can't hold."""
    resources: dict[str, Any] = {}
    dispatchables: dict[str, Any] = {}
    commands: list[Any] = []
    noted: list[Any] = []
    files: dict[str, Array] = {}
    chains: list[Any] = []
    for group in checked(groups(session)):
        for number, experiment in group:
            name = operator_name(experiment.desc, number)
            filled, problems = experiment.sources_or_defaults()
            wired = _wired(experiment, group)
            resources.update(_resources(experiment, filled, name, stem, files, wired))
            dispatchables[name] = {"type": experiment.desc.TYPE, "desc": desc_json(experiment.desc)}
            bindings = _bindings(experiment.desc, name, wired)
            commands.append({"type": "dispatch", "dispatchable": name, "bindings": bindings})
            noted.append(_note_of(experiment, name, problems))
        for number, end in group.ends:
            name = operator_name(end.desc, number)
            commands += [_print_command(part, name) for part in end.desc.outputs]
        if group.is_chain:
            chains.append({"dispatchables": list(group.names.values()), "timing": _TIMING})
    about = {"title": _cut(session.title, MOST_NAME), "operators": noted, **({"chains": chains} if chains else {})}
    model = {"resources": resources, "dispatchables": dispatchables, "commands": commands, NOTED: about}
    return Export(json_page(model), files)


def _wired(experiment: Experiment, group: Group) -> dict[str, str]:
    """By path, the buffer that an input shares with the output that it reads."""
    found = ((part, group.source(experiment, part)) for part in experiment.desc.inputs)
    return {
        part.path: tensor_name(led[0].desc.outputs[led[1]], group.names[id(led[0])])
        for part, led in found
        if led is not None
    }


def _note_of(experiment: Experiment, name: str, problems: Sequence[str]) -> dict[str, Any]:
    """What DxDispatch has no place for: an experiment's name, level and notes, and what is wrong with its values."""
    noted: dict[str, Any] = {
        "dispatchable": name,
        "name": _cut(experiment.name, MOST_NAME),
        "feature_level": experiment.feature_level.value,
        "notes": _cut(experiment.notes, MOST_NOTES),
        "problems": [_cut(problem, MOST_NAME) for problem in problems[:MOST_PROBLEMS]],
    }
    return {key: value for key, value in noted.items() if value or key not in ("notes", "problems")}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def desc_json(desc: Desc) -> dict[str, Any]:
    """Every field that has a value, inferred ones too: DxDispatch wants all of them."""
    fields: dict[str, Any] = {}
    for field in desc.FIELDS:
        member = desc.get(field.name)
        if field not in desc.TENSORS:
            fields[field.name] = field.dump(member)
        elif member is not None:  # an output that nothing determines
            fields[field.name] = [dump_tensor(tensor) for tensor in member] if field.many else dump_tensor(member)
    return fields


def _bindings(desc: Desc, name: str, wired: Mapping[str, str]) -> dict[str, Any]:
    """The name of each tensor field's buffer, by path in `wired` where it is another's; a list for a field of many."""
    bindings: dict[str, Any] = {field.name: [] for field in desc.TENSORS if desc.get(field.name) is not None}
    for part in desc.parts:
        buffer = wired.get(part.path) or tensor_name(part, name)
        if part.field.many:
            bindings[part.field.name].append(buffer)
        else:
            bindings[part.field.name] = buffer
    return bindings


def _print_command(part: Part, name: str) -> dict[str, Any]:
    """The command that prints a tensor; for elements of 8 bits with their digits, as DxDispatch streams characters."""
    command: dict[str, Any] = {"type": "print", "resource": tensor_name(part, name)}
    return {**command, "verbose": True} if part.tensor.data_type.item_size == 1 else command


def _resources(
    experiment: Experiment,
    filled: Sequence[Values],
    name: str,
    stem: str,
    files: dict[str, Array],
    wired: Mapping[str, str],
) -> Iterator[tuple[str, Any]]:
    """Each tensor's buffer, but for those of others in `wired`; what goes into a file is added to `files`."""
    values = dict(zip((part.path for part in experiment.desc.inputs), filled, strict=True))
    for part in experiment.desc.parts:
        if part.path in wired:
            continue
        called = tensor_name(part, name)
        initial: Any = _zeros(part.tensor)
        source = experiment.values.get(part.path)
        if part.field.role is not Role.OUTPUT:
            if not part.tensor.can_exist:
                initial = _listed_alone(source, part.tensor) or initial
            else:
                try:
                    by_rule = _by_rule(values[part.path], source)
                    if by_rule is None:
                        file = f"{stem}-{called}.npy"
                        files[file] = _for_file(values[part.path], part.path)
                        by_rule = {"sourcePath": file}
                except DmlvizError as error:
                    raise type(error)(f"experiment {quote(experiment.name)}: {error}") from None
                initial = by_rule
        yield called, {"initialValuesDataType": part.tensor.data_type.name, "initialValues": initial}


def _zeros(tensor: TensorDesc) -> dict[str, Any]:
    """Zeros; one alone for a tensor that can't exist, as no buffer may be empty."""
    return {"valueCount": tensor.element_count if tensor.can_exist else 1, "value": 0}


def _listed_alone(source: ValueSource | None, tensor: TensorDesc) -> list[Any] | None:
    """The list that was given for a tensor that can't exist; None where its type doesn't hold that."""
    if not isinstance(source, Listed) or not 0 < len(source.items) <= MOST_LISTED:
        return None
    try:
        return _json_numbers(np.array([convert(x, tensor.data_type, "") for x in source.items], tensor.data_type.dtype))
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


def _for_file(values: Values, path: str) -> Array:
    """The elements that a file has to hold. Raises DmlvizError for too many, or short memory."""
    tensor = values.tensor
    if isinstance(values, Filled):
        if tensor.element_count > MOST_STORED:
            raise DmlvizError(
                f"{path} has {tensor.element_count:,} elements that DxDispatch has no rule for, expected a constant, a "
                f"sequence that it adds up exactly, or at most {MOST_STORED:,} elements for a file."
            )
        require_memory(tensor.byte_count, f"{path}, written to a file,")
    return values.array()


def _sequence(fill: Fill, data_type: DataType, count: int) -> tuple[Any, Any] | None:
    """The start and the delta by which DxDispatch, which adds in the tensor's type, makes the fill's very elements.

    None where it doesn't, or where its sum would leave a signed type whose overflow C++ doesn't define.
    """
    if isinstance(fill, Cycle) and fill.n >= count:
        fill = Iota(0, 1)
    if not isinstance(fill, Iota):
        return None
    start, step = fill.start, fill.step
    if data_type.is_float:
        exact = adds_exactly(start, step, count, data_type)
        return (_json_number(np.float64(start)), _json_number(np.float64(step))) if exact else None
    if not isinstance(start, int) or not isinstance(step, int):
        return None
    low, high = data_type.integer_range
    size = high - low + 1
    start, step = ((number - low) % size + low for number in (start, step))
    last = start + step * (count - 1)
    if data_type.is_signed and data_type.item_size > 2 and not low <= last <= high:
        return None
    return start, step


def _json_numbers(array: Array) -> list[Any]:
    """Elements as JSON: floats as short as they come back through the types that DxDispatch reads them by."""
    return [_json_number(x) for x in array] if array.dtype.kind == "f" else array.tolist()


def _json_number(item: Any) -> int | float | str:
    if not np.isfinite(item):
        return "nan" if np.isnan(item) else "inf" if item > 0 else "-inf"
    short = float(str(item))
    exact = short if type(item)(short) == item else float(item)
    is_whole = exact.is_integer() and abs(exact) < 2**53 and (exact or not np.signbit(item))
    return int(exact) if is_whole else exact
