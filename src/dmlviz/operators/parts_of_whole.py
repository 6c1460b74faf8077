"""Parts that make a whole along one axis: the rules, workings and edits of JOIN and SPLIT."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from ..desc.base import Part
from ..desc.indexing import put
from ..desc.tensors import TensorDesc
from ..desc.values import Indices
from .report import Recorder
from .workings import CodeLine, MapCode, Term, indexed, letters


def starts_of(parts: Sequence[TensorDesc], axis: int) -> list[int]:
    """Where each part begins along an axis, and the end of the last."""
    return list(accumulate((part.sizes[axis] for part in parts), initial=0))


def part_at(parts: Sequence[TensorDesc], axis: int, index: tuple[Indices, ...]) -> tuple[Indices, tuple[Indices, ...]]:
    """(the part that has each element of the whole, its index in there); arrays (N,)."""
    starts = np.array(starts_of(parts, axis), np.int64)
    part = np.searchsorted(starts, index[axis], side="right").astype(np.int64) - 1
    return part, put(index, axis, index[axis] - starts[part])


def row_numbers(parts: Sequence[TensorDesc], axis: int) -> tuple[int, ...]:
    """How many rows the whole has, the bytes of one, and of each part of it."""
    first = parts[0]
    unit = math.prod(first.sizes[axis + 1 :]) * first.data_type.item_size
    lengths = [part.sizes[axis] * unit for part in parts]
    return math.prod(first.sizes[:axis]), sum(lengths), *lengths


def spliced(tensors: Sequence[TensorDesc], which: int, axis: int, size: int) -> list[TensorDesc]:
    """`tensors` with one size of one of them replaced."""
    changed = list(tensors)
    changed[which] = changed[which].resized(put(changed[which].sizes, axis, size))
    return changed


def resummed(tensors: Sequence[TensorDesc], axis: int, total: int) -> Iterator[list[TensorDesc]]:
    """`tensors` with the size along `axis` of one of them such that they add up to `total`: the last first."""
    rest = total - sum(t.sizes[axis] for t in tensors)
    for k in reversed(range(len(tensors))):
        size = tensors[k].sizes[axis] + rest
        if size > 0:
            yield spliced(tensors, k, axis, size)


def fitting(tensors: Sequence[TensorDesc], whole: TensorDesc, axis: int) -> list[TensorDesc]:
    """`tensors` with the sizes of `whole` apart from `axis`; those with another DimensionCount stay as they are."""
    return [
        t.resized(put(whole.sizes, axis, t.sizes[axis])) if t.dimension_count == whole.dimension_count else t
        for t in tensors
    ]


def match_rules(record: Recorder, axis: int, parts: Sequence[Part], whole_path: str, whole: TensorDesc | None) -> None:
    """`sizes.match` for each part and `sizes.sum` over them, held against the whole: JOIN's and SPLIT's rules."""
    on = record.failed("axis.range")
    if whole is None:
        on = on or record.failed("sizes.positive", "count.positive") or "sizes.positive"
    for part in parts:
        if on or whole is None:
            record.wait("sizes.match", part.path, on or "")
        elif part.tensor.dimension_count != whole.dimension_count:
            record.wait("sizes.match", part.path, "dimension_count.equal")
        else:
            sizes = part.tensor.sizes
            bad = [d for d in range(len(sizes)) if d != axis and sizes[d] != whole.sizes[d]]
            faults = " and ".join(f"Sizes[{d}] is {sizes[d]}, expected {whole.sizes[d]}" for d in bad)
            own = (f"{part.path}.Sizes[{d}]" for d in bad)
            record.expect(
                "sizes.match",
                not bad,
                f"{part.path}.Sizes[{bad[0]}]" if len(bad) == 1 else f"{part.path}.Sizes",
                [whole.sizes[d] if d != axis else sizes[d] for d in range(len(sizes))],
                list(sizes),
                f"{part.path}.{faults} as in {whole_path}; only Axis {axis} may differ."
                if bad
                else f"{part.path} has {whole_path}'s sizes apart from Axis {axis}.",
                where="the pseudo-code",
                related=[*own, *(f"{whole_path}.Sizes[{d}]" for d in bad)],
            )
    field = f"{whole_path}.Sizes"
    if any(whole is not None and p.tensor.dimension_count != whole.dimension_count for p in parts):
        on = on or "dimension_count.equal"
    if not parts:
        on = on or record.failed("count.positive", "count.matches") or "count.positive"
    if on or whole is None:
        record.wait("sizes.sum", field, on or "")
        return
    along = [p.tensor.sizes[axis] for p in parts]
    total, size = sum(along), whole.sizes[axis]
    terms = " + ".join(map(str, along)) if len(along) <= 8 else f"{along[0]} + … + {along[-1]}"
    sum_text = f"{terms} = {total}" if len(along) > 1 else str(total)
    ending = "" if total == size else f", so the parts along Axis {axis} don't fill it exactly"
    record.expect(
        "sizes.sum",
        total == size,
        f"{field}[{axis}]",
        total,
        size,
        f"{whole_path}.Sizes[{axis}] is {size}, expected {sum_text}{ending}.",
        where="the pseudo-code",
        related=[f"{p.path}.Sizes[{axis}]" for p in parts],
    )


def sum_working(axis: int, parts: Sequence[Part], whole_path: str, whole: TensorDesc) -> list[Term]:
    """The parts' sizes along Axis, their sum, and the size that it isn't."""
    shown = list(parts) if len(parts) <= 3 else [parts[0], parts[1], parts[-1]]
    terms: list[Term] = []
    for i, part in enumerate(shown):
        signs = "+ … +" if len(shown) < len(parts) and i == 2 else "+"
        terms += [Term("", signs)] * (i > 0) + [Term(f"{part.path}.Sizes[{axis}]", str(part.tensor.sizes[axis]))]
    total = sum(part.tensor.sizes[axis] for part in parts)
    size = Term(f"{whole_path}.Sizes[{axis}]", str(whole.sizes[axis]))
    return [*terms, Term("", "="), Term("sum", str(total)), Term("", "≠"), size]


MOST_FAILING = 3
"""Failures of one assertion that are spelled out."""


def pseudo_code(
    axis: int, part_field: str, parts: Sequence[Part], whole_path: str, whole: TensorDesc, known: bool = True
) -> list[CodeLine]:
    """JOIN's and SPLIT's pseudo-code with live numbers: of `dimension_count.equal`, `sizes.match`, `sizes.sum`.

    The assertions are worked out here from the sizes, not copied from the checks. `known` is False where the whole's
    own sizes can't be inferred, so that nothing can be held against them.
    """
    count, n = len(parts), whole.dimension_count
    unequal = [(i, p) for i, p in enumerate(parts) if p.tensor.dimension_count != n]
    in_range = known and 0 <= axis < n
    pairs = [
        (i, d, p.tensor.sizes[d])
        for i, p in enumerate(parts)
        if in_range and p.tensor.dimension_count == n
        for d in range(n)
        if d != axis
    ]
    wrong = [(i, d, size) for i, d, size in pairs if size != whole.sizes[d]]
    can_add = in_range and not unequal and count > 0
    along = [p.tensor.sizes[axis] for p in parts] if can_add else []
    terms = " + ".join(map(str, along)) if count <= 8 else f"{along[0]} + … + {along[-1]}" if can_add else ""
    until = "DimensionCounts agree" if in_range else "Axis is in range" if known else "every size is at least 1"
    lost = f"without meaning until {until if count else f'there are {part_field}'}"
    total, end = sum(along), whole.sizes[axis] if in_range else 0
    same = f"{n} == {n}" if count else ""
    fine = f"{len(pairs):,} sizes agree" if len(pairs) != 1 else "1 size agrees"
    return [
        CodeLine("total = 0"),
        CodeLine(f"for each of the {part_field}, number i:", f"{count:,} of them"),
        CodeLine(
            f"    assert({part_field}[i].DimensionCount == {whole_path}.DimensionCount)",
            _failing_of(len(unequal), count) if unequal else same,
            not unequal,
            tuple(f"i = {i}: {p.tensor.dimension_count} == {n}" for i, p in unequal[:MOST_FAILING]),
        ),
        CodeLine(f"    for each axis d of {whole_path}:", f"0 to {n - 1}"),
        CodeLine(f"        if d == Axis: total += {part_field}[i].Sizes[d]", terms),
        CodeLine(
            f"        else: assert({part_field}[i].Sizes[d] == {whole_path}.Sizes[d])",
            _failing_of(len(wrong), len(pairs)) if wrong else lost if count and (unequal or not in_range) else fine,
            False if wrong else None if count and (unequal or not in_range) else True,
            tuple(f"i = {i}, d = {d}: {size} == {whole.sizes[d]}" for i, d, size in wrong[:MOST_FAILING]),
        ),
        CodeLine(
            f"assert(total == {whole_path}.Sizes[Axis])",
            f"{total} == {end}" if can_add else lost,
            total == end if can_add else None,
            (f"{total} == {end}",) if can_add and total != end else (),
        ),
    ]


def _failing_of(wrong: int, count: int) -> str:
    return f"{wrong:,} of {count:,} fail" if wrong != 1 else f"1 of {count:,} fails"


MOST_STARTS = 6
"""Parts of which it is said where each begins."""


def map_code(
    axis: int, part_field: str, parts: Sequence[TensorDesc], whole_path: str, whole: TensorDesc, *, joins: bool
) -> MapCode:
    """JOIN's and SPLIT's map: part k is what lies in the whole from s on along Axis."""
    of_part = letters(put(whole.sizes, axis, max(part.sizes[axis] for part in parts)))
    of_whole, where = of_part, ""
    if len(parts) > 1:
        along = of_part[axis]
        of_whole = [*of_part[:axis], "s" if along == "0" else f"s+{along}", *of_part[axis + 1 :]]
        starts = starts_of(parts, axis)[:-1]
        more = ", …" * (len(parts) > MOST_STARTS)
        shown = ", ".join(map(str, starts[:MOST_STARTS]))
        numbers = ", ".join(map(str, range(min(len(parts), MOST_STARTS))))
        where = f"s = {shown}{more} for k = {numbers}{more}"
    part_at = indexed(f"{part_field}[{'k' if where else 0}]", of_part)
    whole_at = indexed(whole_path, of_whole)
    return MapCode(whole_at, part_at, where) if joins else MapCode(part_at, whole_at, where)
