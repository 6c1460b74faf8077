"""The form's rows for an operator, and what an edit of one of them makes of an experiment: no screen needed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..desc.fields import CountField, Desc, NumberField, Part, Role, TensorField
from ..desc.levels import LEVELS, FeatureLevel
from ..desc.tensors import DataType, TensorDesc
from ..desc.value_sources import Listed, Npy, Spec, parse_spec, read_npy
from ..desc.values import SPECIAL, Constant, Iota, Random
from ..errors import DmlvizError, quote
from ..formats.json_text import parse_json
from ..operators import anchor_of, operator_of, operators, with_data_type
from ..operators.report import Place, Report
from ..session.sessions import Experiment


@dataclass(frozen=True)
class FormRow:
    """One field of the form, and one place where the focus can stand."""

    key: str
    """DirectML's path: `InputTensors[1]`; or Operator, FeatureLevel, DataType; with .DataType, .values or .add."""
    label: str
    text: str
    """What the field holds; empty where it is inferred."""
    choices: tuple[str, ...] = ()
    """What can be chosen; () for a field that is typed."""
    inferred: str = ""
    """What an empty field stands for."""
    remark: str = ""
    """A word at the right of the field: auto, given, or the lowest level."""
    group: int = 0
    """Rows of one group stand together: 0 operator, level and type, 1 tensors, 2 numbers, 3 counts."""
    tensor: str = ""
    """The path of the tensor that the row belongs to; of an array's, where it has an index."""
    folds: bool = False
    """True for values that are shown only while their tensor is worked on, because there are many tensors."""
    roles: Mapping[int, str] = field(default_factory=dict)
    """What axes of the tensor are for."""
    hint: str = ""

    @property
    def is_array(self) -> bool:
        """True for what belongs to a tensor of an array, which can be moved and removed."""
        return self.tensor.endswith("]")

    @property
    def beside(self) -> bool:
        """True for a tensor's own type, which is chosen at the right of its sizes."""
        return self.key.endswith(".DataType")

    @property
    def adds(self) -> bool:
        """True for the row that adds a tensor."""
        return self.key.endswith(".add")

    @property
    def is_sizes(self) -> bool:
        return self.key == self.tensor

    @property
    def is_typed(self) -> bool:
        return not self.choices and not self.adds


UNFOLDED = 3
"""Tensors in an array up to which all of their values are shown."""


def form_rows(experiment: Experiment, report: Report | None = None) -> list[FormRow]:
    """The rows of an experiment: tensors in DirectML's order, then numbers, then counts, which follow by themselves."""
    desc, operator = experiment.desc, operator_of(experiment.desc)
    shared = _shared_type(desc)
    level = experiment.feature_level
    lowest = report.lowest_level if report is not None else None
    rows = [
        FormRow("Operator", "Operator", operator.name, tuple(o.name for o in operators().values())),
        FormRow(
            "FeatureLevel",
            "Feature level",
            level.value,
            tuple(x.value for x in LEVELS),
            remark=f"≥{lowest}" if lowest is not None and lowest is not level else "",
        ),
        FormRow("DataType", "DataType", shared.name, tuple(DataType.__members__)),
    ]
    numbers, counts = [], []
    for each in desc.FIELDS:
        held = desc.get(each.name)
        given = each.name not in desc.inferred
        if isinstance(each, TensorField):
            rows += _tensor_rows(experiment, each, shared, report is not None and report.ok)
        elif isinstance(each, CountField):
            text, inferred = (str(held), "") if given else ("", str(held))
            remark = "given" if given else "auto"
            counts.append(FormRow(each.name, each.name, text, inferred=inferred, remark=remark, group=3))
        else:
            text = str(held) if isinstance(each, NumberField) else _joined(held)
            numbers.append(FormRow(each.name, each.name, text, group=2))
    return rows + numbers + counts


