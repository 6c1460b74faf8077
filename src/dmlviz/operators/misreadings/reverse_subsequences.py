"""Wrong rules that people hold about REVERSE_SUBSEQUENCES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...desc.indexing import put, ravel
from ...desc.values import Indices
from ..maps import Place, Reader, Sources
from ..reverse_subsequences import ReverseSubsequences
from ..wrong_rules import Misreading, WrongOutputs

Along = Callable[[Indices, Indices, int], Indices]
"""(places along Axis, acting lengths, the size of Axis) to the places of the sources; all but the size (N,)."""


def _acting(desc: ReverseSubsequences, index: tuple[Indices, ...], read: Reader) -> Indices:
    """(N,) the acting length of each element's sequence."""
    cell = put(index, desc.axis, np.zeros_like(index[0]))
    raw = read(1, ravel(cell, desc.sequence_lengths_tensor.sizes))
    acting: Indices = np.minimum(raw, desc.input_tensor.sizes[desc.axis]).astype(np.int64)
    return acting


def _along(rule: Along) -> Callable[[ReverseSubsequences, Reader], WrongOutputs]:
    """Outputs whose elements come from other places along Axis."""

    def outputs(desc: ReverseSubsequences, read: Reader) -> WrongOutputs:
        def source(output: int, index: tuple[Indices, ...]) -> Sources:
            k, n = index[desc.axis], desc.input_tensor.sizes[desc.axis]
            return Sources(np.zeros_like(k), put(index, desc.axis, rule(k, _acting(desc, index, read), n)))

        return WrongOutputs((desc.input_tensor.sizes,), source)

    return outputs


def _lengths(desc: ReverseSubsequences, read: Reader) -> Indices:
    """All acting lengths."""
    count, n = desc.sequence_lengths_tensor.element_count, desc.input_tensor.sizes[desc.axis]
    acting: Indices = np.minimum(read(1, np.arange(count, dtype=np.int64)), n).astype(np.int64)
    return acting


def _length_here(desc: ReverseSubsequences, read: Reader, place: Place, at: tuple[int, ...]) -> Mapping[str, Any]:
    length = int(_acting(desc, tuple(np.array([i], np.int64) for i in at), read)[0])
    return {"L": length, "last": length - 1}


MISREADINGS = (
    Misreading[ReverseSubsequences](
        id="R1",
        name="the whole axis",
        feedback="Only the first {L} elements turn; what lies behind is copied.",
        look="SequenceLengthsTensor's cell",
        lights=("SequenceLengthsTensor",),
        differs=lambda desc, read: (
            bool((_lengths(desc, read) < desc.input_tensor.sizes[desc.axis]).any())
            and desc.input_tensor.sizes[desc.axis] > 1
        ),
        outputs=_along(lambda k, length, n: n - 1 - k),
        numbers=_length_here,
    ),
)
