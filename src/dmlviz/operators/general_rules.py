"""Rules that hold for every operator at every feature level, and the tensors that others are held against."""

from __future__ import annotations

import math
from typing import Any

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.levels import FeatureLevel
from ..desc.tensors import MAX_ELEMENTS, braces
from .base import Operator
from .level_rules import level_rules
from .report import NotChecked, Recorder, listed
from .rules import dimensions_of, entries_rule, range_rule

_STRIDES = "Using strides to express padding and memory layout"


def anchor_of(op: Operator[Any], desc: Desc) -> Part | None:
    """The tensor whose DimensionCount the others are held against.

    The first input where the operator's own is not there, or is only inferred from that input.
    """
    if op.anchor not in desc.inferred:
        for part in desc.parts:
            if part.field.name == op.anchor:
                return part
    return next(iter(desc.inputs or desc.parts), None)


def typed_as(op: Operator[Any], desc: Desc) -> Part | None:
    """The tensor whose DataType the others are held against: one of the type that most of them have.

    The odd one out is named then, not every other tensor. The anchor's type decides between equals.
    """
    sharing = [p for p in desc.parts if p.is_moved]
    kinds = [p.tensor.data_type for p in sharing]
    most = max(map(kinds.count, set(kinds)), default=0)
    sharing = [p for p, kind in zip(sharing, kinds, strict=True) if kinds.count(kind) == most]
    anchor = anchor_of(op, desc)
    return next((p for p in sharing if p is anchor), next(iter(sharing), None))


def equal_rules(op: Operator[Any], desc: Desc, record: Recorder) -> None:
    anchor, model = anchor_of(op, desc), typed_as(op, desc)
    where = "Tensor constraints"
    for part in desc.parts:
        if anchor is not None and part.path != anchor.path:
            path = f"{part.path}.DimensionCount"
            own = f"{anchor.path}.DimensionCount"
            count = part.tensor.dimension_count
            want = anchor.tensor.dimension_count
            fault = f"{dimensions_of(part.tensor, part.path, '.')} is {count}, expected {want}, as in {anchor.path}."
            holds = f"{path} {count} equals {anchor.path}'s."
            record.expect("dimension_count.equal", count == want, path, want, count, fault, holds, [own], where)
        if model is not None and part.path != model.path and part.is_moved:
            path = f"{part.path}.DataType"
            own = f"{model.path}.DataType"
            kind = part.tensor.data_type.name
            other = model.tensor.data_type.name
            fault = f"{path} is {kind}, expected {other}, as in {model.path}."
            holds = f"{path} {kind} equals {model.path}'s."
            record.expect("dtype.equal", kind == other, path, other, kind, fault, holds, [own], where)


def has_its_sizes(part: Part, record: Recorder) -> bool:
    """Records that Sizes has the entries that DimensionCount counts, where that is given; False where it hasn't."""
    tensor = part.tensor
    path = f"{part.path}.DimensionCount"
    sizes = f"{part.path}.Sizes"
    if "DimensionCount" not in tensor.given:
        return True
    there = len(tensor.listed_sizes)
    count = tensor.members.get("DimensionCount", there)
    fault = (
        f"{path} is {count}, expected {f'at most {there}' if count > 0 else 'at least 0'}: Sizes "
        f"{braces(tensor.listed_sizes)} has {there} entr{'y' if there == 1 else 'ies'} (a check of dmlviz's own: "
        f"DirectML can't see how long an array is, and reads past its end)."
    )
    holds = f"{path} {count} counts entries that Sizes has: {there}."
    return record.expect(
        "tensor.dimension_count", 0 <= count <= there, path, f"[0, {there}]", count, fault, holds, [sizes]
    )


