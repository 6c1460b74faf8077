"""Rules that several operators share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ..desc.base import Changes, Desc
from ..desc.fields import Field
from ..desc.tensors import TensorDesc, braces
from ..desc.values import Values
from ..errors import quote
from .report import Recorder
from .scans import SCAN_LIMIT, scanned

T = TypeVar("T")


def dimensions_of(tensor: TensorDesc, path: str, of: str = "'s ") -> str:
    """What the number of a tensor's sizes is called: its DimensionCount, unless that says another number."""
    written = tensor.members.dimension_count
    is_said = written is None or written == tensor.dimension_count
    return f"{path}{of}DimensionCount" if is_said else f"the number of {path}'s Sizes"


def count_rules(record: Recorder, desc: Desc, count_field: str) -> None:
    """`count.positive` and `count.matches`."""
    count = desc.get(count_field)
    record.expect(
        "count.positive",
        (count or 0) > 0,
        count_field,
        "> 0",
        count,
        f"{count_field} is {count}, expected more than 0.",
        holds=f"{count_field} {count} is more than 0.",
        where=count_field,
    )
    count_matches(record, desc, count_field)


def count_matches(record: Recorder, desc: Desc, count_field: str) -> None:
    """`count.matches`: one check for all arrays that a count governs."""
    count = desc.get(count_field)
    given = {name: len(desc.get(name)) for name in _governed_by(desc, count_field)}
    wrong = {name: length for name, length in given.items() if length != count}
    lengths = set(given.values())
    if len(lengths) == 1:
        expected = f"expected {min(lengths)}, the number of {_joined_by_and(given)} given"
    else:
        entries = _joined_by_and(
            f"{name} has {length} entr{'y' if length == 1 else 'ies'}" for name, length in wrong.items()
        )
        expected = f"but {entries}, expected as many in each of {_joined_by_and(given)}"
    record.expect(
        "count.matches",
        not wrong,
        count_field,
        min(lengths) if len(lengths) == 1 else list(given.values()),
        count,
        f"{count_field} is {count}, {expected} (a check of dmlviz's own: DirectML can't see how long an array is).",
        holds=f"{count_field} {count} is the number of {_joined_by_and(given)} given.",
        where=count_field,
        related=list(wrong or given),
    )


def _governed_by(desc: Desc, count_field: str) -> list[str]:
    return [name for field in desc.COUNTS if field.name == count_field for name in field.arrays]


def _joined_by_and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def range_rule(record: Recorder, field: Field, desc: Desc) -> None:
    """`number.range`: a number outside the field's C type, where no other rule blames the field; recorded if it fails.

    Most operators bound their numbers more closely, by rules of their own.
    """
    content, bounds = desc.get(field.name), field.bounds
    if bounds is None:
        return
    numbers = field.numbers(content)
    bad = [i for i, number in enumerate(numbers) if not bounds.holds(number)]
    if not bad or field.name in record.blamed:
        return
    if record.failed("sizes.element_count") and max(numbers) > bounds.high:
        return  # a tensor that is too large says it already
    holds = f"{'an' if bounds.type.startswith('I') else 'a'} {bounds.type} holds"
    low, high = (str(end).removesuffix(".0") for end in (bounds.low, bounds.high))
    names = [f"{field.name}[{i}]" if field.is_list else field.name for i in bad]
    record.expect(
        "number.range",
        False,
        names[0] if len(bad) == 1 else field.name,
        f"[{low}, {high}]",
        field.dump(content) if not field.is_list else numbers[bad[0]] if len(bad) == 1 else list(numbers),
        f"{_joined_by_and(f'{name} is {quote(numbers[i], 40)}' for name, i in zip(names, bad, strict=True))}, "
        f"expected {low} to {high}, as {holds} (a check of dmlviz's own: DirectML gets another number).",
        where=field.name,
        related=names,
    )


def within_rule(record: Recorder, id_: str, name: str, number: int, most: int, why: str) -> None:
    """That a number is at least 0 and at most `most`; `why` ends the sentence where it isn't."""
    record.expect(
        id_,
        0 <= number <= most,
        name,
        f"[0, {most}]",
        number,
        f"{name} is {number}, expected 0 to {most}{why}.",
        holds=f"{name} {number} lies in [0, {most}].",
        where=name,
    )


def axis_rule(record: Recorder, axis: int, dimensions: int) -> None:
    within_rule(record, "axis.range", "Axis", axis, dimensions - 1, f" because DimensionCount is {dimensions}")


def axis_fixes(axis: int, dimensions: int) -> Iterator[Changes]:
    """Axes in range: a negative one counted from the end first, then the nearest, then the others."""
    order = [axis + dimensions] if -dimensions <= axis < 0 else []
    order += sorted(range(dimensions), key=lambda a: abs(a - axis))
    yield from ({"Axis": axis} for axis in dict.fromkeys(order))


