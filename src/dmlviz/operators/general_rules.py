"""Rules that hold for every operator at every feature level, and the tensors that others are held against."""

from __future__ import annotations

import math
from typing import Any

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.tensors import MAX_ELEMENTS, braces
from .base import Operator
from .report import Recorder


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
            found, want = part.tensor.dimension_count, anchor.tensor.dimension_count
            record.expect(
                "dimension_count.equal",
                found == want,
                f"{part.path}.DimensionCount",
                want,
                found,
                f"{part.path}.DimensionCount is {found}, expected {want} as {anchor.path} has."
                if found != want
                else f"{part.path}.DimensionCount {found} equals {anchor.path}'s.",
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


def size_rules(part: Part, record: Recorder) -> None:
    tensor, path = part.tensor, part.path
    bad = [d for d, size in enumerate(tensor.sizes) if size < 1]
    said = " and ".join(f"Sizes[{d}] is {tensor.sizes[d]}" for d in bad)
    positive = record.expect(
        "sizes.positive",
        not bad,
        f"{path}.Sizes[{bad[0]}]" if len(bad) == 1 else f"{path}.Sizes",
        ">= 1",
        list(tensor.sizes),
        f"{path}.{said}, expected at least 1." if bad else f"{path}.Sizes {braces(tensor.sizes)} are at least 1.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{path}.Sizes[{d}]" for d in bad],
    )
    if not positive:
        record.wait("sizes.element_count", path, "sizes.positive")
        return
    count = tensor.element_count
    record.expect(
        "sizes.element_count",
        count <= MAX_ELEMENTS,
        f"{path}.Sizes",
        f"<= {MAX_ELEMENTS}",
        count,
        f"{path}.Sizes {braces(tensor.sizes)} make {_grouped(count)} elements, expected at most {MAX_ELEMENTS:,}."
        if count > MAX_ELEMENTS
        else f"{path} has {_grouped(count)} elements, at most {MAX_ELEMENTS:,}.",
        where="DML_BUFFER_TENSOR_DESC",
    )


def _grouped(count: int) -> str:
    return f"{count:,}" if count < 10**24 else f"about 10^{int(math.log10(count))}"
