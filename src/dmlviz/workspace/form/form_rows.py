"""The form's rows for an experiment, a field a row, and what an edit of one makes of the experiment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...desc.base import Desc, Part
from ...desc.fields import Field, Role, TensorField
from ...desc.levels import LEVELS, FeatureLevel
from ...desc.npy_files import read_npy
from ...desc.tensors import DataType, TensorDesc, snake
from ...desc.value_sources import Listed, Npy, ValueSource, Wired, parse_source
from ...desc.values import Constant, Iota, Random
from ...errors import DmlvizError, quote
from ...formats.json_text import parse_json
from ...formats.number_text import one_number, parse_numbers, words_of
from ...operators.desc_edits import with_data_type, with_tensor
from ...operators.general_rules import anchor_of
from ...operators.registry import listed, operator_of
from ...operators.report import Report
from ...session.cell_edits import typed
from ...session.experiments import Experiment
from ..shown.state import FormRow


def parse_values(text: str, field: str, data_type: DataType) -> ValueSource:
    """`0, 1, 1, 2`, `[[0, 1], [1, 2]]`, `iota 0 2`, `constant 3`, `random 7`, `file x.npy` or `from halves`.

    Floats, exponents, nan and inf for the types that have them. Raises DmlvizError with a sentence.
    """
    words = text.replace(",", " ").split()
    kind, numbers = words[0].lower() if words else "", words[1:]
    rest = text.strip()[len(kind) :].strip()
    if kind == "file" or text.strip().endswith(".npy"):
        name = rest if kind == "file" else text.strip()
        if not name:
            raise DmlvizError(f"{field} has no name after file, expected an .npy file next to the session.")
        return Npy(name)
    if kind == "from" and numbers:
        name, _, out = rest.rpartition(" ")
        is_path = bool(name) and re.fullmatch(r"Output\w*(\[\d+\])?", out) is not None
        return Wired(name.strip(), out) if is_path else Wired(rest)
    most = {"iota": 2, "constant": 1, "random": 1}.get(kind)
    whole = {"iota": DataType.INT64, "random": DataType.UINT64}
    own = data_type if data_type.is_float and kind != "random" else whole.get(kind, data_type)
    example = "numbers such as 1, 2.5, -3e2, nan" if own.is_float else "integers such as 0, 1, 1, 2"
    if most is not None:
        given = [typed(word, own, field) for word in (words_of(" ".join(numbers), field, example) if numbers else ())]
        if len(given) > most:
            raise DmlvizError(f"{field} has {len(given)} numbers after {kind}, expected {most} at most.")
        if kind == "constant":
            return Constant(*given or [0])
        finite = [x for x in given if not isinstance(x, str)]
        if len(finite) < len(given):
            raise DmlvizError(f"{field} has {quote(text)}, expected finite numbers after {kind}.")
        return Iota(*finite) if kind == "iota" else Random(*map(int, finite))
    if text.lstrip().startswith("["):
        try:
            parsed = parse_json(text)
        except DmlvizError:
            raise DmlvizError(f"{field} has {quote(text)}, expected a list such as [[0, 1], [1, 2]].") from None
        return parse_source(parsed, field)
    listed = [typed(word, data_type, field) for word in words_of(text, field, example)]
    return Listed(tuple(listed), (len(listed),))


def edited(one: Experiment, key: str, text: str) -> Experiment:
    """The experiment after `text` was typed or chosen in row `key`, never Operator. Raises DmlvizError."""
    desc = one.desc
    if key == "FeatureLevel":
        return replace(one, feature_level=FeatureLevel.of(text))
    if key == "DataType":
        return replace(one, desc=with_data_type(desc, DataType.of(text)))
    path, _, member = key.removesuffix(".Sizes").partition(".")
    part = next((part for part in desc.parts if part.path == path), None)
    field = next((field for field in desc.FIELDS if field.name == path.partition("[")[0]), None)
    if field is None or (member and part is None):
        raise DmlvizError(f"{key} is no field of {operator_of(desc).page}, expected one that the form shows.")
    if part is not None and member == "values":
        return _with_values(one, part, text)
    if part is not None and member:
        changed = part.tensor.changed(**{snake(member): _member(member, key, text)})
        return replace(one, desc=desc.replace(with_tensor(desc, part, changed)))
    if field.can_be_inferred and not text.strip():
        return replace(one, desc=desc.replace({field.name: None}))
    if field not in desc.TENSORS:
        return replace(one, desc=desc.replace({field.name: field.read(text)}))
    sizes = parse_numbers(text, key)
    if part is not None:
        return replace(one, desc=desc.replace(with_tensor(desc, part, part.tensor.resized(sizes))))
    # The first of an array, or an output that couldn't be inferred.
    made = TensorDesc(anchor_type(desc), sizes)
    return replace(one, desc=desc.replace({field.name: [*desc.get(field.name), made] if field.many else made}))


def _member(member: str, key: str, text: str) -> Any:
    """What was typed as a member of a tensor desc; None where it follows from its Sizes."""
    if member == "DataType":
        return text
    if member == "Flags":
        return [word for word in re.split(r"[\s,|]+", text) if word]
    if not text.strip():
        return None
    return parse_numbers(text, key) if member == "Strides" else one_number(text, key)


def _with_values(one: Experiment, part: Part, text: str) -> Experiment:
    values = {key: source for key, source in one.values.items() if key != part.path}
    if text.strip():
        values[part.path] = source = parse_values(text, f"{part.path}.values", part.tensor.data_type)
        if isinstance(source, Npy) and part.tensor.can_exist:
            read_npy(source.file, part.tensor, part.path, one.folder)
    return replace(one, values=values)


def anchor_type(desc: Desc) -> DataType:
    """The anchor's data type, which new tensors get as well; FLOAT32 where there is no anchor."""
    anchor = anchor_of(operator_of(desc), desc)
    return anchor.tensor.data_type if anchor is not None else DataType.FLOAT32


