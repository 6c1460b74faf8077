"""Rules that several operators share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..desc.base import Desc
from ..desc.fields import Field
from ..desc.tensors import TensorDesc, braces
from .report import Recorder, name_of


def dimensions_of(tensor: TensorDesc, path: str, of: str = "'s ") -> str:
    """What the number of a tensor's sizes is called: its DimensionCount, unless that says another number."""
    written = tensor.members.get("DimensionCount")
    is_said = written is None or written == tensor.dimension_count
    return f"{path}{of}DimensionCount" if is_said else f"the number of {path}'s Sizes"


def _joined_by_and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def count_rules(record: Recorder, desc: Desc, counted: str) -> None:
    count = desc.get(counted)
    fault = f"{counted} is {count}, expected more than 0."
    holds = f"{counted} {count} is more than 0."
    record.expect("count.positive", count > 0, counted, "> 0", count, fault, holds, where=counted)
    count_matches(record, desc, counted)


def count_matches(record: Recorder, desc: Desc, counted: str) -> None:
    count = desc.get(counted)
    given = {name: len(desc.get(name)) for name in _governed_by(desc, counted)}
    wrong = {name: length for name, length in given.items() if length != count}
    named = wrong or given
    names = _joined_by_and(given)
    lengths = list(given.values())
    want: int | list[int] = lengths
    if len({*lengths}) == 1:
        want = lengths[0]
        expected = f"expected {want}, the number of {names} given"
    else:
        entries = _joined_by_and(f"{name} has {n} entr{'y' if n == 1 else 'ies'}" for name, n in named.items())
        expected = f"but {entries}, expected as many in each of {names}"
    fault = f"{counted} is {count}, {expected} (a check of dmlviz's own: DirectML can't see how long an array is)."
    holds = f"{counted} {count} is the number of {names} given."
    record.expect("count.matches", not wrong, counted, want, count, fault, holds, [*named])


def _governed_by(desc: Desc, counted: str) -> list[str]:
    return [name for field in desc.COUNTS if field.name == counted for name in field.arrays]


def per_axis_rules(record: Recorder, id_: str, desc: Desc, counted: str) -> None:
    """That there is one entry for each axis of the first input, by the count that says so; and `count.matches`."""
    part, count = desc.inputs[0], desc.get(counted)
    n = part.tensor.dimension_count
    word = " DimensionCount" * (counted != "DimensionCount")
    fault = f"{counted} is {count}, expected {n}, {dimensions_of(part.tensor, part.path)}."
    holds = f"{counted} {count} equals {part.path}'s{word}."
    related = [*_governed_by(desc, counted), f"{part.path}.DimensionCount"]
    record.expect(id_, count == n, counted, n, count, fault, holds, related, counted)
    count_matches(record, desc, counted)


def range_rule(record: Recorder, field: Field, desc: Desc) -> None:
    """`number.range`: a number outside the field's C type, where no other rule blames the field; recorded if it fails.

    Most operators bound their numbers more closely, by rules of their own.
    """
    content, bounds = desc.get(field.name), field.bounds
    if bounds is None or field.name in record.blamed:
        return
    numbers = field.numbers(content)
    bad = [i for i, number in enumerate(numbers) if not bounds.holds(number)]
    if not bad or (record.failed("sizes.element_count") and max(numbers) > bounds.high):
        return  # a tensor that is too large says it already
    low, high = (str(end).removesuffix(".0") for end in (bounds.low, bounds.high))
    names = [f"{field.name}[{i}]" if field.is_list else field.name for i in bad]
    found = field.dump(content)
    if field.is_list:
        found = numbers[bad[0]] if len(bad) == 1 else list(numbers)
    faults = _joined_by_and(f"{name} is {numbers[i]}" for name, i in zip(names, bad, strict=True))
    article = "an" if bounds.type.startswith("I") else "a"
    fault = f"{faults}, expected {low} to {high}, as {article} {bounds.type} holds"
    fault += " (a check of dmlviz's own: DirectML gets another number)."
    path = names[0] if len(bad) == 1 else field.name
    record.expect("number.range", False, path, f"[{low}, {high}]", found, fault, related=names)


def within_rule(record: Recorder, id_: str, name: str, number: int, most: int, why: str) -> None:
    """That a number is at least 0 and at most `most`; `why` ends the sentence where it isn't."""
    fault = f"{name} is {number}, expected 0 to {most}{why}."
    holds = f"{name} {number} is in [0, {most}]."
    record.expect(id_, 0 <= number <= most, name, f"[0, {most}]", number, fault, holds, where=name)


def axis_rule(record: Recorder, axis: int, dimensions: int) -> None:
    if not dimensions:
        fault = f"Axis is {axis}, but a tensor of DimensionCount 0 has no axis."
        record.expect("axis.range", False, "Axis", "[0, -1]", axis, fault, where="Axis")
        return
    within_rule(record, "axis.range", "Axis", axis, dimensions - 1, f" because DimensionCount is {dimensions}")


def entries_rule(
    record: Recorder, id_: str, name: str, broken: Sequence[bool], entries: Sequence[int], words: str, bounds: str = ""
) -> bool:
    """A rule about each entry of an array by itself; `words` say what is expected, and so do `bounds`."""
    bad = [f"{name}[{d}]" for d, is_bad in enumerate(broken) if is_bad]
    faults = " and ".join(f"{name}[{d}] is {entries[d]}" for d, is_bad in enumerate(broken) if is_bad)
    path = bad[0] if len(bad) == 1 else name
    fault = f"{faults}, expected {words}."
    holds = f"Every one of {name} {braces(entries)} is {words}."
    return record.expect(id_, not bad, path, bounds or words, list(entries), fault, holds, bad, name)


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
    record: Recorder,
    id_: str,
    path: str,
    sizes: Sequence[int],
    want: Sequence[int],
    why: str,
    *related: str,
    named: str = "",
) -> None:
    """That the sizes of the tensor at `path` are those wanted, as many; `why` ends the sentence in either case.

    `related` are other arrays whose entries for a wrong axis are to be lit, `named` a field that is lit with them.
    """
    field, faults = sizes_text(sizes, want, path)
    wrong = [d for d, (one, other) in enumerate(zip(sizes, want, strict=True)) if one != other]
    lit = [f"{name}[{d}]" for d in wrong for name in (f"{path}.Sizes", *related)]
    if named:
        lit.append(named)
    holds = f"{path}.Sizes is {braces(want)}{why}."
    record.expect(id_, not wrong, field, list(want), list(sizes), f"{faults}{why}.", holds, lit, name_of(path))


def sizes_text(sizes: Sequence[int], expected: Sequence[int], path: str) -> tuple[str, str]:
    bad = [d for d in range(min(len(sizes), len(expected))) if sizes[d] != expected[d]]
    if len(sizes) == len(expected) and len(bad) == 1:
        d = bad[0]
        field = f"{path}.Sizes[{d}]"
        return field, f"{field} is {sizes[d]}, expected {expected[d]}"
    return f"{path}.Sizes", f"{path}.Sizes is {braces(sizes)}, expected {braces(expected)}"
