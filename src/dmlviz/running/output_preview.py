"""What the outputs are: by the reference at once, where they are small, and by the kernel when it has run."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from ..desc.values import Array
from ..formats.page_text import shorts
from ..tracing import Trace

SMALL = 1 << 12
"""Output elements up to which the reference computes them at once, in a few milliseconds."""
PREVIEWED = 32
"""Elements of each output that a preview shows."""


class OutputPreview(Struct, frozen=True):
    """The first elements of each output, as texts."""

    outputs: tuple[tuple[str, tuple[str, ...]], ...]
    """Each output's name and its first `PREVIEWED` elements, then "…" where it has more."""
    by_kernel: bool
    """False: by the reference, which the picture is made of too. It says nothing about the kernel, nor about time."""


def preview_of(names: Iterable[str], outputs: Iterable[Array], by_kernel: bool) -> OutputPreview:
    """What is shown of `outputs`."""
    texts = []
    for name, array in zip(names, outputs, strict=True):
        more = ("…",) if array.size > PREVIEWED else ()
        texts.append((name, (*shorts(array.reshape(-1)[:PREVIEWED]), *more)))
    return OutputPreview(tuple(texts), by_kernel)


def reference_outputs(trace: Trace) -> list[Array] | None:
    """The outputs by the reference; None for more than `SMALL` elements. Raises DmlvizError and OSError."""
    if sum(part.tensor.element_count for part in trace.outputs) > SMALL:
        return None
    return [trace.reference(k) for k in range(len(trace.outputs))]
