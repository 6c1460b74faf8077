"""What comments of scripts say of a desc and its values: sizes and counts, and nothing of a session's texts."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.tensors import braces
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.reverse_subsequences import ReverseSubsequences
from .script import Body


def arguments(sizes: Sequence[int]) -> str:
    """Sizes as a call takes them: `3, 2`."""
    return ", ".join(map(str, sizes))


def lengths_text(desc: ReverseSubsequences, body: Body) -> str:
    """What a length that is too large does, and how many are."""
    n = desc.input_tensor.sizes[desc.axis]
    clamped, _ = body.flagged()
    count = desc.sequence_lengths_tensor.element_count
    now = f"; here {clamped:,} of {count:,} {'does' if clamped == 1 else 'do'}" if clamped else ""
    return f"A length above {n}, the size of Axis {desc.axis}, acts as {n}{now}."


def along(desc: ReverseSubsequences) -> str:
    """The call that shapes positions along Axis for broadcasting: `.reshape(1, 4, 1)`; empty for one dimension."""
    sizes = desc.input_tensor.sizes
    spread = [n if axis == desc.axis else 1 for axis, n in enumerate(sizes)]
    return "" if len(sizes) == 1 else f".reshape({arguments(spread)})"


def outside_text(desc: Gather | GatherElements, clamped: int, refused: str, refuses: str) -> str:
    """What becomes of indices outside, where there are some and where there are none.

    `refused` and `refuses` say what the library does with them: "np.take raises IndexError". GATHER's page promises
    that reads stay inside InputTensor; that of GATHER_ELEMENTS says nothing.
    """
    told = isinstance(desc, Gather)
    n, indices = desc.input_tensor.sizes[desc.axis], desc.indices_tensor
    bounds = f"[{-n if indices.data_type.is_signed else 0}, {n})"
    if not clamped:
        silent = "reports no error and promises no value" if told else "doesn't say what it picks"
        return f"For an index outside {bounds} {refuses}; DirectML {silent}."
    some = f"{clamped:,} of {indices.element_count:,} indices {'lies' if clamped == 1 else 'lie'} outside {bounds}"
    if not told:
        return f"{some}, {refused}. DirectML's page doesn't say what they pick; dmlviz clamps them."
    promise = "DirectML reports no error, reads inside InputTensor and promises no value; dmlviz clamps them."
    return f"{some}, {refused}. {promise}"


def index_dimensions_text(desc: Gather) -> str:
    """Which sizes of IndicesTensor count."""
    wanted = desc.index_dimensions
    sizes = braces(desc.indices_tensor.sizes)
    if not wanted:
        return f"IndexDimensions 0: IndicesTensor {sizes} holds a single index, a scalar."
    return (
        f"IndexDimensions {wanted}: of IndicesTensor {sizes} only {braces(desc.index_sizes)} counts; its leading 1s "
        f"are there because DirectML wants one DimensionCount for all tensors."
    )


def fitted_text(desc: Gather) -> str:
    """How the picked slices become as many sizes as DirectML wants."""
    full = braces(desc.full_sizes())
    if desc.drop < 0:
        return f"The result {full} gets a leading 1, so that its DimensionCount is InputTensor's."
    ones = "a leading 1 goes" if desc.drop == 1 else f"{desc.drop} leading 1s go"
    return f"Of the result {full} {ones}, so that its DimensionCount is InputTensor's."


def slices_text(sizes: Sequence[int], slices: Sequence[slice]) -> str:
    """An index into an array of these sizes: `3::-2, 1:5`."""
    texts = []
    for n, cut in zip(sizes, slices, strict=True):
        start = cut.start if cut.start or cut.step < 0 else ""  # backwards, none is the last element
        stop = "" if cut.stop in (None, n) else cut.stop
        texts.append(f"{start}:{stop}{f':{cut.step}' if cut.step != 1 else ''}")
    return ", ".join(texts)
