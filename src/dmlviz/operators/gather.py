"""GATHER: slices of a tensor along one axis, picked by index."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import Field, Role, TensorField
from ..desc.indexing import flat_in, leading_ones
from ..desc.levels import FeatureLevel
from ..desc.support import F2, T8, T11, support
from ..desc.tensors import DataType, TensorDesc, braces
from ..desc.values import Array, Index, Indices
from .desc_edits import halves
from .maps import Factor, Place, Reader, Readers, Region, Starts, single
from .picking import INDEX_TYPES, PickingOperator, Picks, T
from .registry import operator_of
from .report import Check, Recorder
from .rules import axis_rule, dimensions_of, sizes_rule, tensor_for, within_rule

_TENSORS = support(("1_0", 4, 4, F2), ("2_1", 4, 4, T8), ("3_0", 1, 8, T8), ("4_1", 1, 8, T11))
_INDICES = support(("1_0", 4, 4, (DataType.UINT32,)), ("3_0", 1, 8, INDEX_TYPES))


@dataclass(frozen=True)
class Gather(Picks):
    """`DML_GATHER_OPERATOR_DESC`: `output[...] = input[..., indices[...], ...]` along `axis`."""

    TYPE = "DML_OPERATOR_GATHER"
    FIELDS = (
        TensorField("InputTensor", Role.DATA, _TENSORS, about="The tensor that slices are picked from."),
        TensorField(
            "IndicesTensor",
            Role.INDICES,
            _INDICES,
            about="Which slice along Axis is picked, for each place of the output.",
        ),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="The picked slices: the sizes of the indices take the place of Axis.",
        ),
        Field("Axis", is_axis=True, about="The axis of InputTensor along which slices are picked."),
        Field(
            "IndexDimensions",
            about="How many of IndicesTensor's sizes count, from the last one on; the ones before them are 1.",
        ),
    )

    input_tensor: TensorDesc
    indices_tensor: TensorDesc
    axis: int
    index_dimensions: int
    output_tensor: TensorDesc | None = None

    @classmethod
    def of_ranks(cls, data: TensorDesc, indices: TensorDesc, axis: int) -> Gather:
        """NumPy's and ONNX's gather of tensors of any rank: padded with leading 1s to one DimensionCount.

        The result has `data.sizes[:axis] + indices.sizes + data.sizes[axis + 1:]`, and leading 1s.
        """
        rank = max(data.dimension_count, indices.dimension_count, data.dimension_count - 1 + indices.dimension_count)
        pad = rank - data.dimension_count
        padded = indices.resized((1,) * (rank - indices.dimension_count) + indices.sizes)
        return cls(data.resized((1,) * pad + data.sizes), padded, axis + pad, indices.dimension_count)

    @property
    def drop(self) -> int:
        """How many leading 1s of the full result are left out; -1 where one is put on."""
        return self.index_dimensions - 1

    @property
    def index_sizes(self) -> tuple[int, ...]:
        """The sizes of IndicesTensor that count: its last IndexDimensions ones."""
        return self.indices_tensor.sizes[self.indices_tensor.dimension_count - self.index_dimensions :]

    def full_sizes(self) -> tuple[int, ...]:
        """The result's sizes before they are fitted to DimensionCount: DimensionCount - 1 + IndexDimensions entries."""
        sizes = self.input_tensor.sizes
        return sizes[: self.axis] + self.index_sizes + sizes[self.axis + 1 :]

    def fits(self) -> bool:
        """True if the leading sizes to be left out are 1s of InputTensor that stand before Axis."""
        drop = self.drop
        return drop <= 0 or (drop <= self.axis and all(size == 1 for size in self.input_tensor.sizes[:drop]))

    def fitted(self, full: Sequence[T], one: T) -> tuple[T, ...]:
        """What belongs to the axes of the full result, for OutputTensor's; `one` belongs to one that is put on."""
        return (one, *full) if self.index_dimensions == 0 else tuple(full[self.drop :])

    def output_sizes(self) -> tuple[int, ...]:
        """The sizes that OutputTensor must have, where `fits`."""
        return self.fitted(self.full_sizes(), 1)

    @property
    def most_counted(self) -> int:
        """The largest IndexDimensions that fits: 1, and one more for each leading 1 before Axis."""
        return leading_ones(self.input_tensor.sizes[: self.axis]) + 1

    def infer_output(self) -> TensorDesc | None:
        data, indices = self.input_tensor, self.indices_tensor
        if min((*data.sizes, *indices.sizes), default=0) < 1 or data.dimension_count != indices.dimension_count:
            return None
        if not 0 <= self.axis < data.dimension_count or not 0 <= self.index_dimensions <= indices.dimension_count:
            return None
        return data.resized(self.output_sizes()) if self.fits() else None


