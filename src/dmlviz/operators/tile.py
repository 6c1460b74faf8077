"""TILE: copies of a tensor side by side along every axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..desc.base import Changes, Desc
from ..desc.fields import CountField, NumbersField, Role, TensorField
from ..desc.indexing import put, ravel
from ..desc.levels import FeatureLevel
from ..desc.support import F2, T8, T10, support
from ..desc.tensors import DataType, TensorDesc, brackets
from ..desc.values import Index, Indices
from .base import Operator, by_source
from .desc_edits import halves
from .maps import Factor, Place, Reader, Region, Sources, Starts
from .report import Check, Kind, Recorder
from .rules import entries_rule, per_axis_rules, sizes_rule, tensor_for
from .workings import MapCode, formula_of, indexed, letters

_TENSORS = support(("1_0", 4, 4, F2), ("2_1", 4, 4, T8), ("3_1", 1, 8, T8), ("4_1", 1, 8, T10))


@dataclass(frozen=True)
class Tile(Desc):
    """`DML_TILE_OPERATOR_DESC`: repeats the input tensor `repeats[i]` times along axis i."""

    TYPE = "DML_OPERATOR_TILE"
    FIELDS = (
        TensorField(
            "InputTensor", Role.DATA, _TENSORS, about="The tensor that is laid down again and again, like a tile."
        ),
        TensorField(
            "OutputTensor",
            Role.OUTPUT,
            _TENSORS,
            about="The copies side by side: each size is InputTensor's times its entry of Repeats.",
        ),
        CountField("RepeatsCount", arrays=("Repeats",)),
        NumbersField(
            "Repeats",
            per_axis=True,
            neutral=1,
            axes_of="OutputTensor",
            about="How many copies are laid along each axis, the first one included; 1 leaves an axis as it is.",
        ),
    )

    input_tensor: TensorDesc
    repeats: Sequence[int]
    output_tensor: TensorDesc | None = None
    repeats_count: int | None = None

    @property
    def copies(self) -> str:
        """How often each element is copied: `3 × 3 = 9`."""
        factors = [str(n) for n in self.repeats if n > 1]
        return f"{' × '.join(factors)} = {math.prod(self.repeats)}"

    @classmethod
    def of_ranks(cls, data: TensorDesc, repeats: Sequence[int]) -> Tile:
        """NumPy's tile: where sizes and repeats differ in number, the shorter gets leading 1s."""
        rank = max(data.dimension_count, len(repeats))
        sizes = (1,) * (rank - data.dimension_count) + data.sizes
        return cls(data.resized(sizes), (1,) * (rank - len(repeats)) + tuple(repeats))

    def infer_output(self) -> TensorDesc | None:
        sizes = self.input_tensor.sizes
        if len(sizes) != len(self.repeats) or min((*sizes, *self.repeats), default=0) < 1:
            return None
        return self.input_tensor.resized(n * r for n, r in zip(sizes, self.repeats, strict=True))


