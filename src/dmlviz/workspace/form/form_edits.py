"""What an edit of one of the form's rows makes of an experiment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.levels import FeatureLevel
from ...desc.npy_files import read_npy
from ...desc.tensors import MEMBERS, DataType, TensorDesc, snake
from ...desc.value_sources import Npy
from ...desc.values import Iota
from ...errors import DmlvizError
from ...formats.number_text import one_number, parse_numbers
from ...operators.desc_edits import with_data_type, with_tensor
from ...operators.general_rules import anchor_of
from ...operators.registry import operator_of
from ...session.experiments import Experiment
from .value_text import parse_values


def _with_values(one: Experiment, path: str, text: str) -> Experiment:
    """The experiment with what was typed as a tensor's values; empty text leaves them to the default."""
    values = {key: source for key, source in one.values.items() if key != path}
    tensor = next((part.tensor for part in one.desc.inputs if part.path == path), None)
    if tensor is None:
        raise _gone(one.desc, f"{path}.values")
    if text.strip():
        values[path] = source = parse_values(text, f"{path}.values", tensor.data_type)
        if isinstance(source, Npy) and tensor.can_exist:
            read_npy(source.file, tensor, path, one.folder)
    return replace(one, values=values)


def _gone(desc: Desc, key: str) -> DmlvizError:
    """The error about a row that the desc has no more."""
    return DmlvizError(f"{key} is no field of {operator_of(desc).page}, expected one that the form shows.")


def edited(one: Experiment, key: str, text: str) -> Experiment:
    """The experiment after `text` was typed or chosen in row `key`, never Operator. Raises DmlvizError."""
    desc = one.desc
    if key == "FeatureLevel":
        return replace(one, feature_level=FeatureLevel.of(text))
    if key == "DataType":
        return replace(one, desc=with_data_type(desc, DataType.of(text)))
    if key.endswith(".DataType"):
        return _with_type(one, key.removesuffix(".DataType"), text)
    if key.endswith(".values"):
        return _with_values(one, key.removesuffix(".values"), text)
    path, _, member = key.partition(".")
    if member in MEMBERS:
        return _with_member(one, path, member, text)
    name = key.split("[", 1)[0]
    field = next((f for f in desc.FIELDS if f.name == name), None)
    if field is None:
        raise _gone(desc, key)
    empty = field.can_be_inferred and not text.strip()
    if field in desc.TENSORS:
        return _with_sizes(one, key, None if empty else parse_numbers(text, key))
    return replace(one, desc=desc.replace({name: None if empty else field.read(text)}))


def _with_sizes(one: Experiment, key: str, sizes: list[int] | None) -> Experiment:
    """The experiment with a tensor's Sizes changed; None leaves an output to be inferred."""
    desc = one.desc
    if sizes is None:
        return replace(one, desc=desc.replace({key: None}))
    name = key.split("[", 1)[0]
    held = desc.get(name)
    if "[" in key:
        number = _index_in(key)
        tensors = list(held)
        before = tensors[number] if number < len(tensors) else TensorDesc(anchor_type(desc), ())
        tensors[number : number + 1] = [before.resized(sizes)]
        return replace(one, desc=desc.replace({name: tensors}))
    before = held if held is not None else TensorDesc(anchor_type(desc), ())
    return replace(one, desc=desc.replace({name: before.resized(sizes)}))


def anchor_type(desc: Desc) -> DataType:
    """The anchor's data type, which new tensors get as well; FLOAT32 where there is no anchor."""
    anchor = anchor_of(operator_of(desc), desc)
    return anchor.tensor.data_type if anchor is not None else DataType.FLOAT32


def _with_type(one: Experiment, key: str, kind: str) -> Experiment:
    """The experiment with the type of one tensor changed."""
    desc = one.desc
    if key not in [part.path for part in desc.parts]:
        raise _gone(desc, key)
    name = key.split("[", 1)[0]
    held = desc.get(name)
    if "[" not in key:
        return replace(one, desc=desc.replace({name: held.changed(data_type=kind)}))
    n = _index_in(key)
    tensors = [t.changed(data_type=kind) if i == n else t for i, t in enumerate(held)]
    return replace(one, desc=desc.replace({name: tensors}))