class GatherOperator(PickingOperator[Gather]):
    name = "GATHER"
    title = "Picks slices of a tensor along one axis, by index."
    in_numpy = "np.take(x, idx, Axis)"
    page_number = 4
    desc = Gather
    identity_of = "the slice along Axis"
    beyond = "DirectML reports no error, but doesn't promise a value; here such an index is clamped."
    sentences = {
        "index_dimensions.range": "IndexDimensions is at least 0 and at most IndicesTensor's DimensionCount.",
        "indices.leading": "The sizes of IndicesTensor that IndexDimensions doesn't count are 1.",
        "gather.fits": "If the output has too many sizes, only InputTensor's leading 1s before Axis can be dropped.",
        "gather.sizes": "OutputTensor has InputTensor's sizes, with the index sizes instead of the size at Axis.",
        "values.index_range": "Each index picks a slice that exists along Axis.",
        "note.negative_index": "A negative index counts from the end of Axis.",
        "note.gather_elements": "GATHER takes whole slices; GATHER_ELEMENTS takes an element for each of its indices.",
        "note.gather_shapes": "Public sources disagree about the shapes that GATHER takes below feature level 2_1.",
    }

    def rules(self, desc: Gather, record: Recorder) -> None:
        indices = desc.indices_tensor
        n = desc.input_tensor.dimension_count
        count = indices.dimension_count
        wanted = desc.index_dimensions
        axis_rule(record, desc.axis, n)
        why = f", {dimensions_of(indices, 'IndicesTensor')}"
        within_rule(record, "index_dimensions.range", "IndexDimensions", wanted, count, why)
        off = record.failed("index_dimensions.range")
        if off:
            record.wait("indices.leading", "IndicesTensor.Sizes", off)
        else:
            want = (1,) * (count - wanted) + desc.index_sizes
            why = (
                f" because IndexDimensions {wanted} counts only the last {wanted} of its sizes (a check of dmlviz's "
                f"own: devices run it, each differently)"
            )
            sizes_rule(record, "indices.leading", "IndicesTensor", indices.sizes, want, why, named="IndexDimensions")
        on = record.failed("axis.range") or off
        if on:
            record.wait("gather.fits", "IndexDimensions", on)
        else:
            sizes = desc.input_tensor.sizes
            most = desc.most_counted
            full = desc.full_sizes()
            bad = [d for d, size in enumerate(sizes[: max(0, desc.drop)]) if size != 1]
            record.expect(
                "gather.fits",
                desc.fits(),
                "IndexDimensions",
                f"at most {most} for InputTensor {braces(sizes)} and Axis {desc.axis}",
                wanted,
                f"IndexDimensions is {wanted}, expected at most {most}: the output would be {braces(full)}, too many "
                f"sizes for DimensionCount {n}, and only leading 1s of InputTensor {braces(sizes)} before Axis "
                f"{desc.axis} can be dropped.",
                holds=f"The result {braces(full)} fits DimensionCount {n}.",
                where="OutputTensor and example 3",
                related=[f"InputTensor.Sizes[{d}]" for d in bad] or ["Axis"],
            )
            on = record.failed("gather.fits")
        if not on and count != n:
            on = "dimension_count.equal"
        output = tensor_for(record, "gather.sizes", "OutputTensor", desc.output_tensor, n, on, "sizes.positive")
        if output is not None:
            why = ", InputTensor's sizes with the index sizes instead of the size at Axis"
            sizes_rule(record, "gather.sizes", "OutputTensor", output.sizes, desc.output_sizes(), why)
        if not off and self._is_like_elements(desc) and record.failed("indices.leading", "gather.fits", "gather.sizes"):
            record.note(
                "note.gather_elements",
                "IndicesTensor.Sizes",
                list(indices.sizes),
                None,
                f"IndicesTensor has OutputTensor's sizes {braces(indices.sizes)}, an index for each element, as "
                f"DML_GATHER_ELEMENTS_OPERATOR_DESC takes them; GATHER takes a whole slice for each index.",
                "OutputTensor",
            )

    def turned(self, desc: Gather) -> Iterator[Desc]:
        if self._is_like_elements(desc):
            elements = operator_of("DML_OPERATOR_GATHER_ELEMENTS").desc
            yield elements(desc.input_tensor, desc.indices_tensor, desc.axis, desc.output_tensor)

    def _is_like_elements(self, desc: Gather) -> bool:
        data = desc.input_tensor
        indices = desc.indices_tensor
        output = desc.output_tensor
        alike = output is not None and output.sizes == indices.sizes and "OutputTensor" not in desc.inferred
        return alike and data.dimension_count == indices.dimension_count and 0 <= desc.axis < data.dimension_count

    def fixes(self, desc: Gather, broken: Check) -> Iterator[Changes]:
        indices = desc.indices_tensor
        n = desc.input_tensor.dimension_count
        if desc.axis < n - 1:
            yield from halves(desc, broken)
        if broken.id == "indices.leading":
            yield {"IndexDimensions": indices.dimension_count - leading_ones(indices.sizes)}
        if broken.id == "gather.sizes":
            yield {}
            yield from ({"IndexDimensions": k} for k in range(indices.dimension_count + 1))
        if broken.id in ("dimension_count.equal", "indices.leading", "gather.fits", "gather.sizes"):
            yield from self._with_all_indices(desc)

    def _with_all_indices(self, desc: Gather) -> Iterator[Changes]:
        """Edits after which every size of IndicesTensor counts: laid in one row, or with leading 1s put on to fit."""
        data = desc.input_tensor
        indices = desc.indices_tensor
        counted = desc.index_dimensions
        ones = leading_ones(indices.sizes)
        if not 0 <= counted <= indices.dimension_count or min(indices.sizes, default=0) < 1:
            return
        leading = indices.dimension_count - counted
        if leading > ones and counted:
            row = math.prod(indices.sizes[: leading + 1])
            yield {"IndicesTensor": indices.resized((*(1,) * leading, row, *indices.sizes[leading + 1 :]))}
        counted = max(counted, indices.dimension_count - ones)
        pad = (1,) * (counted - desc.most_counted)
        if counted > 1 and desc.axis >= 0:
            yield {
                "InputTensor": data.resized(pad + data.sizes),
                "IndicesTensor": indices.resized(pad + indices.sizes),
                "OutputTensor": None,
                "Axis": desc.axis + len(pad),
                "IndexDimensions": counted,
            }

    def level_notes(self, desc: Gather, level: FeatureLevel, record: Recorder) -> None:
        if level <= FeatureLevel.L2_0:
            record.note(
                "note.gather_shapes",
                "InputTensor.Sizes",
                level.value,
                ">= 2_1",
                f"DirectML's history says that 2_1 relaxed GATHER's tensor shapes and nobody documents which, so "
                f"{level} may reject what the page allows.",
                "Tensor support",
            )

    def around(self, desc: Gather, index: Sequence[T], zero: T) -> tuple[Sequence[T], Sequence[T], Sequence[T]]:
        axis, counted = desc.axis, desc.index_dimensions
        # The dropped leading 1s are put back, or the added one is taken off.
        full = [zero] * desc.drop + [*index[counted == 0 :]]
        cell = [zero] * (desc.indices_tensor.dimension_count - counted) + full[axis : axis + counted]
        return full[:axis], cell, full[axis + counted :]

    def region(self, desc: Gather, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        sizes, axis = desc.input_tensor.sizes, desc.axis
        cells: range | Array | None
        if tensor == 1:
            at = flat_in(index, desc.indices_tensor.sizes)
            factors = [Factor((n,), range(n)) for n in sizes]
            cells = range(at, at + 1)
        else:
            cells = self.cells_that_pick(desc, index, read)
            factors = [*single(sizes, index)]
        if cells is None:
            return None
        full = [*factors[:axis], Factor(desc.index_sizes, cells), *factors[axis + 1 :]]
        return Region(0, desc.fitted(full, Factor((1,), range(1))))

    def identity(self, desc: Gather, place: Place, index: Index, read: Reader) -> Indices:
        if place.is_output:
            return self.source(desc, 0, index, read).index[desc.axis]
        if place.number == 0:
            return index[desc.axis]
        return self.resolved(desc, index, read)[0]

    def named_by(self, desc: Gather, tensor: int, index: Index, read: Reader) -> Readers | None:
        if tensor == 0:
            return None
        # A cell picks what it sends: the first of those elements.
        zero, n = np.zeros_like(index[0]), len(index)
        full = [zero] * desc.axis + [*index[n - desc.index_dimensions :]] + [zero] * (n - desc.axis - 1)
        return Readers(zero, desc.fitted(full, zero))

    def identity_count(self, desc: Gather) -> int:
        return desc.input_tensor.sizes[desc.axis]

    def identity_axes(self, desc: Gather, place: Place) -> tuple[int, ...]:
        if place.is_output:
            first = desc.axis - desc.drop
            return tuple(range(first, first + desc.index_dimensions))
        if place.number == 0:
            return (desc.axis,)
        return tuple(d for d, n in enumerate(desc.indices_tensor.sizes) if n > 1)

    def runs(self, desc: Gather, output: int, read: Reader) -> Starts:
        if desc.input_tensor.sizes[desc.axis] == math.prod(desc.index_sizes) == 1:
            return {}
        assert desc.output_tensor is not None
        # What lies behind Axis in the input lies behind the indices' axes in the output.
        last = desc.axis - desc.drop + desc.index_dimensions
        return {d: range(n) for d, n in enumerate(desc.output_tensor.sizes[:last])}

    def axis_roles(self, desc: Gather, place: Place) -> dict[int, str]:
        if place.is_output:
            return dict.fromkeys(self.identity_axes(desc, place), "indices")
        return {desc.axis: "Axis"} if place.number == 0 else {}

    def kernel_numbers(self, desc: Gather) -> tuple[int, ...]:
        """Blocks, slices of a block, indices, bytes of a slice; bytes of an index, and whether it has a sign."""
        sizes, axis = desc.input_tensor.sizes, desc.axis
        run = math.prod(sizes[axis + 1 :]) * desc.input_tensor.data_type.item_size
        kind = desc.indices_tensor.data_type
        outer = math.prod(sizes[:axis])
        count = math.prod(desc.index_sizes)
        return outer, sizes[axis], count, run, kind.item_size, int(kind.is_signed)


OPERATOR = GatherOperator()