def grown(one: Experiment, key: str, more: int) -> Experiment:
    """The experiment with a tensor added behind `key` of an array (`more` 1), or `key` removed (-1)."""
    desc, (name, _, rest) = one.desc, key.partition("[")
    field = next((field for field in desc.TENSORS if field.many and field.name == name), None)
    if field is None or not rest:
        return one  # another operator may have come since it was asked
    tensors, number = list(desc.get(name)), int(rest.partition("]")[0])
    sources = [one.values.get(f"{name}[{i}]") for i in range(len(tensors))]
    if more < 0:
        del tensors[number : number + 1], sources[number : number + 1]
    else:
        others = tensors or [part.tensor for part in desc.parts] or [TensorDesc("FLOAT32", (1, 1, 2, 2))]
        number = min(number, len(others) - 1) if tensors else 0
        like = others[number]
        # Its values go on from those of the tensors before, so that they can be told apart.
        is_filled = bool(tensors) and field.role is not Role.OUTPUT
        tensors.insert(number + 1, like)
        sources.insert(number + 1, Iota(1 + max(number, 1) * like.element_count, 1) if is_filled else None)
    # A count that was given is meant to count; it follows the array as it grows.
    given = {f.name: len(tensors) for f in desc.COUNTS if name in f.arrays and f.name not in desc.inferred}
    values = {path: source for path, source in one.values.items() if not path.startswith(f"{name}[")}
    values |= {f"{name}[{i}]": source for i, source in enumerate(sources) if source is not None}
    return replace(one, desc=desc.replace({name: tensors, **given}), values=values)


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
        FormRow("Operator", "Operator", op.name, names, needs=neighbours, group=0),
        FormRow("FeatureLevel", "Feature level", level.value, levels, remark=higher, group=0),
        FormRow("DataType", "DataType", shared.name, tuple(DataType.__members__), group=0),
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
        remark, hint = ("given" if given else "auto", "empty, it follows the inputs") if optional else ("", "")
        yield FormRow(path, path, text, inferred=inferred, remark=remark, tensor=path, is_list=True, hint=hint)
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


def _joined(items: Sequence[object]) -> str:
    text = ", ".join(map(str, items))
    return text if len(text) <= SHORT else text.replace(" ", "")


LISTED = 64


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