def _tensor_rows(experiment: Experiment, each: TensorField, shared: DataType, valid: bool) -> Iterator[FormRow]:
    """The rows of a tensor field: sizes, its own type, values; and what adds a tensor."""
    desc = experiment.desc
    held = desc.get(each.name)
    tensors: Sequence[TensorDesc | None] = held if each.many else (held,)
    given = each.name not in desc.inferred
    is_output = each.role is Role.OUTPUT
    optional = is_output and not each.many
    first = sum(1 for _ in _before(desc, each, is_output))
    for i, tensor in enumerate(tensors):
        path = f"{each.name}[{i}]" if each.many else each.name
        sizes = _joined(tensor.sizes) if tensor is not None else "?"
        text, inferred = (sizes, "") if given else ("", sizes)
        remark = ("given" if given else "auto") if optional else ""
        roles = _roles(desc, each, Place(is_output, first + i), valid)
        yield FormRow(path, path, text, inferred=inferred, remark=remark, group=1, tensor=path, roles=roles)
        if tensor is None:
            continue
        if each.role in (Role.INDICES, Role.LENGTHS) or (tensor.data_type is not shared and given):
            key = f"{path}.DataType"
            yield FormRow(key, "DataType", tensor.data_type.name, tuple(DataType.__members__), group=1, tensor=path)
        if not is_output:
            yield _values_row(experiment, path, tensor, first + i, folds=len(tensors) > UNFOLDED)
    if each.many:
        if not tensors:
            path = f"{each.name}[0]"
            yield FormRow(path, path, "", inferred="none", group=1, tensor=path)
        yield FormRow(f"{each.name}.add", "+ add", "", group=1, hint="enter adds a tensor like the last")


def _before(desc: Desc, each: TensorField, is_output: bool) -> Iterator[Part]:
    """The tensors of that side that stand before a field, in field order."""
    for part in desc.outputs if is_output else desc.inputs:
        if part.field is each:
            return
        yield part


def _roles(desc: Desc, each: TensorField, place: Place, valid: bool) -> Mapping[int, str]:
    """What axes of a tensor are for. While a rule is broken only what the fields say by themselves."""
    if valid:
        return operator_of(desc).axis_roles(desc, place)
    if each.role is Role.INDICES:
        return {}
    return {desc.get(f.name): f.name for f in desc.FIELDS if isinstance(f, NumberField) and f.is_axis}


def short_type(name: str) -> str:
    """`F32` for FLOAT32, `U8` for UINT8, `I64` for INT64."""
    return name[0] + "".join(char for char in name if char.isdigit())


SHORT = 15
"""Characters up to which a list is written with spaces: what a field has room for."""


def _joined(items: Sequence[object]) -> str:
    text = ", ".join(map(str, items))
    return text if len(text) <= SHORT else text.replace(" ", "")


LISTED = 64
"""Values are listed in a field up to this many."""
VALUES_HINT = "iota 1 1, constant 3, random 7, x.npy"


def _values_row(experiment: Experiment, path: str, tensor: TensorDesc, number: int, folds: bool) -> FormRow:
    """A tensor's values, and what stands there while nothing is said."""
    spec = experiment.values.get(path)
    text, inferred, hint = "", "", VALUES_HINT
    if isinstance(spec, Listed):
        text = _joined(spec.items) if len(spec.items) <= LISTED else f"{len(spec.items):,} values"
    elif isinstance(spec, Iota):
        text = f"iota {spec.start} {spec.step}"
    elif isinstance(spec, Constant):
        text = f"constant {spec.value}"
    elif isinstance(spec, Random):
        text = f"random {spec.seed}"
    elif spec is not None:
        text, hint = f"file {spec.file}", f"an array of {tensor}"
    else:
        fill = operator_of(experiment.desc).default_fill(experiment.desc, number) or Iota(1, 1)
        count = min(tensor.element_count, 4) if tensor.can_exist else 4
        first = fill.make(np.arange(count, dtype=np.int64), tensor.data_type).tolist()
        inferred = ",".join(f"{x:g}" if isinstance(x, float) else str(x) for x in first)
        inferred += "…" if tensor.element_count > 4 else ""
    remark = "" if text else "auto"
    key = f"{path}.values"
    return FormRow(key, "  values", text, (), inferred, remark, group=1, tensor=path, folds=folds, hint=hint)


