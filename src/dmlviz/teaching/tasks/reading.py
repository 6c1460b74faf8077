"""What an author wrote as records; what can't be read is refused in one sentence that names the member of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

from msgspec import ValidationError, convert

from ...errors import DmlvizError, TaskError, quote
from ...session.notes import printable

T = TypeVar("T")
TYPES: Mapping[str, str] = MappingProxyType(
    {"int": "an integer", "str": "text", "array": "a list", "object": "an object"}
)
RANGES = ((r" >= (\d+)", " of {0} or more"), (r" <= (\d+)", " of at most {0}"), (r"\((.*)\)", ": {0}"))
"""What msgspec says of a type's range, and what stands for that."""


def refused(field: str, value: object, expected: str) -> TaskError:
    """The error for a member of a file: what it holds, and what was expected."""
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
        by_language = isinstance(tree.get("en"), str)
        return shown_texts(tree["en"]) if by_language else {key: shown_texts(tree[key]) for key in tree}
    if isinstance(tree, list):
        return [*map(shown_texts, tree)]
    return printable(tree) if isinstance(tree, str) else tree
