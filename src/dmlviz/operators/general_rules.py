"""Rules that hold for every operator at every feature level, and the tensors that others are held against."""

from __future__ import annotations

import math
from typing import Any

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.tensors import MAX_ELEMENTS, braces
from ..errors import quote
from .base import Operator
from .report import NotChecked, Recorder, listed
from .rules import dimensions_of
from .stride_rules import alignment_rule, stride_rules


def anchor_of(operator: Operator[Any], desc: Desc) -> Part | None:
    """The tensor whose DimensionCount the others are held against.

    The first input where the operator's own is not there, or is only inferred from that input.
    """
    if operator.anchor not in desc.inferred:
        for part in desc.parts:
            if part.field.name == operator.anchor:
                return part
    return next(iter(desc.inputs or desc.parts), None)


def typed_as(operator: Operator[Any], desc: Desc) -> Part | None:
    """The tensor whose DataType the others are held against: one of the type that most of them have.

    The odd one out is named then, not every other tensor. The anchor's type decides between equals.
    """
    anchor = anchor_of(operator, desc)
    sharing = [p for p in desc.parts if p.field.role in (Role.DATA, Role.OUTPUT)]
    kinds = [p.tensor.data_type for p in sharing]
    if kinds and kinds.count(kinds[0]) < len(kinds):
        most = max(map(kinds.count, set(kinds)))
        sharing = [p for p in sharing if kinds.count(p.tensor.data_type) == most]
    return next((p for p in sharing if p is anchor), next(iter(sharing), None))


def equal_rules(operator: Operator[Any], desc: Desc, record: Recorder) -> None:
    anchor, model = anchor_of(operator, desc), typed_as(operator, desc)
    for part in desc.parts:
        if anchor is not None and part.path != anchor.path:
            count, want = part.tensor.dimension_count, anchor.tensor.dimension_count
            record.expect(
                "dimension_count.equal",
                count == want,
                f"{part.path}.DimensionCount",
                want,
                count,
                f"{dimensions_of(part.tensor, part.path, '.')} is {count}, expected {want} as {anchor.path} has."
                if count != want
                else f"{part.path}.DimensionCount {count} equals {anchor.path}'s.",
                where="Tensor constraints",
                related=[f"{anchor.path}.DimensionCount"],
            )
        if model is not None and part.path != model.path and part.field.role in (Role.DATA, Role.OUTPUT):
            kind, other = part.tensor.data_type.name, model.tensor.data_type.name
            record.expect(
                "dtype.equal",
                kind == other,
                f"{part.path}.DataType",
                other,
                kind,
                f"{part.path}.DataType is {kind}, expected {other} as {model.path} has."
                if kind != other
                else f"{part.path}.DataType {kind} equals {model.path}'s.",
                where="Tensor constraints",
                related=[f"{model.path}.DataType"],
            )


def tensor_rules(part: Part, long_enough: bool, record: Recorder) -> None:
    """The rules that look at one tensor desc alone; each waits for those of the same tensor that it rests on."""
    on = None if long_enough else "tensor.dimension_count"
    if not _positive_rule(part, record):
        record.wait("sizes.element_count", part.path, "sizes.positive")
        on = on or "sizes.positive"
    elif not _element_count_rule(part, record):
        on = on or "sizes.element_count"
    stride_rules(part, on, record)
    alignment_rule(part, record)
    if "TotalTensorSizeInBytes" in part.tensor.given:
        if on is None:
            _total_size_rule(part, record)
        else:
            record.wait("tensor.total_size", part.path, on)


