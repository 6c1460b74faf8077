"""The rule behind each check in one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from .base import Operator

SHARED_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "count.positive": "There is at least one tensor.",
        "count.matches": "A count says how many entries its array has.",
        "axis.range": "Axis is one of the tensors' axes, counted from 0; it is never negative.",
        "sizes.match": "All sizes but the one along Axis are the same in every tensor.",
        "sizes.sum": "The sizes of the parts along Axis add up to that of the whole.",
    }
)
"""The rules that several operators share by check id, each in one plain sentence."""
SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "level.operator": "A feature level has only the operators that were introduced up to it.",
        "dtype.supported": "A tensor has one of the DataTypes that the page lists for it at the feature level.",
        "dimension_count.supported": "A tensor has as many dimensions as the page allows it at the feature level.",
        "dimension_count.equal": "All tensors have the same DimensionCount.",
        "dtype.equal": "All tensors that hold elements have the same DataType; indices and lengths have their own.",
        "tensor.dimension_count": "Sizes has at least as many entries as DimensionCount says.",
        "tensor.total_size": "TotalTensorSizeInBytes reaches to the last element, rounded up to a multiple of 4.",
        "tensor.strides": "Strides has at least as many entries as Sizes.",
        "tensor.alignment": "GuaranteedBaseOffsetAlignment is 0, or a power of two of at least an element's bytes.",
        "note.strides": "No page says which operators take strides that aren't packed.",
        "note.strides_broadcast": "A stride of 0 reads one element again for each index of its axis.",
        "note.strides_padding": "Strides may leave room between elements.",
        "sizes.positive": "Every size is at least 1.",
        "sizes.element_count": "A tensor has at most 2^32 - 1 elements.",
        "value.known": "An enumeration holds one of the values that DirectML has a name for.",
        "value.supported": "An enumeration holds a value that the feature level has already.",
        "number.range": "A number is one that its type holds: UINT from 0 to 2^32 - 1, INT from -2^31 to 2^31 - 1.",
        "chain.source": "What a tensor is wired to is an output of just one experiment of the session.",
        "chain.cycle": "No experiment reads its own output, not through others either.",
        "chain.data_type": "A wired tensor has the DataType of its source.",
        "chain.elements": "A wired tensor has as many elements as its source.",
        "chain.reinterpreted": "The same packed memory may be read with other sizes.",
        "chain.level": "One device runs all experiments of a chain, so it has the highest of their feature levels.",
        "chain.clamped": "An index that another experiment computes is within the axis.",
    }
)
"""The rules of every operator by check id, each in one plain sentence."""


def sentence_of(op: Operator[Any], id: str) -> str:  # noqa: A002 (a check's own word)
    """The rule behind a check id in one plain sentence; empty where an operator from outside gives none."""
    return op.sentences.get(id) or SENTENCES.get(id) or SHARED_SENTENCES.get(id, "")