def scanned_along(
    record: Recorder,
    id_: str,
    path: str,
    data: TensorDesc,
    axis: int,
    cells: TensorDesc,
    values: Values | None,
    scan: Callable[[Values, int], T],
) -> T | None:
    """What `scan` finds in index or length values that are held against the size of `data` along Axis.

    None without values, for too many of them, and where the check waits for something. `cells` are as the desc has
    them, which may be otherwise.
    """
    if values is None or values.tensor.element_count > SCAN_LIMIT:
        return None
    on = record.failed("axis.range")
    if not on and not (data.can_exist and cells.can_exist):
        on = record.failed("sizes.positive", "sizes.element_count", "dimension_count.supported") or "level.operator"
    if not on and cells.data_type.is_float:
        on = "dtype.supported"  # a NaN picks nothing
    if on:
        record.wait(id_, path, on)
        return None
    n = data.sizes[axis]
    return scanned(record, id_, path, values, n, lambda: scan(values, n))


def per_axis_rules(record: Recorder, id_: str, desc: Desc, count_field: str) -> None:
    """That there is one entry for each axis of InputTensor, by the count that says so; and `count.matches`."""
    data, count = desc.inputs[0].tensor, desc.get(count_field)
    n, word = data.dimension_count, " DimensionCount" * (count_field != "DimensionCount")
    record.expect(
        id_,
        count == n,
        count_field,
        n,
        count,
        f"{count_field} is {count}, expected {n}, {dimensions_of(data, 'InputTensor')}.",
        holds=f"{count_field} {count} equals InputTensor's{word}.",
        where=count_field,
        related=[*_governed_by(desc, count_field), "InputTensor.DimensionCount"],
    )
    count_matches(record, desc, count_field)


def entries_rule(
    record: Recorder, id_: str, name: str, broken: Sequence[bool], entries: Sequence[int], words: str, bounds: str = ""
) -> None:
    """A rule about each entry of an array by itself; `words` say what is expected, and so do `bounds`."""
    bad = [d for d, is_bad in enumerate(broken) if is_bad]
    faults = " and ".join(f"{name}[{d}] is {entries[d]}" for d in bad)
    record.expect(
        id_,
        not bad,
        f"{name}[{bad[0]}]" if len(bad) == 1 else name,
        bounds or words,
        list(entries),
        f"{faults}, expected {words}.",
        holds=f"Every one of {name} {braces(entries)} is {words}.",
        where=name,
        related=[f"{name}[{d}]" for d in bad],
    )


def tensor_for(
    record: Recorder, id_: str, path: str, tensor: TensorDesc | None, count: int, on: str | None, without: str = ""
) -> TensorDesc | None:
    """The tensor at `path`, of so many dimensions, that a rule holds against others; None where that is put off.

    It waits for what is broken already, `on`; where there is no tensor, for what leaves it out, `without`.
    """
    if not on and tensor is not None and tensor.dimension_count != count:
        on = "dimension_count.equal"
    if not on and tensor is not None:
        return tensor
    record.wait(id_, f"{path}.Sizes", on or without)
    return None


def sizes_rule(
    record: Recorder, id_: str, path: str, sizes: Sequence[int], want: Sequence[int], why: str, *related: str
) -> None:
    """That the sizes of the tensor at `path` are those wanted, as many; `why` ends the sentence in either case.

    `related` are other arrays whose entries for a wrong axis are to be lit.
    """
    field, faults = sizes_text(sizes, want, path)
    wrong = [d for d, (one, other) in enumerate(zip(sizes, want, strict=True)) if one != other]
    record.expect(
        id_,
        not wrong,
        field,
        list(want),
        list(sizes),
        f"{faults}{why}.",
        holds=f"{path}.Sizes is {braces(want)}{why}.",
        where=path,
        related=[f"{name}[{d}]" for d in wrong for name in (f"{path}.Sizes", *related)],
    )


def sizes_text(sizes: Sequence[int], expected: Sequence[int], path: str) -> tuple[str, str]:
    """The field and the sentence's beginning for sizes that should be others."""
    bad = [d for d in range(min(len(sizes), len(expected))) if sizes[d] != expected[d]]
    if len(sizes) == len(expected) and len(bad) == 1:
        d = bad[0]
        return f"{path}.Sizes[{d}]", f"{path}.Sizes[{d}] is {sizes[d]}, expected {expected[d]}"
    return f"{path}.Sizes", f"{path}.Sizes is {braces(sizes)}, expected {braces(expected)}"