def parse_values(text: str, field: str, data_type: DataType) -> Spec:
    """`0, 1, 1, 2`, `[[0, 1], [1, 2]]`, `iota 0 2`, `constant 3`, `random 7` or `file x.npy`.

    Floats, exponents, nan and inf for the types that have them. Raises DmlvizError with a sentence.
    """
    words = text.replace(",", " ").split()
    kind, numbers = words[0].lower() if words else "", words[1:]
    if kind == "file" or text.strip().endswith(".npy"):
        name = text.strip()[4:].strip() if kind == "file" else text.strip()
        if not name:
            raise DmlvizError(f"{field} has no name after file, expected an .npy file beside the session.")
        return Npy(name)
    most = {"iota": 2, "constant": 1, "random": 1}.get(kind)
    if most is not None:
        example = "numbers" if data_type.is_float and kind != "random" else "integers"
        given = [_value(word, field, data_type if kind != "random" else DataType.INT64, example) for word in numbers]
        if len(given) > most:
            raise DmlvizError(f"{field} has {len(given)} numbers after {kind}, expected {most} at most.")
        if kind == "constant":
            return Constant(*given or [0])
        finite = [x for x in given if not isinstance(x, str)]
        if len(finite) < len(given):
            raise DmlvizError(f"{field} has {quote(text)}, expected finite numbers after {kind}.")
        if kind == "iota":
            return Iota(*finite)
        seeds = [x for x in finite if isinstance(x, int)]
        if seeds and not 0 <= seeds[0] < 2**128:
            raise DmlvizError(f"{field} has seed {seeds[0]}, expected 0 to 2^128 - 1.")
        return Random(*seeds)
    if text.lstrip().startswith("["):
        try:
            found = parse_json(text)
        except DmlvizError:
            raise DmlvizError(f"{field} has {quote(text)}, expected a list such as [[0, 1], [1, 2]].") from None
        return parse_spec(found, field)
    example = "numbers such as 1, 2.5, -3e2, nan" if data_type.is_float else "integers such as 0, 1, 1, 2"
    listed = [_value(word, field, data_type, example) for word in _words(text, field, example)]
    return Listed(tuple(listed), (len(listed),))


def _value(word: str, field: str, data_type: DataType, example: str) -> int | float | str:
    """One value as it was typed: integers exact, floats only for a type that has them."""
    try:
        return int(word)
    except ValueError:
        pass
    if data_type.is_float:
        special = word.lower().replace("infinity", "inf").removeprefix("+")
        if special in SPECIAL:
            return special
        try:
            number = float(word)
        except ValueError:
            number = math.inf
        if math.isfinite(number):
            return number
    raise DmlvizError(f"{field} has {quote(word)}, expected {example}.")


def _with_values(experiment: Experiment, path: str, text: str) -> Experiment:
    values = {key: spec for key, spec in experiment.values.items() if key != path}
    tensor = next((part.tensor for part in experiment.desc.inputs if part.path == path), None)
    if tensor is None:
        raise _gone(experiment.desc, f"{path}.values")
    if text.strip():
        values[path] = spec = parse_values(text, f"{path}.values", tensor.data_type)
        if isinstance(spec, Npy) and tensor.can_exist:
            read_npy(spec.file, tensor, path, experiment.folder)
    return replace(experiment, values=values)


def _words(text: str, field: str, example: str) -> list[str]:
    """What stands between commas or spaces. Raises DmlvizError where nothing does."""
    parts = text.strip().strip("{}[]").split(",")
    if not parts[-1].strip():
        parts.pop()  # a comma at the end is one that more will follow
    words = [word for part in parts for word in part.split() or [""]]
    if not words:
        raise DmlvizError(f"{field} is empty, expected {example}.")
    return words


def parse_numbers(text: str, field: str, example: str = "integers such as 1, 1, 6, 2") -> list[int]:
    """`1, 1, 6, 2` as integers. Raises DmlvizError with a sentence."""
    made = []
    for word in _words(text, field, example):
        try:
            made.append(int(word))
        except ValueError:
            raise DmlvizError(f"{field} has {quote(word)}, expected {example}.") from None
    return made


