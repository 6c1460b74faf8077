"""What an edit of one of the form's rows makes of an experiment, and how values are typed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ...desc.base import Desc, Part
from ...desc.fields import Role
from ...desc.levels import FeatureLevel
from ...desc.npy_files import read_npy
from ...desc.tensors import DataType, TensorDesc, snake
from ...desc.value_sources import Listed, Npy, ValueSource, Wired, parse_source
from ...desc.values import Constant, Iota, Random
from ...errors import DmlvizError, quote
from ...formats.json_text import parse_json
from ...formats.number_text import one_number, parse_numbers, words_of
from ...operators.desc_edits import with_data_type, with_tensor
from ...operators.general_rules import anchor_of
from ...operators.registry import operator_of
from ...session.cell_edits import typed
from ...session.experiments import Experiment


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
    made = TensorDesc(anchor_type(desc), sizes)  # the first of an array, or an output that couldn't be inferred
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