class TileOperator(Operator[Tile]):
    name = "TILE"
    title = "Lays copies of a tensor side by side along every axis."
    in_numpy = "np.tile(x, Repeats)"
    page_number = 5
    desc = Tile
    anchor = "InputTensor"
    identity_of = "the copy"
    sentences = {
        "repeats.count": "Repeats has one entry for each axis of InputTensor.",
        "repeats.positive": "Every entry of Repeats is more than 0.",
        "sizes.repeat": "Each size of OutputTensor is InputTensor's size along that axis times its entry of Repeats.",
        "note.tile_float64": "Public sources disagree about TILE of FLOAT64.",
    }

    def about(self, tensor: TensorDesc, axis: int) -> Tile:
        return Tile(tensor, put((1,) * tensor.dimension_count, axis, 2))

    def rules(self, desc: Tile, record: Recorder) -> None:
        sizes, repeats = desc.input_tensor.sizes, desc.repeats
        per_axis_rules(record, "repeats.count", desc, "RepeatsCount")
        entries_rule(record, "repeats.positive", "Repeats", [r < 1 for r in repeats], repeats, "more than 0", "> 0")
        on = record.failed("repeats.count", "count.matches")
        # Nothing is inferred for a tensor without dimensions either.
        without = record.failed("sizes.positive", "repeats.positive") or "dimension_count.supported"
        output = tensor_for(record, "sizes.repeat", "OutputTensor", desc.output_tensor, len(sizes), on, without)
        if output is not None:
            want = [n * r for n, r in zip(sizes, repeats, strict=True)]
            why = ", InputTensor's sizes times Repeats"
            sizes_rule(record, "sizes.repeat", "OutputTensor", output.sizes, want, why, "InputTensor.Sizes", "Repeats")

    def fixes(self, desc: Tile, broken: Check) -> Iterator[Changes]:
        yield from halves(desc, broken)
        if broken.id == "repeats.positive":
            yield {"Repeats": [max(1, r) for r in desc.repeats]}
        if broken.id == "sizes.repeat":
            yield {}
            rows = zip(desc.outputs[0].tensor.sizes, desc.input_tensor.sizes, strict=True)
            copies = [divmod(there, n) if n else (0, 1) for there, n in rows]
            if all(count > 0 and not rest for count, rest in copies):
                yield {"Repeats": [count for count, _ in copies]}

    def level_notes(self, desc: Tile, level: FeatureLevel, record: Recorder) -> None:
        if level >= FeatureLevel.L4_1 and any(p.tensor.data_type is DataType.FLOAT64 for p in desc.parts):
            record.note(
                "note.tile_float64",
                "InputTensor.DataType",
                "FLOAT64",
                [t.name for t in T10],
                "The page doesn't list FLOAT64 for TILE, yet ONNX Runtime's DirectML provider registers it, "
                "so a device may accept this desc.",
                "Tensor support",
                (Kind.SET, Kind.VALUE),
            )

    def map_code(self, desc: Tile) -> MapCode | None:
        if desc.output_tensor is None:
            return None
        index = letters(desc.output_tensor.sizes)
        wrapped = [
            i if repeats == 1 else "0" if n == 1 else f"{i} % {n}"
            for i, n, repeats in zip(index, desc.input_tensor.sizes, desc.repeats, strict=True)
        ]
        return MapCode(indexed("OutputTensor", index), indexed("InputTensor", wrapped))

    def source(self, desc: Tile, output: int, index: Index, read: Reader) -> Sources:
        sizes = desc.input_tensor.sizes
        return Sources(np.zeros_like(index[0]), tuple(i % n for i, n in zip(index, sizes, strict=True)))

    def region(self, desc: Tile, tensor: int, index: tuple[int, ...], read: Reader) -> Region:
        rows = zip(index, desc.input_tensor.sizes, desc.repeats, strict=True)
        return Region(0, tuple(Factor((n * r,), range(i, n * r, n)) for i, n, r in rows))

    def counts(self, desc: Tile, tensor: int, index: Index, read: Reader) -> Indices:
        return np.full_like(index[0], math.prod(desc.repeats))

    def identity(self, desc: Tile, place: Place, index: Index, read: Reader) -> Indices:
        if not place.is_output:
            return np.full_like(index[0], -1)
        return ravel([i // n for i, n in zip(index, desc.input_tensor.sizes, strict=True)], desc.repeats)

    def identity_count(self, desc: Tile) -> int:
        return math.prod(desc.repeats)

    def identity_axes(self, desc: Tile, place: Place) -> tuple[int, ...]:
        return tuple(i for i, r in enumerate(desc.repeats) if r > 1) if place.is_output else ()

    def recoloured(self) -> Operator[Tile]:
        return BY_SOURCE

    def slices(self, desc: Tile, output: int) -> Starts:
        rows = enumerate(zip(desc.input_tensor.sizes, desc.repeats, strict=True))
        return {d: range(0, n * r, n) for d, (n, r) in rows if r > 1}

    def runs(self, desc: Tile, output: int, read: Reader) -> Starts:
        cuts = self.slices(desc, output)
        last = max(cuts, default=0)  # behind the last repeated axis, copies lie whole
        sizes = [n * r for n, r in zip(desc.input_tensor.sizes, desc.repeats, strict=True)]
        return {**{d: range(sizes[d]) for d in range(last)}, **{d: cuts[d] for d in cuts if d == last}}

    def formula(self, desc: Tile, output: int, index: tuple[int, ...], read: Reader) -> list[tuple[str, str]]:
        sizes = desc.input_tensor.sizes
        source = [i % n for i, n in zip(index, sizes, strict=True)]
        mods = [f"{i} % {n}" if r > 1 else str(i) for i, n, r in zip(index, sizes, desc.repeats, strict=True)]
        cells = f"InputTensor{brackets(mods)}", f"InputTensor{brackets(source)}"
        return formula_of(f"OutputTensor{brackets(index)}", *cells)

    def kernel_numbers(self, desc: Tile) -> tuple[int, ...]:
        """Bytes of an item, then a size and a repeat for each axis that is left."""
        merged = merge(desc.input_tensor.sizes, desc.repeats)
        return desc.input_tensor.data_type.item_size, *(number for pair in merged for number in pair)


def merge(sizes: Sequence[int], repeats: Sequence[int]) -> list[tuple[int, int]]:
    """(size, repeats) pairs with neighbours merged where one loop covers both.

    (a, r)(b, 1) is (a b, r): an axis that isn't repeated belongs to the run of the one before it. (1, r)(b, s) is
    (b, r s): what is repeated whole is repeated once more.
    """
    merged: list[tuple[int, int]] = []
    for size, repeat in zip(sizes, repeats, strict=True):
        if merged and repeat == 1:
            merged[-1] = (merged[-1][0] * size, merged[-1][1])
        elif merged and merged[-1][0] == 1:
            merged[-1] = (size, merged[-1][1] * repeat)
        else:
            merged.append((size, repeat))
    return merged


BY_SOURCE = by_source(TileOperator)
OPERATOR = TileOperator()