def has_its_sizes(part: Part, record: Recorder) -> bool:
    """Records that Sizes has the entries that DimensionCount counts, where that is given; False where it hasn't."""
    tensor, path = part.tensor, part.path
    if "DimensionCount" not in tensor.given:
        return True
    written, there = tensor.members.dimension_count, len(tensor.listed_sizes)
    count = there if written is None else written
    entries = f"{there} entr{'y' if there == 1 else 'ies'}"
    return record.expect(
        "tensor.dimension_count",
        0 <= count <= there,
        f"{path}.DimensionCount",
        f"[0, {there}]",
        count,
        f"{path}.DimensionCount is {quote(count, 40)}, expected {f'at most {there}' if count > 0 else 'at least 0'}: "
        f"Sizes {braces(tensor.listed_sizes)} has {entries} (a check of dmlviz's own: DirectML can't see how long an "
        f"array is, and reads past its end).",
        holds=f"{path}.DimensionCount {count} counts entries that Sizes has: {there}.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{path}.Sizes"],
    )


def _total_size_rule(part: Part, record: Recorder) -> None:
    tensor, path = part.tensor, part.path
    least, written = tensor.total_bytes, tensor.members.total_tensor_size_in_bytes
    total = least if written is None else written
    layout = "packed" if tensor.members.strides is None else f"with Strides {braces(tensor.members.strides)}"
    record.expect(
        "tensor.total_size",
        total >= least,
        f"{path}.TotalTensorSizeInBytes",
        f">= {least}",
        total,
        f"{path}.TotalTensorSizeInBytes is {quote(total, 40)}, expected at least {least:,} for {tensor}, {layout}, "
        f"rounded up to a multiple of 4.",
        holds=f"{path}.TotalTensorSizeInBytes {total} is enough for {tensor}, {layout}.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{path}.Sizes"],
    )


def _positive_rule(part: Part, record: Recorder) -> bool:
    tensor, path = part.tensor, part.path
    bad = [d for d, size in enumerate(tensor.sizes) if size < 1]
    faults = " and ".join(f"Sizes[{d}] is {tensor.sizes[d]}" for d in bad)
    return record.expect(
        "sizes.positive",
        not bad,
        f"{path}.Sizes[{bad[0]}]" if len(bad) == 1 else f"{path}.Sizes",
        ">= 1",
        list(tensor.sizes),
        f"{path}.{faults}, expected at least 1." if bad else f"{path}.Sizes {braces(tensor.sizes)} are at least 1.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{path}.Sizes[{d}]" for d in bad],
    )


def _element_count_rule(part: Part, record: Recorder) -> bool:
    tensor, path = part.tensor, part.path
    count = tensor.element_count
    return record.expect(
        "sizes.element_count",
        count <= MAX_ELEMENTS,
        f"{path}.Sizes",
        f"<= {MAX_ELEMENTS}",
        count,
        f"{path}.Sizes {braces(tensor.sizes)} make {_with_commas(count)} elements, expected at most {MAX_ELEMENTS:,}."
        if count > MAX_ELEMENTS
        else f"{path} has {_with_commas(count)} elements, at most {MAX_ELEMENTS:,}.",
        where="DML_BUFFER_TENSOR_DESC",
    )


def not_checked(desc: Desc) -> tuple[NotChecked, ...]:
    """What tensor descs say that no rule here holds: the desc may be refused for it, or mean something else."""
    unchecked = []
    strided = [part for part in desc.parts if part.tensor.members.strides is not None]
    if strided:
        paths = listed([part.path for part in strided])
        sentence = f"Strides of {paths} aren't packed: reach and overlap are not checked."
        strides = strided[0].tensor.members.strides or ()
        unchecked.append(NotChecked(f"{strided[0].path}.Strides", list(strides), sentence))
    for part in desc.parts:
        members, path = part.tensor.members, part.path
        if members.flags is not None:
            flags = " | ".join(members.flags)
            sentence = f"{path}.Flags is {flags} and not checked: no rule about flags is known here."
            unchecked.append(NotChecked(f"{path}.Flags", list(members.flags), sentence))
    return tuple(unchecked)


def _with_commas(count: int) -> str:
    return f"{count:,}" if count < 10**24 else f"about 10^{int(math.log10(count))}"
