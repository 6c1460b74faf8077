"""The form's rows for an experiment: a field a row, made from the operator's declaration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...desc.base import Desc
from ...desc.fields import Field, Role, TensorField
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.tensors import DataType, TensorDesc
from ...desc.value_sources import Listed, Npy, ValueSource, Wired
from ...desc.values import Constant, Iota, Random
from ...operators.registry import listed, operator_of
from ...operators.report import Report
from ...session.experiments import Experiment
from ..shown.state import FormRow
from .form_edits import anchor_type


def form_rows(experiment: Experiment, report: Report | None = None) -> list[FormRow]:
    """The rows of an experiment: tensors in DirectML's order, then numbers, then counts, which follow by themselves."""
    desc, op = experiment.desc, operator_of(experiment.desc)
    shared = anchor_type(desc)
    level = experiment.feature_level
    lowest = report.lowest_level if report is not None else None
    names = tuple(one.name for one in listed())
    neighbours = {one.name: "related" for one in listed() if one.neighbour}
    levels, higher = tuple(x.value for x in LEVELS), f"≥{lowest}" if lowest not in (None, level) else ""
    rows = [
        FormRow("Operator", "Operator", op.name, names, needs=neighbours),
        FormRow("FeatureLevel", "Feature level", level.value, levels, remark=higher),
        FormRow("DataType", "DataType", shared.name, tuple(DataType.__members__)),
    ]
    for tensor_field in desc.TENSORS:
        rows += _tensor_rows(experiment, tensor_field, shared)
    rows += [_attribute_row(field, desc.get(field.name), level) for field in desc.ATTRIBUTES]
    for count in desc.COUNTS:
        text, given = count.text(desc.get(count.name)), count.name not in desc.inferred
        text, inferred, remark = (text, "", "given") if given else ("", text, "auto")
        rows.append(FormRow(count.name, count.name, text, inferred=inferred, remark=remark, group=3))
    return rows


def _attribute_row(field: Field, held: Any, level: FeatureLevel) -> FormRow:
    later = {c.name: f"≥{c.since}" for c in field.choices() if c.since is not None and c.since > level}
    text = field.text(held)
    return FormRow(
        field.name,
        field.name,
        _joined(text.split(", ")) if field.is_list else text,
        choices=tuple(choice.name for choice in field.choices()),
        remark=later.get(text, ""),
        group=2,
        is_list=field.is_list,
        hint=field.example if field.takes_letters else "",
        takes_letters=field.takes_letters,
        needs=later,
    )


def _tensor_rows(one: Experiment, field: TensorField, shared: DataType) -> Iterator[FormRow]:
    desc = one.desc
    held = desc.get(field.name)
    tensors: Sequence[TensorDesc | None] = held if field.many else (held,)
    given = field.name not in desc.inferred
    is_output = field.role is Role.OUTPUT
    optional = is_output and not field.many
    side = desc.outputs if is_output else desc.inputs
    first = next((k for k, part in enumerate(side) if part.field is field), 0)
    for i, tensor in enumerate(tensors):
        path = f"{field.name}[{i}]" if field.many else field.name
        sizes = _joined(tensor.sizes) if tensor is not None else "?"
        text, inferred = (sizes, "") if given else ("", sizes)
        remark = ("given" if given else "auto") if optional else ""
        yield FormRow(path, path, text, inferred=inferred, remark=remark, tensor=path, is_list=True)
        if tensor is None:
            continue
        if field.role in (Role.INDICES, Role.LENGTHS) or (tensor.data_type is not shared and given):
            key = f"{path}.DataType"
            yield FormRow(key, "  type", tensor.data_type.name, tuple(DataType.__members__), tensor=path)
        for name, told in tensor.members.items():
            words = _joined(told) if isinstance(told, tuple) else str(told)
            yield FormRow(f"{path}.{name}", name, words, tensor=path, hint="empty follows from Sizes")
        if not is_output:
            yield _values_row(one, path, tensor, first + i)
    if field.many:
        if not tensors:
            path = f"{field.name}[0]"
            yield FormRow(path, path, "", inferred="none", tensor=path, is_list=True)
        yield FormRow(f"{field.name}.add", "+ add", "", hint="enter adds a tensor like the last")


SHORT = 15
"""Characters up to which a list is written with spaces: what a field has room for."""


def _joined(items: Sequence[object]) -> str:
    """Entries with commas between, without spaces where they are many."""
    text = ", ".join(map(str, items))
    return text if len(text) <= SHORT else text.replace(" ", "")


LISTED = 64
"""Values are listed in a field up to this many."""


def _values_row(one: Experiment, path: str, tensor: TensorDesc, number: int) -> FormRow:
    source, text, inferred = one.values.get(path), "", ""
    if source is not None:
        text = _told(source)
    else:
        fill = operator_of(one.desc).default_fill(one.desc, number) or Iota(1, 1)
        count = min(tensor.element_count, 4) if tensor.can_exist else 4
        first = fill.make(np.arange(count, dtype=np.int64), tensor.data_type).tolist()
        inferred = ",".join(f"{x:g}" if isinstance(x, float) else str(x) for x in first)
        inferred += "…" * (tensor.element_count > 4)
    return FormRow(
        key=f"{path}.values",
        label="  values",
        text=text,
        inferred=inferred,
        remark="" if text else "auto",
        tensor=path,
        hint="iota 1 1, constant 3, random 7, x.npy",
        takes_letters=True,
    )


def _told(source: ValueSource) -> str:
    match source:
        case Listed(items):
            return _joined(items) if len(items) <= LISTED else f"{len(items):,} values"
        case Iota(start, step):
            return f"iota {start} {step}"
        case Constant(value):
            return f"constant {value}"
        case Random(seed):
            return f"random {seed}"
        case Wired(name, output):
            return f"from {name} {output}".strip()
        case Npy(file):
            return f"file {file}"


def strip_keys(desc: Desc, rows: Sequence[FormRow]) -> tuple[str, ...]:
    """The keys of the rows that decide what an operator does, by its declaration: numbers, then sizes of tensors.

    Sizes of outputs come before those of inputs: they show what follows from the numbers. Counts follow by themselves;
    one that was given may be wrong, and stands at the end.
    """
    counts = [field.name for field in desc.COUNTS if field.name not in desc.inferred]
    outputs = {field.name for field in desc.TENSORS if field.role is Role.OUTPUT}
    sizes = [row.key for row in rows if row.is_sizes]
    return (*desc.attributes, *sorted(sizes, key=lambda key: key.partition("[")[0] not in outputs), *counts)