def _with_member(one: Experiment, path: str, member: str, text: str) -> Experiment:
    """The experiment with what a tensor says besides DataType and Sizes; empty follows from these."""
    desc = one.desc
    part = next((part for part in desc.parts if part.path == path), None)
    if part is None:
        raise _gone(desc, f"{path}.{member}")
    value: Any = None
    if member == "Flags":
        value = [word for word in re.split(r"[\s,|]+", text) if word]
    elif text.strip():
        value = parse_numbers(text, f"{path}.{member}") if member == "Strides" else one_number(text, f"{path}.{member}")
    changed = part.tensor.changed(**{snake(member): value})
    return replace(one, desc=desc.replace(with_tensor(desc, part, changed)))


def _index_in(key: str) -> int:
    """The index in a row's key: 1 for `InputTensors[1]`."""
    return int(key.split("[", 1)[1].split("]", 1)[0])


def _is_of_array(desc: Desc, key: str) -> bool:
    """True for `InputTensors[1]` where InputTensors is an array; another operator may have come since it was asked."""
    name, bracket, _ = key.partition("[")
    return bool(bracket) and any(f.many and f.name == name for f in desc.TENSORS)


def grown(one: Experiment, key: str, more: int) -> Experiment:
    """The experiment with a tensor added behind `key` of an array (`more` 1), or `key` removed (-1)."""
    desc = one.desc
    if not _is_of_array(desc, key):
        return one
    name, number = key.split("[", 1)[0], _index_in(key)
    tensors = list(desc.get(name))
    order: list[int | None] = [*range(len(tensors))]
    if more < 0:
        del tensors[number : number + 1], order[number : number + 1]
    else:
        others = [part.tensor for part in desc.parts]
        number = min(number, len(tensors) - 1)
        like = tensors[number] if tensors else (others[0] if others else TensorDesc("FLOAT32", (1, 1, 2, 2)))
        tensors.insert(number + 1, like)
        order.insert(number + 1, None)
    edited = _rearranged(one, name, tensors, order)
    path = f"{name}[{number + 1}]"
    if more < 0 or not any(part.path == path for part in edited.desc.inputs):
        return edited
    # Its values go on from those of the tensors before, so that they can be told apart.
    return replace(edited, values={**edited.values, path: Iota(1 + max(number, 1) * like.element_count, 1)})


def moved(one: Experiment, key: str, by: int) -> Experiment:
    """The experiment with tensor `key` of an array `by` places further, with its values; itself for no such place."""
    if not _is_of_array(one.desc, key):
        return one
    name, n = key.split("[", 1)[0], _index_in(key)
    tensors = list(one.desc.get(name))
    to = n + by
    if not (0 <= n < len(tensors) and 0 <= to < len(tensors)):
        return one
    order = [*range(len(tensors))]
    tensors.insert(to, tensors.pop(n))
    order.insert(to, order.pop(n))
    return _rearranged(one, name, tensors, order)


def _rearranged(one: Experiment, name: str, tensors: Sequence[TensorDesc], order: Sequence[int | None]) -> Experiment:
    """The experiment with other tensors in an array; `order` tells where each stood before, None for new ones."""
    desc = one.desc
    # A count that was given is meant to count; it follows the array as it grows.
    counts = {f.name: len(tensors) for f in desc.COUNTS if name in f.arrays}
    given = {name: count for name, count in counts.items() if name not in desc.inferred}
    values = {path: source for path, source in one.values.items() if not path.startswith(f"{name}[")}
    for i, before in enumerate(order):
        source = one.values.get(f"{name}[{before}]")
        if source is not None:
            values[f"{name}[{i}]"] = source
    return replace(one, desc=desc.replace({name: tensors, **given}), values=values)
