"""What an author writes as records, and descs that differ from another in what is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert

from ...desc.base import Desc
from ...desc.fields import Role, TensorField
from ...desc.tensors import TensorDesc
from ...desc.value_sources import Listed, parse_source
from ...errors import DmlvizError, TaskError, quote
from ...operators.registry import operator_of
from ...session.experiments import Experiment
from ...session.notes import printable
from ...session.reading import parse_desc
from ...session.writing import dump_desc
from ..kinds.whole_descs import DescAnswer
from ..questions.goals import MOST_ELEMENTS, flowed

T = TypeVar("T")
TYPES: Mapping[str, str] = {"int": "an integer", "str": "text", "array": "a list", "object": "an object"}
RANGES = ((r" >= (\d+)", " of {0} or more"), (r" <= (\d+)", " of at most {0}"), (r"\((.*)\)", ", one of {0}"))
"""What msgspec says of a type's range, and what stands for that."""


def refused(field: str, value: object, expected: str) -> TaskError:
    return TaskError(f"{field} is {quote(value)}, expected {expected}.")


@contextmanager
def errors_naming(field: str) -> Iterator[None]:
    """Turns any DmlvizError inside into a TaskError that names `field`."""
    try:
        yield
    except TaskError:
        raise
    except DmlvizError as error:
        raise TaskError(f"{field}: {error}") from None


def read(members: object, kind: type[T], name: str) -> T:
    """A record from the JSON under `name`. Raises TaskError for the first member of another type or range."""
    members = shown_texts(members)
    try:
        return convert(members, kind)
    except ValidationError as error:
        said, _, place = str(error).partition(" - at `$")
    found: Any = members
    for key, number in re.findall(r"\.(\w+)|\[(\d+)\]", place):
        found = found[key or int(number)]
        name += f".{key}" if key else f"[{number}]"
    named = said.partition("`")[2].partition("`")[0].partition(" ")[0]  # of `array | null` the first
    ranges = (text.format(match[1]) for pattern, text in RANGES if (match := re.search(pattern, said)))
    raise refused(name, found, "".join((TYPES.get(named, named), *ranges)).replace("|", ", "))


def shown_texts(tree: Any) -> Any:
    """JSON whose texts have nothing that a terminal acts on; of a text by language, `{"en": "…"}`, the English."""
    if isinstance(tree, dict):
        if isinstance(tree.get("en"), str):
            return shown_texts(tree["en"])
        return {key: shown_texts(tree[key]) for key in tree}
    if isinstance(tree, list):
        return [*map(shown_texts, tree)]
    return printable(tree) if isinstance(tree, str) else tree


Items = tuple[Any, ...]


class Change(Struct, frozen=True):
    """What is otherwise than in another desc and its values, as a task's JSON has it."""

    desc: dict[str, Any] = {}
    values: dict[str, Any] = {}
    type: str = ""
    """Another operator's; "" for the same."""
    start: Change | None = None
    """Where that operator's desc begins."""


def changed(start: Experiment, change: Change, field: str, *, flows: bool = True) -> Experiment:
    """`start` with a change of its desc and its values. Raises TaskError, naming `field`.

    A field that is null is inferred anew. Where it `flows`, data is given, and laid into the sizes; of another operator
    nothing else is taken over. Else data may be changed, too.
    """
    own = change.start or Change()
    kind = change.type or start.desc.TYPE
    before = own.desc if own.desc or kind != start.desc.TYPE else dump_desc(start.desc)
    with errors_naming(field):
        known = {each.name for each in operator_of(kind).desc.FIELDS}
        every = {**before, **change.desc}
        desc = parse_desc(kind, {name: held for name, held in every.items() if held is not None or name not in known})
        paths = [part.path for part in desc.inputs]
        sources = {path: parse_source(v, f"values.{path}") for path, v in {**own.values, **change.values}.items()}
        if unknown := [path for path in change.values if path not in paths]:
            raise TaskError(f"{field}.values has {quote(unknown[0])}, expected only {', '.join(paths)}.")
        if not flows:
            kept = {path: source for path, source in start.values.items() if path in paths}
            other = replace(start, desc=desc, values={**kept, **sources})
            other.sources()
            return other
        steering = ((path, source.items) for path, source in sources.items() if isinstance(source, Listed))
        return flowed(start, desc, dict(steering))


def steering_of(experiment: Experiment) -> dict[str, Items]:
    """Index and length values by path, at most `MOST_ELEMENTS`; where they don't fit their sizes, those shown."""
    sources, _ = experiment.sources_or_defaults()
    steering: dict[str, Items] = {}
    for part, values in zip(experiment.desc.inputs, sources, strict=True):
        fits = part.tensor.can_exist and part.tensor.element_count <= MOST_ELEMENTS
        if not part.is_data and fits:
            steering[part.path] = tuple(values.array().reshape(-1).tolist())
    return steering


def desc_answer(experiment: Experiment) -> DescAnswer:
    return DescAnswer(experiment.desc, tuple(sorted(steering_of(experiment).items())))


def numbers_between(start: Experiment, end: Experiment) -> int:
    """How many numbers are changed, put in or taken out on the way: the Levenshtein distance of the two descs.

    What follows by itself is free: a single output, lengths' sizes, counts, and sizes of parts off Axis. Data is given.
    Another operator counts as one change, and then every number of its desc.
    """
    other = start.desc.TYPE != end.desc.TYPE
    before = {} if other else written_numbers(start)
    after = written_numbers(end)
    return other + sum(distance(before.get(path, ()), after.get(path, ())) for path in {**before, **after})


def differing(one: Experiment, other: Experiment) -> list[str]:
    """Paths of the numbers that two experiments of an operator have otherwise, as `written_numbers` names them."""
    before = written_numbers(one)
    after = written_numbers(other)
    return [path for path in {**before, **after} if before.get(path) != after.get(path)]


def written_numbers(experiment: Experiment) -> dict[str, Items]:
    """The numbers and choices that somebody writes down, by field or tensor."""
    desc = experiment.desc
    numbers = steering_of(experiment)
    for field in desc.FIELDS:
        if field in desc.ATTRIBUTES:
            held = desc.get(field.name)
            numbers[field.name] = tuple(held) if field.is_list else (held,)
        elif isinstance(field, TensorField) and field.role is Role.OUTPUT and field.many:
            numbers[field.name] = _sizes_along_axis(desc, desc.get(field.name))
    for part in desc.inputs:
        if part.field.role is not Role.LENGTHS:
            numbers[f"{part.path}.Sizes"] = part.tensor.listed_sizes
    return numbers


def _sizes_along_axis(desc: Desc, tensors: Sequence[TensorDesc]) -> Items:
    axes = desc.named_axes
    fits = bool(axes) and all(0 <= axes[0] < len(tensor.sizes) for tensor in tensors)
    return tuple(n for tensor in tensors for n in ((tensor.sizes[axes[0]],) if fits else tensor.sizes))


def distance(before: Items, after: Items) -> int:
    row = list(range(len(after) + 1))
    for i, one in enumerate(before, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(after, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + ((one,) != (other,)))
    return row[-1]


def one_off(tree: Any, numbers: Callable[[int], Iterable[int]]) -> Iterator[Any]:
    """JSON like `tree` with one whole number in it changed into each that `numbers` makes of it."""
    if type(tree) is int:
        yield from numbers(tree)
    for key, entry in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        for other in one_off(entry, numbers):
            yield {**tree, key: other} if isinstance(tree, dict) else [*tree[:key], other, *tree[key + 1 :]]
