"""Rules of what a tensor desc says of memory: Strides that aren't packed, and GuaranteedBaseOffsetAlignment."""

from __future__ import annotations

import math

from ..desc.base import Part
from ..desc.fields import Role
from ..desc.tensors import braces
from ..errors import quote
from .report import Recorder

_PAGE = "Using strides to express padding and memory layout"


def stride_rules(part: Part, on: str | None, record: Recorder) -> None:
    """The rule of Strides, and notes on them unless what `on` names is broken. Where they reach, nobody checks."""
    tensor, path = part.tensor, f"{part.path}.Strides"
    strides = tensor.members.strides
    if strides is None:
        return
    there, wanted = len(strides), tensor.dimension_count
    there_are = record.expect(
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
    )
    if there_are and on is None:
        _notes(part, record)


def _notes(part: Part, record: Recorder) -> None:
    """What strides that hold are for, and that no page promises them."""
    tensor, path = part.tensor, f"{part.path}.Strides"
    strides = tensor.members.strides or ()
    axes = [(size, stride % 2**32) for size, stride in zip(tensor.sizes, strides, strict=False)]  # strides are UINTs
    last = sum((size - 1) * stride for size, stride in axes)
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
