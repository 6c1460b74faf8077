"""A fix as other literals in the C++ that a desc was read from, where literals say what it changes.

Nothing is known of where they stand: those that may be meant are tried, and what comes of each is read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ...desc.base import Desc
from ...desc.fields import NumbersField
from ...errors import DmlvizError
from ...formats.json_edits import Edit, applied

MOST_TRIED = 60
"""Literals that are tried for one field: each is a whole reading."""
_NUMBER = r"-?(?:0[xX][\da-fA-F]+|\d+)[uUlL]{0,3}"
_LIST = re.compile(rf"(\{{\s*)({_NUMBER}(?:\s*,\s*{_NUMBER})*+)\s*,?\s*\}}")


def with_literals(text: str, before: Desc, after: Desc, read: Callable[[str], Desc | None]) -> str:
    """The text with other literals, so that it fills `after`; `read` gives what a text fills, if nothing else changes.

    Raises DmlvizError, with one sentence, where no literals do that.
    """
    wanted = _said(after)
    now = _said(before)
    if before.TYPE != after.TYPE or now.keys() != wanted.keys():
        raise DmlvizError("its fix changes more than literals, so no diff is shown.")
    while left := [path for path in wanted if now[path] != wanted[path]]:
        for changed in _candidates(text, left, now, wanted):
            desc = read(changed)
            said = _said(desc) if desc is not None else {}
            if said.keys() == wanted.keys() and sum(said[path] != wanted[path] for path in wanted) < len(left):
                text, now = changed, said
                break
        else:
            raise DmlvizError(f"no literal of its own says what {left[0]} is, so no diff is shown.")
    return text


def _said(desc: Desc) -> dict[str, list[int] | str]:
    """What a desc says as literals of C++, by path."""
    found: dict[str, list[int] | str] = {}
    for part in desc.parts:
        tensor = part.tensor
        found[f"{part.path}.Sizes"] = list(tensor.listed_sizes)
        found[f"{part.path}.DataType"] = f"DML_TENSOR_DATA_TYPE_{tensor.data_type.name}"
        written, total = tensor.members.dimension_count, tensor.members.total_tensor_size_in_bytes
        found[f"{part.path}.DimensionCount"] = str(tensor.dimension_count if written is None else written)
        found[f"{part.path}.TotalTensorSizeInBytes"] = str(tensor.total_bytes if total is None else total)
    for field in desc.FIELDS:
        content: Any = desc.get(field.name)
        if field in desc.TENSORS:
            continue
        if isinstance(field, NumbersField):
            found[field.name] = list(content)
        elif isinstance(content, int):
            found[field.name] = str(content)
        else:
            found[field.name] = " ".join(text for _, text in field.c_values(content, desc.attributes))
    return found


def _candidates(text: str, paths: list[str], now: dict[str, Any], wanted: dict[str, Any]) -> Iterator[str]:
    """The text with one literal changed that may be that of a path."""
    for path in paths:
        old, new = now[path], wanted[path]
        edits = _lists(text, old, new) if isinstance(old, list) else _words(text, path, old, new)
        yield from (applied(text, [edit]) for edit in islice(edits, MOST_TRIED))


def _lists(text: str, old: list[int], new: list[int]) -> Iterator[Edit]:
    """Lists in braces that hold just those numbers; the new ones are written as these are."""
    for match in _LIST.finditer(text):
        words = re.findall(_NUMBER, match[2])
        if [int(word.rstrip("uUlL"), 16 if "x" in word.lower() else 10) for word in words] == old:
            suffix = re.sub(r"-?(?:0[xX][\da-fA-F]+|\d+)", "", words[0])
            gap = match[2][len(words[0]) : match[2].index(words[1], len(words[0]))] if len(words) > 1 else ", "
            yield Edit(match.start(2), match.end(2), gap.join(f"{number}{suffix}" for number in new))


def _words(text: str, path: str, old: str, new: str) -> Iterator[Edit]:
    """Numbers and names that are just `old`, those in a line with the field's name first."""
    is_number = re.fullmatch(r"-?[\d.]+[uUlLfF]*", old) is not None
    bare, put = (old.rstrip("uUlLfF"), new.rstrip("uUlLfF")) if is_number else (old, new)
    ending = r"(?=[uUlLfF]{0,3}(?!\w))" if is_number else r"(?!\w)"
    found = [match.span() for match in re.finditer(rf"(?<![\w.]){re.escape(bare)}{ending}", text)]
    name = path.rpartition(".")[2]
    found.sort(key=lambda span: name not in text[text.rfind("\n", 0, span[0]) + 1 : span[0]])
    yield from (Edit(start, end, put) for start, end in found)
