"""What a row of the form is, what it may hold here, and the rules that speak of it; for who asks.

All of it follows from what the operator declares and from the report: no field is known by its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from ...desc.fields import Choice, Field
from ...operators.registry import operator_of
from ...operators.report import Check, Report, Severity, name_of
from ...operators.sentences import sentence_of
from ...scene.words.reasons import row_of as told
from ...session.experiments import Experiment
from .edit_desk import row_of


class RuleHelp(Struct, frozen=True):
    id: str
    sentence: str
    """The rule, whatever the numbers; "" where an operator from outside has none."""
    severity: Severity | None
    """How bad it is that it is broken; None where it holds."""
    message: str


class FieldHelp(Struct, frozen=True, kw_only=True):
    title: str
    about: str
    here: tuple[str, ...]
    """What it may hold, as the rules expect it of this desc at this level."""
    rules: tuple[RuleHelp, ...]


def field_help(one: Experiment, report: Report, key: str, rows: Collection[str]) -> FieldHelp:
    """The help for the form's row `key` among `rows`."""
    field = _field_of(one, key)
    known = frozenset(rows)
    own = [check for check in report.checks if _speaks_of(check.field, key, known, check.id)]
    near = [check for check in report.checks if any(_speaks_of(path, key, known, check.id) for path in check.related)]
    checks = [*own, *(check for check in near if check not in own)]
    return FieldHelp(
        title=key,
        about=_about(one, key, field),
        here=tuple(_here(own, key, field)),
        rules=tuple(sorted(_rules(one, checks), key=lambda rule: [*Severity, None].index(rule.severity))),
    )


def _field_of(one: Experiment, key: str) -> Field | None:
    return next((field for field in one.desc.FIELDS if field.name == name_of(key)), None)


def _speaks_of(path: str, key: str, rows: frozenset[str], rule: str) -> bool:
    if rule.startswith("values.") and f"{name_of(path)}.values" in rows:
        return key == f"{name_of(path)}.values"
    if row_of(path, rows) == key:
        return True
    return "[" not in path and name_of(key) == path and "[" in key and key.endswith("]")  # all of an array


OF_DOCUMENT = {
    "FeatureLevel": "What the DirectML device promises. Each feature level accepts all that the one below it accepts.",
    "DataType": "The type of the elements that are moved, in all tensors that have no type of their own.",
}
OF_TENSOR = {
    "values": "What it holds in the picture and in a run. It is no part of the desc.",
    "add": "Adds a tensor like the last one.",
    "DataType": "The type of its own elements.",
    "": "You type its Sizes.",
    "auto": "You type its Sizes (given); empty, they follow from the inputs (auto).",
}
MEMBER = "A member of its DML_BUFFER_TENSOR_DESC, which follows from its Sizes unless it is given."


def _about(one: Experiment, key: str, field: Field | None) -> str:
    if field is None:
        return OF_DOCUMENT.get(key, operator_of(one.desc).title)
    member = key.partition(".")[2] or "auto" * field.can_be_inferred
    own = OF_TENSOR.get(member, MEMBER) if field in one.desc.TENSORS else ""
    return f"{field.meaning} {own}".strip()


def _here(checks: Sequence[Check], key: str, field: Field | None) -> Iterator[str]:
    if field is not None and field.choices():
        yield ", ".join(map(_told, field.choices()))
        return
    # A tensor's members say it themselves.
    own = (check for check in checks if not check.field.startswith(f"{key}."))
    telling = (check for check in own if check.severity is Severity.ERROR or check.id.startswith("values."))
    expected = {told(check).expected: None for check in telling}
    if expected:
        yield ", ".join(expected)
    elif field is not None and field.bounds is not None:
        yield f"{field.bounds.low:,} to {field.bounds.high:,}"
    if field is not None and field.takes_letters:
        yield field.example


def _told(choice: Choice) -> str:
    return f"{choice.name} = {choice.value}{f' (≥{choice.since})' if choice.since is not None else ''}"


def _rules(one: Experiment, checks: Sequence[Check]) -> Iterator[RuleHelp]:
    op = operator_of(one.desc)
    for id_ in dict.fromkeys(check.id for check in checks):
        own = [check for check in checks if check.id == id_]
        broken = [check for check in own if not check.ok]
        first = (broken or own)[0]
        said = first.message if broken or len(own) == 1 else ""
        yield RuleHelp(id_, sentence_of(op, id_), None if first.ok else first.severity, said)
