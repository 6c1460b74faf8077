"""The form's rows for an operator, and what an edit of one of them makes of an experiment: no screen needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..descs import CountField, Desc, NumberField, Role, TensorField
from ..errors import DmlvizError, quote
from ..jsontext import parse_json
from ..levels import LEVELS, FeatureLevel
from ..operators import anchor_of, operator_of, operators, with_data_type
from ..session import Experiment
from ..specs import Listed, Spec, parse_spec
from ..tensors import DataType, TensorDesc
from ..values import Constant, Iota, Random


@dataclass(frozen=True)
class FormRow:
    """One line of the form."""

    key: str
    """DirectML's path: `InputTensors[1]`; or Operator, FeatureLevel, DataType."""
    label: str
    text: str
    """What the field holds; empty where it is inferred."""
    choices: tuple[str, ...] = ()
    """What can be chosen; () for a field that is typed."""
    inferred: str = ""
    """What an empty field stands for."""
    can_grow: bool = False
    """The last tensor of an array: tensors are added and removed behind it."""


def form_rows(experiment: Experiment) -> list[FormRow]:
    """The rows of an experiment: tensors in DirectML's order, then numbers, then counts, which follow by themselves."""
    desc, operator = experiment.desc, operator_of(experiment.desc)
    anchor = anchor_of(operator, desc)
    shared = anchor.tensor.data_type if anchor is not None else DataType.FLOAT32
    rows = [
        FormRow("Operator", "Operator", operator.name, tuple(o.name for o in operators().values())),
        FormRow("FeatureLevel", "Feature level", experiment.feature_level.value, tuple(x.value for x in LEVELS)),
        FormRow("DataType", "DataType", shared.name, tuple(DataType.__members__)),
    ]
    numbers, counts = [], []
    for field in desc.FIELDS:
        held = desc.get(field.name)
        given = field.name not in desc.inferred
        if isinstance(field, TensorField):
            tensors: Sequence[TensorDesc | None] = held if field.many else (held,)
            for i, tensor in enumerate(tensors):
                key = f"{field.name}[{i}]" if field.many else field.name
                sizes = _joined(tensor.sizes) if tensor is not None else "?"
                own = tensor is not None and (
                    field.role in (Role.INDICES, Role.LENGTHS) or (tensor.data_type is not shared and given)
                )
                last = field.many and i == len(tensors) - 1
                text, inferred = (sizes, "") if given else ("", sizes)
                rows.append(FormRow(key, key, text, inferred=inferred, can_grow=last and not own))
                if own and tensor is not None:
                    types = tuple(DataType.__members__)
                    rows.append(FormRow(f"{key}.DataType", "  DataType", tensor.data_type.name, types, can_grow=last))
                if field.role in (Role.INDICES, Role.LENGTHS):
                    written, default = _values_text(experiment, key)
                    rows.append(FormRow(f"{key}.values", "  values", written, inferred=default))
            if field.many and not tensors:
                rows.append(FormRow(f"{field.name}[0]", f"{field.name} (none)", "", can_grow=True))
        elif isinstance(field, CountField):
            text, inferred = (str(held), "") if given else ("", str(held))
            counts.append(FormRow(field.name, field.name, text, inferred=inferred))
        else:
            text = str(held) if isinstance(field, NumberField) else _joined(held)
            numbers.append(FormRow(field.name, field.name, text))
    return rows + numbers + counts


def _joined(items: Sequence[object]) -> str:
    text = ", ".join(map(str, items))
    return text if len(text) <= 16 else text.replace(" ", "")


LISTED = 64
"""Values are listed in a field up to this many."""


def _values_text(experiment: Experiment, path: str) -> tuple[str, str]:
    """What a tensor's values field holds, and what stands there while it is empty."""
    spec = experiment.values.get(path)
    if isinstance(spec, Listed):
        return _joined(spec.items) if len(spec.items) <= LISTED else f"{len(spec.items):,} values", ""
    if isinstance(spec, Iota):
        return f"iota {spec.start} {spec.step}", ""
    if isinstance(spec, Constant):
        return f"constant {spec.value}", ""
    if isinstance(spec, Random):
        return f"random {spec.seed}", ""
    if spec is not None:
        return f"file {spec.file}", ""
    sources, _ = experiment.sources_or_defaults()
    paths = [part.path for part in experiment.desc.inputs]
    source = sources[paths.index(path)]
    first = source.read(np.arange(min(source.tensor.element_count, 4), dtype=np.int64))
    return "", ",".join(map(str, first.tolist())) + ("…" if source.tensor.element_count > 4 else "")


def parse_values(text: str, field: str) -> Spec:
    """`0, 1, 1, 2`, `[[0, 1], [1, 2]]`, `iota 0 2`, `constant 3` or `random 7`. Raises DmlvizError with a sentence."""
    words = text.replace(",", " ").split()
    kind, numbers = words[0].lower() if words else "", words[1:]
    most = {"iota": 2, "constant": 1, "random": 1}.get(kind)
    if most is not None:
        given = parse_numbers(" ".join(numbers), field) if numbers else []
        if len(given) > most:
            raise DmlvizError(f"{field} has {len(given)} numbers after {kind}, expected {most} at most.")
        if kind == "iota":
            return Iota(*given)
        if kind == "constant":
            return Constant(*given or [0])
        if given and not 0 <= given[0] < 2**128:
            raise DmlvizError(f"{field} has seed {given[0]}, expected 0 to 2^128 - 1.")
        return Random(*given)
    if text.lstrip().startswith("["):
        try:
            found = parse_json(text)
        except DmlvizError:
            raise DmlvizError(f"{field} has {quote(text)}, expected a list such as [[0, 1], [1, 2]].") from None
        return parse_spec(found, field)
    listed = parse_numbers(text, field)
    return Listed(tuple(listed), (len(listed),))


