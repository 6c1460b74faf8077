"""What a text is really worth, and what was made of it.

An answer was worked out by hand from the text and DirectML's pages, without dmlviz.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import CountField, TensorField
from dmlviz.desc.tensors import TensorDesc
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Why


@dataclass(frozen=True)
class Broken:
    """The rules that a desc breaks: their ids, each with the field or tensor that it is about."""

    rules: tuple[str, ...]


VALID = Broken(())
NOT_CHECKED = "not checked"
Verdict = Broken | str


@dataclass(frozen=True)
class Answer:
    """What one text holds, in order."""

    descs: tuple[tuple[Desc, Verdict], ...]


F16, F32, F64 = "FLOAT16", "FLOAT32", "FLOAT64"
I8, I16, I32, I64 = "INT8", "INT16", "INT32", "INT64"
U8, U32 = "UINT8", "UINT32"


def t(kind: str, *sizes: int) -> TensorDesc:
    """A tensor desc."""
    return TensorDesc(kind, sizes)


def one(desc: Desc, verdict: Verdict = VALID) -> Answer:
    """The answer of a text with one desc in it."""
    return Answer(((desc, verdict),))


def broken(*rules: str) -> Broken:
    """The rules that are broken."""
    return Broken(rules)


class Judgement(Enum):
    """What was made of a text."""

    RIGHT = "right"
    SAID = "incomplete but said so"
    WRONG = "wrong"


def judge(text: bytes, name: str, answer: Answer) -> Judgement:
    """Holds what is read from a text against its answer."""
    try:
        found = importing.read(text, name)
    except ImportFailedError as error:
        if error.why is Why.NOTHING:
            return Judgement.WRONG if answer.descs else Judgement.RIGHT
        all_unchecked = answer.descs and all(verdict == NOT_CHECKED for _, verdict in answer.descs)
        return Judgement.RIGHT if all_unchecked else Judgement.SAID
    return _judged(found, answer)


def _judged(found: Imported, answer: Answer) -> Judgement:
    unchecked = any(each.unchecked for each in found.remarks)
    unchecked |= any(each.check().not_checked for each in found.experiments)
    got = [(_plain(each.desc), frozenset(_failures(each.check().errors))) for each in found.experiments]
    wanted = [(_plain(desc), verdict) for desc, verdict in answer.descs]
    at = 0
    for desc, rules in got:  # each has to stand among the wanted ones, in their order
        while at < len(wanted) and wanted[at][0] != desc:
            at += 1
        if at == len(wanted):
            return Judgement.WRONG
        verdict = wanted[at][1]
        at += 1
        if isinstance(verdict, Broken) and rules != frozenset(verdict.rules):
            return Judgement.WRONG
        if verdict == NOT_CHECKED and not unchecked:
            return Judgement.WRONG
    if len(got) == len(wanted):
        expected = any(verdict == NOT_CHECKED for _, verdict in wanted)
        return Judgement.RIGHT if unchecked == expected else Judgement.SAID
    return Judgement.SAID if unchecked else Judgement.WRONG


def _failures(errors: Sequence[object]) -> Iterator[str]:
    for each in errors:
        yield f"{getattr(each, 'id')} {getattr(each, 'field')}"  # noqa: B009


def _plain(desc: Desc) -> tuple[object, ...]:
    """An operator, and what each field holds, without what tensors say beside type and sizes."""
    held: list[object] = [desc.TYPE]
    for each in desc.FIELDS:
        value = desc.get(each.name)
        if isinstance(each, TensorField):
            several = value if each.many else [value]
            held.append(tuple(_tensor(one) for one in several))
        elif not isinstance(each, CountField):
            held.append(tuple(value) if isinstance(value, (list, tuple)) else value)
    return tuple(held)


def _tensor(found: TensorDesc | None) -> object:
    return found and (found.data_type, tuple(found.sizes))
