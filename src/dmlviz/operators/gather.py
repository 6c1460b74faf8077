"""GATHER: slices of a tensor along one axis, picked by index."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import NumberField, Role, TensorField
from ..desc.indexing import leading_ones, ravel
from ..desc.levels import FeatureLevel
from ..desc.support import F2, T8, T11, support
from ..desc.tensors import DataType, TensorDesc, braces
from ..desc.values import Array, Indices
from .desc_edits import halves
from .maps import Factor, Place, Reader, Readers, Region, Sources, Starts, single
from .picking import INDEX_TYPES, PickingOperator, Picks, resolve
from .registry import operator_of
from .report import Check, Recorder
from .rules import axis_fixes, axis_rule, dimensions_of, sizes_rule
from .workings import MapCode, Term, computed, indexed, letters

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
        NumberField("Axis", is_axis=True, about="The axis of InputTensor along which slices are picked."),
        NumberField(
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

    def output_sizes(self) -> tuple[int, ...]:
        """The sizes that OutputTensor must have, where `fits`."""
        full = self.full_sizes()
        return (1, *full) if self.index_dimensions == 0 else full[self.drop :]

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
    beyond = "DirectML reports no error and promises no value, here they are clamped."
    sentences = {
        "index_dimensions.range": "IndexDimensions is at least 0 and at most IndicesTensor's DimensionCount.",
        "indices.leading": "The sizes of IndicesTensor that IndexDimensions doesn't count are 1.",
        "gather.fits": "Of a result with too many sizes only leading 1s of InputTensor before Axis may go.",
        "gather.sizes": "OutputTensor has InputTensor's sizes, with those of the indices in the place of Axis.",
        "values.index_range": "An index picks a slice along Axis that is there.",
        "note.negative_index": "A negative index counts from the end of Axis.",
        "note.gather_elements": "GATHER takes whole slices; GATHER_ELEMENTS takes an element for each of its indices.",
        "note.gather_shapes": "Public sources disagree about the shapes that GATHER takes below feature level 2_1.",
    }

    def rules(self, desc: Gather, record: Recorder) -> None:
        data, indices, output = desc.input_tensor, desc.indices_tensor, desc.output_tensor
        n, count, wanted = data.dimension_count, indices.dimension_count, desc.index_dimensions
        axis_rule(record, desc.axis, n)
        record.expect(
            "index_dimensions.range",
            0 <= wanted <= count,
            "IndexDimensions",
            f"[0, {count}]",
            wanted,
            f"IndexDimensions is {wanted}, expected 0 to {count}, {dimensions_of(indices, 'IndicesTensor')}.",
            holds=f"IndexDimensions {wanted} lies in [0, {count}].",
            where="IndexDimensions (the page prints the half-open range, which its own example 1 leaves)",
        )
        off = record.failed("index_dimensions.range")
        if off:
            record.wait("indices.leading", "IndicesTensor.Sizes", off)
        else:
            bad = [d for d in range(count - wanted) if indices.sizes[d] != 1]
            faults = " and ".join(f"IndicesTensor.Sizes[{d}] is {indices.sizes[d]}, expected 1" for d in bad)
            record.expect(
                "indices.leading",
                not bad,
                f"IndicesTensor.Sizes[{bad[0]}]" if len(bad) == 1 else "IndicesTensor.Sizes",
                [1] * (count - wanted) + list(indices.sizes[count - wanted :]),
                list(indices.sizes),
                f"{faults} because IndexDimensions {wanted} counts only the last {wanted} of its sizes "
                f"(a check of dmlviz's own: devices run it, each differently)."
                if bad
                else f"The {count - wanted} leading sizes of IndicesTensor that don't count are 1.",
                where="IndexDimensions",
                related=[*(f"IndicesTensor.Sizes[{d}]" for d in bad), "IndexDimensions"],
            )
        self._elements_note(desc, record)
        on = record.failed("axis.range") or off
        if on:
            record.wait("gather.fits", "IndexDimensions", on)
        else:
            self._fits_rule(desc, record)
            on = record.failed("gather.fits")
        if not on and (count != n or (output is not None and output.dimension_count != n)):
            on = "dimension_count.equal"
        if on or output is None:
            record.wait("gather.sizes", "OutputTensor.Sizes", on or "sizes.positive")
            return
        want, formula = desc.output_sizes(), self.sizes_formula(desc)
        holds, related = f"OutputTensor.Sizes is {braces(want)}: {formula}.", ["OutputTensor.Sizes"]
        sizes_rule(record, "gather.sizes", "OutputTensor", output.sizes, want, f": {formula}", holds, related)

    def turned(self, desc: Gather) -> Iterator[Desc]:
        if self._may_mean_elements(desc):
            elements = operator_of("DML_OPERATOR_GATHER_ELEMENTS").desc
            yield elements(desc.input_tensor, desc.indices_tensor, desc.axis, desc.output_tensor)

    def _may_mean_elements(self, desc: Gather) -> bool:
        """True if GATHER_ELEMENTS may be meant, which takes an element for each index, where this takes slices."""
        data, indices, output = desc.input_tensor, desc.indices_tensor, desc.output_tensor
        alike = output is not None and output.sizes == indices.sizes and "OutputTensor" not in desc.inferred
        counts = data.dimension_count == indices.dimension_count and 0 <= desc.axis < data.dimension_count
        return alike and counts and self._is_refused(desc)

    def _elements_note(self, desc: Gather, record: Recorder) -> None:
        """Says that GATHER_ELEMENTS may be meant."""
        indices = desc.indices_tensor
        if not self._may_mean_elements(desc):
            return
        record.note(
            "note.gather_elements",
            "IndicesTensor.Sizes",
            list(indices.sizes),
            None,
            f"IndicesTensor has OutputTensor's sizes {braces(indices.sizes)}, an index for each element, as "
            f"DML_GATHER_ELEMENTS_OPERATOR_DESC takes them; GATHER takes a whole slice for each index.",
            "OutputTensor",
        )

    def _is_refused(self, desc: Gather) -> bool:
        """True if the sizes and IndexDimensions don't go together."""
        indices, wanted = desc.indices_tensor.sizes, desc.index_dimensions
        if not 0 <= wanted <= len(indices):
            return False  # a rule that says nothing of sizes
        if any(size != 1 for size in indices[: len(indices) - wanted]):
            return True
        output = desc.output_tensor
        return not desc.fits() or (output is not None and output.sizes != desc.output_sizes())

    def _fits_rule(self, desc: Gather, record: Recorder) -> None:
        drop, sizes, fits = max(0, desc.drop), desc.input_tensor.sizes, desc.fits()
        full = braces(desc.full_sizes())
        n = len(sizes)
        one = "size" if drop == 1 else "sizes"
        if fits:
            message = f"The result {full} fits DimensionCount {n}."
        elif drop > desc.axis:
            message = (
                f"IndexDimensions is {desc.index_dimensions}, so {drop} leading {one} of InputTensor before Axis "
                f"must go to fit DimensionCount {n}, but Axis is {desc.axis}; expected IndexDimensions - 1 <= Axis."
            )
        else:
            message = (
                f"IndexDimensions is {desc.index_dimensions}, which makes a result of {len(desc.full_sizes())} sizes, "
                f"{full}, for DimensionCount {n}: {drop} leading {one} must go, and only leading 1s of InputTensor "
                f"may, but it begins with {braces(sizes[:drop])}."
            )
        record.expect(
            "gather.fits",
            fits,
            "IndexDimensions",
            f"at most {self._most_index_dimensions(desc)} for InputTensor {braces(sizes)} and Axis {desc.axis}",
            desc.index_dimensions,
            message,
            where="OutputTensor and example 3",
            related=[f"InputTensor.Sizes[{d}]" for d in range(min(drop, n)) if sizes[d] != 1] or ["Axis"],
        )

    def _most_index_dimensions(self, desc: Gather) -> int:
        """The largest IndexDimensions that fits: 1, and one more for each leading 1 before Axis."""
        return leading_ones(desc.input_tensor.sizes[: desc.axis]) + 1

    def sizes_formula(self, desc: Gather) -> str:
        """The three parts that the sizes are made of, by name, with live numbers."""
        sizes, axis = desc.input_tensor.sizes, desc.axis
        parts = {"before Axis": sizes[:axis], "of the indices": desc.index_sizes, "behind Axis": sizes[axis + 1 :]}
        named = ", ".join(f"{braces(part) if part else 'nothing'} {name}" for name, part in parts.items())
        if desc.index_dimensions == 0:
            return f"a leading 1, {named}"
        return named if desc.drop == 0 else f"{named}, without {desc.drop} leading 1s"

    def working(self, desc: Gather, broken: Check) -> list[Term]:
        if broken.id not in ("gather.fits", "gather.sizes"):
            return []
        first = desc.indices_tensor.dimension_count - desc.index_dimensions
        one = {"": (1,)} if desc.index_dimensions == 0 else {}
        parts = desc.instead_of_axis(f"IndicesTensor.Sizes[{first}:]", desc.index_sizes)
        full = (*one.get("", ()), *desc.full_sizes())
        terms = computed("+", {**one, **parts}, full)
        if broken.id == "gather.sizes" and desc.drop > 0:
            ones = "a leading 1" if desc.drop == 1 else f"{desc.drop} leading 1s"
            terms += [Term("", "→"), Term(f"without {ones}", braces(full[desc.drop :]))]
        return terms

    def picked_word(self, desc: Gather) -> str:
        return "slice" if desc.input_tensor.dimension_count != 2 else ("row", "column")[desc.axis]

    def fixes(self, desc: Gather, broken: Check) -> Iterator[Changes]:
        indices, n = desc.indices_tensor, desc.input_tensor.dimension_count
        if desc.axis < n - 1:
            yield from halves(desc, broken)
        if broken.id == "axis.range":
            yield from axis_fixes(desc.axis, n)
        if broken.id == "index_dimensions.range":
            count = indices.dimension_count
            yield from ({"IndexDimensions": k} for k in _nearest(desc.index_dimensions, count + 1))
        if broken.id == "indices.leading":
            yield {"IndexDimensions": indices.dimension_count - leading_ones(indices.sizes)}
            yield {"IndicesTensor": indices.resized(broken.expected)}
        if broken.id == "gather.fits":
            for k in range(self._most_index_dimensions(desc), 0, -1):
                yield {"IndexDimensions": k}
        if broken.id == "gather.sizes":
            yield {"OutputTensor": None}
            yield from ({"Axis": axis} for axis in range(n) if axis != desc.axis)
            ids = range(indices.dimension_count + 1)
            yield from ({"IndexDimensions": k} for k in ids if k != desc.index_dimensions)
        if broken.id in ("dimension_count.equal", "indices.leading", "gather.fits", "gather.sizes"):
            yield from self._with_all_indices(desc)

    def _with_all_indices(self, desc: Gather) -> Iterator[Changes]:
        """Edits after which every size of IndicesTensor counts: laid in one row, or with leading 1s put on to fit."""
        data, indices, counted = desc.input_tensor, desc.indices_tensor, desc.index_dimensions
        ones = leading_ones(indices.sizes)
        if not 0 <= counted <= indices.dimension_count or min(indices.sizes, default=0) < 1:
            return
        leading = indices.dimension_count - counted
        if leading > ones and counted:
            row = math.prod(indices.sizes[: leading + 1])
            yield {"IndicesTensor": indices.resized((*(1,) * leading, row, *indices.sizes[leading + 1 :]))}
        counted = max(counted, indices.dimension_count - ones)
        pad = (1,) * (counted - self._most_index_dimensions(desc))
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
                f"{level} may refuse what the page allows.",
                "Tensor support",
            )

    def _full(self, desc: Gather, index: tuple[Indices, ...]) -> tuple[Indices, ...]:
        """Output coordinates with the dropped leading 1s put back, or the added one taken off."""
        if desc.index_dimensions == 0:
            return index[1:]
        return (np.zeros_like(index[0]),) * desc.drop + tuple(index)

    def map_code(self, desc: Gather) -> MapCode | None:
        if desc.output_tensor is None:
            return None
        axis, wanted = desc.axis, desc.index_dimensions
        index = letters(desc.output_tensor.sizes)
        full = index[1:] if wanted == 0 else ["0"] * (wanted - 1) + index
        cell = ["0"] * (desc.indices_tensor.dimension_count - wanted) + full[axis : axis + wanted]
        picked = indexed("IndicesTensor", cell)
        return MapCode(
            indexed("OutputTensor", index),
            indexed("InputTensor", [*full[:axis], picked, *full[axis + wanted :]]),
        )

    def source(self, desc: Gather, output: int, index: tuple[Indices, ...], read: Reader) -> Sources:
        axis, wanted = desc.axis, desc.index_dimensions
        full = self._full(desc, index)
        zero = np.zeros_like(index[0])
        cell = (zero,) * (desc.indices_tensor.dimension_count - wanted) + full[axis : axis + wanted]
        picked, flags = self.resolved(desc, cell, read)
        return Sources(
            tensor=zero, index=(*full[:axis], picked, *full[axis + wanted :]), via=cell, via_tensor=1, flags=flags
        )

    def picked(self, desc: Gather, cells: Indices, read: Reader) -> Indices:
        return resolve(read(1, cells), desc.input_tensor.sizes[desc.axis])[0]

    def region(self, desc: Gather, tensor: int, index: tuple[int, ...], read: Reader) -> Region | None:
        axis, sizes = desc.axis, desc.input_tensor.sizes
        positions: range | Array
        if tensor == 1:
            at = int(ravel([np.array([i]) for i in index], desc.indices_tensor.sizes)[0])
            positions = range(at, at + 1)
            factors = [Factor((n,), range(n)) for n in sizes]
        else:
            cells = self.cells_that_pick(desc, index, read)
            if cells is None:
                return None
            positions = cells
            factors = [*single(sizes, index)]
        full = [*factors[:axis], Factor(desc.index_sizes, positions), *factors[axis + 1 :]]
        if desc.index_dimensions == 0:
            return Region(0, (Factor((1,), range(1)), *full))
        return Region(0, tuple(full[desc.drop :]))

    def block(self, desc: Gather, output: int) -> int:
        return math.prod(desc.input_tensor.sizes[desc.axis + 1 :])

    def identity(self, desc: Gather, place: Place, index: tuple[Indices, ...], read: Reader) -> Indices:
        if place.is_output:
            return self.source(desc, 0, index, read).index[desc.axis]
        if place.number == 0:
            return index[desc.axis]
        return self.resolved(desc, index, read)[0]

    def named_by(self, desc: Gather, tensor: int, index: tuple[Indices, ...], read: Reader) -> Readers | None:
        if tensor == 0:
            return None
        # A cell picks what it sends: the first of those elements.
        zero, axis = np.zeros_like(index[0]), desc.axis
        sent = index[len(index) - desc.index_dimensions :]
        full = (*(zero,) * axis, *sent, *(zero,) * (desc.input_tensor.dimension_count - axis - 1))
        return Readers(zero, (zero, *full) if desc.index_dimensions == 0 else full[desc.drop :])

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
        outer, count = math.prod(sizes[:axis]), math.prod(desc.index_sizes)
        return outer, sizes[axis], count, run, kind.item_size, int(kind.is_signed)


def _nearest(index: int, stop: int) -> list[int]:
    return sorted(range(stop), key=lambda k: abs(k - index))


OPERATOR = GatherOperator()