def tensor_rules(part: Part, long_enough: bool, record: Recorder) -> None:
    tensor = part.tensor
    path = part.path
    sizes = f"{path}.Sizes"
    on = None if long_enough else "tensor.dimension_count"
    bad = [size < 1 for size in tensor.sizes]
    if not entries_rule(record, "sizes.positive", sizes, bad, tensor.sizes, "at least 1", ">= 1"):
        record.wait("sizes.element_count", path, "sizes.positive")
        on = on or "sizes.positive"
    else:
        count = tensor.element_count
        said = f"{count:,}" if count < 10**24 else f"about 10^{int(math.log10(count))}"
        fault = f"{sizes} {braces(tensor.sizes)} make {said} elements, expected at most {MAX_ELEMENTS:,}."
        holds = f"{path} has {said} elements, at most {MAX_ELEMENTS:,}."
        most = f"<= {MAX_ELEMENTS}"
        if not record.expect("sizes.element_count", count <= MAX_ELEMENTS, sizes, most, count, fault, holds):
            on = on or "sizes.element_count"
    _stride_rules(part, on, record)
    aligned = tensor.members.get("GuaranteedBaseOffsetAlignment")
    item = tensor.data_type.item_size
    if aligned is not None:
        ok = item <= aligned < 2**32 and aligned & (aligned - 1) == 0
        field = f"{path}.GuaranteedBaseOffsetAlignment"
        expected = f">= {item}, a power of two"
        least = f"a power of two of at least {item}, an element's bytes."
        fault = f"{field} is {aligned}, expected 0, or {least}"
        holds = f"{field} {aligned} is {least}"
        record.expect("tensor.alignment", ok, field, expected, aligned, fault, holds, [f"{path}.DataType"])
    if "TotalTensorSizeInBytes" not in tensor.given:
        return
    if on is not None:
        record.wait("tensor.total_size", path, on)
        return
    least_bytes = tensor.total_bytes
    strides = tensor.members.get("Strides")
    total = tensor.members.get("TotalTensorSizeInBytes", least_bytes)
    field = f"{path}.TotalTensorSizeInBytes"
    layout = f"{tensor}, {'packed' if strides is None else f'with Strides {braces(strides)}'}"
    fault = f"{field} is {total}, expected at least {least_bytes:,} for {layout}, rounded up to a multiple of 4."
    holds = f"{field} {total} is enough for {layout}."
    ok = total >= least_bytes
    record.expect("tensor.total_size", ok, field, f">= {least_bytes}", total, fault, holds, [sizes])


def _stride_rules(part: Part, on: str | None, record: Recorder) -> None:
    tensor, path = part.tensor, f"{part.path}.Strides"
    strides = tensor.members.get("Strides")
    if strides is None:
        return
    there, wanted = len(strides), tensor.dimension_count
    fault = (
        f"{path} has {there} {'entry' if there == 1 else 'entries'}, expected at least {wanted} (a check of dmlviz's "
        f"own: DirectML can't see how long an array is, and reads past its end)."
    )
    holds = f"{path} {braces(strides)} has an entry for each of {wanted} sizes."
    related = [f"{part.path}.Sizes"]
    ok = there >= wanted
    if not record.expect("tensor.strides", ok, path, f">= {wanted}", there, fault, holds, related) or on is not None:
        return
    axes = [(size, stride % 2**32) for size, stride in zip(tensor.sizes, strides, strict=False)]  # strides are UINTs
    last = sum((size - 1) * stride for size, stride in axes)
    zeros = [f"{path}[{d}]" for d, (size, stride) in enumerate(axes) if size > 1 and not stride]
    if zeros and part.field.role is not Role.OUTPUT:
        said = f"{' and '.join(zeros)} {'is' if len(zeros) == 1 else 'are'} 0: one element in memory is read again "
        said += "for each index there, which broadcasts it."
        record.note("note.strides_broadcast", path, list(strides), "other than 0", said, _STRIDES)
    used = math.prod(size for size, stride in axes if stride)
    if last + 1 > used:
        said = f"{path} {braces(strides)} leave room between elements: {used:,} of {last + 1:,} places are used."
        record.note("note.strides_padding", path, list(strides), used, said, _STRIDES)
    said = f"{path} {braces(strides)} aren't packed: no page says which operators take such. "
    said += "Here the desc is drawn and run as packed."
    record.note("note.strides", path, list(strides), "packed", said, _STRIDES)


def not_checked(desc: Desc) -> tuple[NotChecked, ...]:
    """What tensor descs say that no rule here holds: the desc may be refused for it, or mean something else."""
    unchecked = []
    strided = {p.path: list(p.tensor.members["Strides"]) for p in desc.parts if "Strides" in p.tensor.members}
    if strided:
        said = f"Strides of {listed([*strided])} aren't packed: reach and overlap are not checked."
        path = next(iter(strided))
        unchecked.append(NotChecked(f"{path}.Strides", strided[path], said))
    for part in desc.parts:
        if flags := part.tensor.members.get("Flags"):
            field = f"{part.path}.Flags"
            said = f"{field} is {' | '.join(flags)} and not checked: no rule about flags is known here."
            unchecked.append(NotChecked(field, list(flags), said))
    return tuple(unchecked)


def evaluate(op: Operator[Any], desc: Desc, level: FeatureLevel) -> Recorder:
    """The rules that hold for every operator, then the operator's own: no values, no notes, no fixes."""
    record = Recorder(op.page, level)
    level_rules(op, desc, desc.parts, record)
    long_enough = [has_its_sizes(part, record) for part in desc.parts]
    equal_rules(op, desc, record)
    for part, is_long in zip(desc.parts, long_enough, strict=True):
        tensor_rules(part, is_long, record)
    op.rules(desc, record)
    for field in desc.FIELDS:
        range_rule(record, field, desc)
    return record