def _one_number(text: str, field: str) -> int:
    numbers = parse_numbers(text, field, "an integer")
    if len(numbers) > 1:
        raise DmlvizError(f"{field} has {len(numbers)} numbers, expected one.")
    return numbers[0]


def _gone(desc: Desc, key: str) -> DmlvizError:
    """What is said of a row that the desc has no more."""
    return DmlvizError(f"{key} is no field of {operator_of(desc).page}, expected one that the form shows.")


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
    field = next((f for f in desc.FIELDS if f.name == name), None)
    if field is None:
        raise _gone(desc, key)
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
        number = _number_of(key)
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
    if key not in [part.path for part in desc.parts()]:
        raise _gone(desc, key)
    name = key.split("[", 1)[0]
    held = desc.get(name)
    if "[" not in key:
        return replace(experiment, desc=desc.replace({name: TensorDesc(data_type, held.sizes)}))
    number = _number_of(key)
    tensors = [TensorDesc(data_type, t.sizes) if i == number else t for i, t in enumerate(held)]
    return replace(experiment, desc=desc.replace({name: tensors}))


def _number_of(key: str) -> int:
    """1 for `InputTensors[1]`."""
    return int(key.split("[", 1)[1].split("]", 1)[0])


def grown(experiment: Experiment, key: str, more: int) -> Experiment:
    """The experiment with a tensor like `key` added behind it (`more` is 1), or `key` removed (-1)."""
    desc = experiment.desc
    name, number = key.split("[", 1)[0], _number_of(key)
    tensors = list(desc.get(name))
    order: list[int | None] = [*range(len(tensors))]
    if more < 0:
        del tensors[number : number + 1], order[number : number + 1]
    else:
        others = [part.tensor for part in desc.parts()]
        number = min(number, len(tensors) - 1)
        like = tensors[number] if tensors else (others[0] if others else TensorDesc("FLOAT32", (1, 1, 2, 2)))
        tensors.insert(number + 1, like)
        order.insert(number + 1, None)
    return _rearranged(experiment, name, tensors, order)


def moved(experiment: Experiment, key: str, by: int) -> Experiment:
    """The experiment with tensor `key` of an array `by` places further; its values go along."""
    name, number = key.split("[", 1)[0], _number_of(key)
    tensors = list(experiment.desc.get(name))
    to = number + by
    if not (0 <= number < len(tensors) and 0 <= to < len(tensors)):
        return experiment
    order = [*range(len(tensors))]
    tensors.insert(to, tensors.pop(number))
    order.insert(to, order.pop(number))
    return _rearranged(experiment, name, tensors, order)


def _rearranged(
    experiment: Experiment, name: str, tensors: Sequence[TensorDesc], order: Sequence[int | None]
) -> Experiment:
    """The experiment with other tensors in an array; `order` tells where each stood before, None for new ones."""
    desc = experiment.desc
    # A count that was given is meant to count; it follows the array as it grows.
    counts = {f.name: len(tensors) for f in desc.FIELDS if isinstance(f, CountField) and f.of == name}
    given = {name: count for name, count in counts.items() if name not in desc.inferred}
    values = {path: spec for path, spec in experiment.values.items() if not path.startswith(f"{name}[")}
    for i, before in enumerate(order):
        spec = experiment.values.get(f"{name}[{before}]")
        if spec is not None:
            values[f"{name}[{i}]"] = spec
    return replace(experiment, desc=desc.replace({name: tensors, **given}), values=values)


def stepped(text: str, at: int, by: int) -> tuple[str, int]:
    """`text` with the number at position `at` changed by `by`, and where to stand then."""
    for match in re.finditer(r"-?\d+", text):
        if match.start() <= at <= match.end():
            number = str(int(match.group()) + by)
            return text[: match.start()] + number + text[match.end() :], min(at, match.start() + len(number))
    return text, at


def number_at(text: str, at: int) -> int | None:
    """Which of the numbers in `text` the position `at` is in or behind; None where there is none."""
    ends = [match.end() for match in re.finditer(r"-?\d+", text)]
    return next((i for i, end in enumerate(ends) if at <= end), len(ends) - 1) if ends else None