def _with_values(experiment: Experiment, path: str, text: str) -> Experiment:
    values = {key: spec for key, spec in experiment.values.items() if key != path}
    if text.strip():
        values[path] = parse_values(text, f"{path}.values")
    return replace(experiment, values=values)


def parse_numbers(text: str, field: str, example: str = "integers such as 1, 1, 6, 2") -> list[int]:
    """`1, 1, 6, 2` as integers. Raises DmlvizError with a sentence."""
    parts = text.strip().strip("{}[]").split(",")
    if not parts[-1].strip():
        parts.pop()  # a comma at the end is one that more will follow
    made = []
    for part in parts:
        for word in part.split() or [""]:
            try:
                made.append(int(word))
            except ValueError:
                raise DmlvizError(f"{field} has {quote(word)}, expected {example}.") from None
    if not made:
        raise DmlvizError(f"{field} is empty, expected {example}.")
    return made


def _one_number(text: str, field: str) -> int:
    numbers = parse_numbers(text, field, "an integer")
    if len(numbers) > 1:
        raise DmlvizError(f"{field} has {len(numbers)} numbers, expected one.")
    return numbers[0]


def edited(experiment: Experiment, key: str, text: str) -> Experiment:
    """The experiment after `text` was typed or chosen in row `key`. Raises DmlvizError where it can't be read.

    Operator is not among the keys: another operator is another experiment.
    """
    desc = experiment.desc
    if key == "FeatureLevel":
        return replace(experiment, feature_level=FeatureLevel.of(text))
    if key == "DataType":
        return replace(experiment, desc=with_data_type(desc, DataType.of(text)))
    if key.endswith(".DataType"):
        return _with_type(experiment, key.removesuffix(".DataType"), text)
    if key.endswith(".values"):
        return _with_values(experiment, key.removesuffix(".values"), text)
    name = key.split("[", 1)[0]
    field = next(f for f in desc.FIELDS if f.name == name)
    if isinstance(field, TensorField):
        empty = not text.strip() and field.role is Role.OUTPUT and not field.many
        return _with_tensor(experiment, key, None if empty else parse_numbers(text, key))
    if isinstance(field, CountField):
        change: Any = _one_number(text, key) if text.strip() else None
    elif isinstance(field, NumberField):
        change = _one_number(text, key)
    else:
        change = parse_numbers(text, key)
    return replace(experiment, desc=desc.replace({name: change}))


def _with_tensor(experiment: Experiment, key: str, sizes: list[int] | None) -> Experiment:
    desc = experiment.desc
    if sizes is None:
        return replace(experiment, desc=desc.replace({key: None}))
    name = key.split("[", 1)[0]
    held = desc.get(name)
    if "[" in key:
        number = int(key.split("[")[1].rstrip("]"))
        tensors = list(held)
        data_type = tensors[number].data_type if number < len(tensors) else _shared_type(desc)
        tensors[number : number + 1] = [TensorDesc(data_type, sizes)]
        return replace(experiment, desc=desc.replace({name: tensors}))
    data_type = held.data_type if held is not None else _shared_type(desc)
    return replace(experiment, desc=desc.replace({name: TensorDesc(data_type, sizes)}))


def _shared_type(desc: Desc) -> DataType:
    anchor = anchor_of(operator_of(desc), desc)
    return anchor.tensor.data_type if anchor is not None else DataType.FLOAT32


def _with_type(experiment: Experiment, key: str, data_type: str) -> Experiment:
    """The experiment with the type of one tensor changed."""
    desc = experiment.desc
    name = key.split("[", 1)[0]
    held = desc.get(name)
    if "[" not in key:
        return replace(experiment, desc=desc.replace({name: TensorDesc(data_type, held.sizes)}))
    number = int(key.split("[")[1].rstrip("]"))
    tensors = [TensorDesc(data_type, t.sizes) if i == number else t for i, t in enumerate(held)]
    return replace(experiment, desc=desc.replace({name: tensors}))


def grown(experiment: Experiment, key: str, more: int) -> Experiment:
    """The experiment with a tensor added behind an array (`more` 1), like the last one, or the last removed (-1)."""
    desc = experiment.desc
    name = key.split("[", 1)[0]
    tensors = list(desc.get(name))
    if more < 0:
        tensors = tensors[:-1]
    else:
        others = [part.tensor for part in desc.parts()]
        tensors.append(tensors[-1] if tensors else (others[0] if others else TensorDesc("FLOAT32", (1, 1, 2, 2))))
    # A count that was given is meant to count; it follows the array as it grows.
    counts = {f.name: len(tensors) for f in desc.FIELDS if isinstance(f, CountField) and f.of == name}
    given = {name: count for name, count in counts.items() if name not in desc.inferred}
    return replace(experiment, desc=desc.replace({name: tensors, **given}))


def stepped(text: str, at: int, by: int) -> tuple[str, int]:
    """`text` with the number at position `at` changed by `by`, and where to stand then."""
    for match in re.finditer(r"-?\d+", text):
        if match.start() <= at <= match.end():
            number = str(int(match.group()) + by)
            return text[: match.start()] + number + text[match.end() :], min(at, match.start() + len(number))
    return text, at
