"""Rules of what a tensor desc says of memory: Strides that aren't packed, and GuaranteedBaseOffsetAlignment."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np

from ..desc.base import Part
from ..desc.fields import Role
from ..desc.tensors import MAX_ELEMENTS, TensorDesc, braces
from ..errors import quote
from .report import NotChecked, Recorder

MOST_PLACES = 1 << 16
"""Elements whose places are looked at one by one, where nothing shorter says whether two are one."""
_PAGE = "Using strides to express padding and memory layout"


def stride_rules(part: Part, on: str | None, record: Recorder) -> None:
    """The rules of Strides that are held; all but the first wait for what `on` names, where something is broken."""
    tensor, path = part.tensor, f"{part.path}.Strides"
    strides = tensor.members.strides
    if strides is None:
        return
    there, wanted = len(strides), tensor.dimension_count
    if not record.expect(
        "tensor.strides",
        there >= wanted,
        path,
        f">= {wanted}",
        there,
        f"{path} has {there} {'entry' if there == 1 else 'entries'}, expected at least {wanted} (a check of dmlviz's "
        f"own: DirectML can't see how long an array is, and reads past its end).",
        holds=f"{path} {braces(strides)} has an entry for each of {wanted} sizes.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{part.path}.Sizes"],
    ):
        on = "tensor.strides"
    if on is not None:
        record.wait("tensor.reach", path, on)
        if part.field.role is Role.OUTPUT:
            record.wait("tensor.overlap", path, on)
        return
    last = sum((size - 1) * stride for size, stride in _axes(tensor))
    holds = record.expect(
        "tensor.reach",
        last <= MAX_ELEMENTS,
        path,
        f"<= {MAX_ELEMENTS}",
        last,
        f"{path} {braces(strides)} put the last element at {last:,}, expected at most {MAX_ELEMENTS:,} (a check of "
        f"dmlviz's own: a UINT counts elements).",
        holds=f"{path} {braces(strides)} put the last element at {last:,}.",
        where=_PAGE,
        related=[f"{part.path}.Sizes"],
    )
    if part.field.role is Role.OUTPUT and (overlap := overlaps(tensor)) is not None:
        holds &= record.expect(
            "tensor.overlap",
            not overlap,
            path,
            "a place for each element",
            list(strides),
            f"{path} {braces(strides)} put two elements in one place, expected each in one of its own (a check of "
            f"dmlviz's own: no page says what DirectML makes of it).",
            holds=f"{path} {braces(strides)} have a place for each element.",
            where=_PAGE,
            related=[f"{part.path}.Sizes"],
        )
    if holds:
        _notes(part, last, record)


def _notes(part: Part, last: int, record: Recorder) -> None:
    """What strides that hold are for, and that no page promises them."""
    tensor, path = part.tensor, f"{part.path}.Strides"
    strides = tensor.members.strides or ()
    axes = _axes(tensor)
    zeros = [f"{path}[{d}]" for d, (size, stride) in enumerate(axes) if size > 1 and not stride]
    if zeros and part.field.role is not Role.OUTPUT:
        sentence = f"{' and '.join(zeros)} {'is' if len(zeros) == 1 else 'are'} 0: one element in memory is read again "
        sentence += "for each index there, which broadcasts it."
        record.note("note.strides_broadcast", path, list(strides), "other than 0", sentence, where=_PAGE)
    used = math.prod(size for size, stride in axes if stride)
    if last + 1 > used:
        sentence = f"{path} {braces(strides)} leave room between elements: {used:,} of {last + 1:,} places are used."
        record.note("note.strides_padding", path, list(strides), used, sentence, where=_PAGE)
    sentence = f"{path} {braces(strides)} aren't packed: no page says which operators take such. "
    sentence += "Here the desc is drawn and run as packed."
    record.note("note.strides", path, list(strides), "packed", sentence, where=_PAGE)


def alignment_rule(part: Part, record: Recorder) -> None:
    """The rule of GuaranteedBaseOffsetAlignment, where that is not 0."""
    aligned, item = part.tensor.members.guaranteed_base_offset_alignment, part.tensor.data_type.item_size
    if aligned is None:
        return
    field = f"{part.path}.GuaranteedBaseOffsetAlignment"
    record.expect(
        "tensor.alignment",
        item <= aligned < 2**32 and aligned & (aligned - 1) == 0,
        field,
        f">= {item}, a power of two",
        aligned,
        f"{field} is {quote(aligned, 40)}, expected 0, or a power of two of at least {item}, an element's bytes.",
        holds=f"{field} {aligned} is a power of two of at least {item}, an element's bytes.",
        where="DML_BUFFER_TENSOR_DESC",
        related=[f"{part.path}.DataType"],
    )


def unknown_overlap(part: Part) -> NotChecked | None:
    """An output's strides of which it takes too long to know whether two elements are in one place."""
    strides, field = part.tensor.members.strides, f"{part.path}.Strides"
    if strides is None or part.field.role is not Role.OUTPUT or not part.tensor.can_exist:
        return None
    if len(strides) < part.tensor.dimension_count or overlaps(part.tensor) is not None:
        return None
    sentence = f"{field} {braces(strides)} may put two elements in one place: not checked for so many elements."
    return NotChecked(field, list(strides), sentence)


def overlaps(tensor: TensorDesc) -> bool | None:
    """True if two elements of a tensor with enough strides are in one place; None where that takes too long."""
    axes = sorted((stride, size) for size, stride in _axes(tensor) if size > 1)
    if axes and axes[0][0] == 0:
        return True
    reach, apart = 0, True
    for stride, size in axes:
        apart = apart and stride > reach
        reach += (size - 1) * stride
    if apart:
        return False
    if reach + 1 < tensor.element_count or any(_meet(*one, *other) for one, other in combinations(axes, 2)):
        return True
    if tensor.element_count > MOST_PLACES:
        return None
    places = np.zeros(1, np.int64)
    for stride, size in axes:
        places = np.add.outer(places, np.arange(size, dtype=np.int64) * stride).reshape(-1)
    return any(one == other for one, other in pairwise(np.sort(places).tolist()))


def _meet(stride: int, size: int, other_stride: int, other_size: int) -> bool:
    """True if some steps along one axis are as long as some along another."""
    common = math.gcd(stride, other_stride)
    return other_stride // common < size and stride // common < other_size


def _axes(tensor: TensorDesc) -> list[tuple[int, int]]:
    """Each axis' size and stride, which is a UINT."""
    return [(size, stride % 2**32) for size, stride in zip(tensor.sizes, tensor.members.strides or (), strict=False)]
