"""`count`: how often is an input element read?"""

from __future__ import annotations

import random
from typing import Any

from msgspec.structs import replace

from ...desc.fields import Role
from ...operators.wrong_rules import Misreading
from ..questions.answers import read_integer
from ..questions.elements import Candidate, best_candidate, index_arrays, is_small
from ..questions.question import Answer, At, Question
from ..questions.subject import READ_AT_ONCE, Subject
from ..questions.wording import element_text, formula, look, map_blank, map_live, times_read
from .lib.destinations import candidates_by_readers, data_cells, readers
from .lib.element_kind import InputElementKind


class CountKind(InputElementKind):
    """Asks how often an input element is read; the answer is an integer."""

    name = "count"
    confirms_elsewise = True
    alternatives = 12
    stage = 2

    def choose(self, subject: Subject, dice: random.Random) -> At | None:
        if is_small(subject):
            cells = candidates_by_readers(subject, dice, len)
        elif _needs_no_scan(subject):
            counts = (
                (cell, subject.trace.counts(cell[0], index_arrays(cell[1]))[0]) for cell in data_cells(subject, dice)
            )
            cells = [Candidate(At.input(*cell), 0, 0, int(count)) for cell, count in counts if count >= 0]
        else:
            return None
        # Rules that say how often without a map are the same for many elements: they are held against each.
        own = [rule for rule in subject.rules if rule.reads is not None and subject.may_differ(rule)]
        chosen = best_candidate([_told_apart_by(subject, cell, own) for cell in cells], dice)
        return None if chosen is None or (subject.rules and not chosen.told) else chosen.at

    def prompt(self, subject: Subject, at: At) -> str:
        return subject.sentence("count.prompt", element=element_text(subject, at))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject, at = question.subject, question.element
        if rule is not None and rule.reads is not None:
            differs = subject.may_differ(rule)
            return rule.reads(subject.desc, subject.trace.read, at.place.number, at.index) if differs else None
        if not is_small(subject):
            return int(subject.trace.counts(at.place.number, index_arrays(at.index))[0]) if rule is None else None
        cells = readers(subject, at, rule)
        return None if cells is None else len(cells)

    def read(self, question: Question, given: object) -> int:
        return read_integer(given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, map_blank(subject), str(question.truth)

    def says(self, question: Question) -> str:
        subject, at = question.subject, question.element
        cells = readers(subject, at, None) if is_small(subject) else None
        why = f"{formula(subject, At.output(*cells[0]))}." if cells else map_live(subject)
        read = times_read(subject, question.truth)
        return subject.sentence("count.says", element=element_text(subject, at), read=read, why=why)


def _needs_no_scan(subject: Subject) -> bool:
    """True if counts follow from the desc alone, or from a few index values."""
    steers = [part.tensor for part in subject.desc.inputs if part.field.role is not Role.DATA]
    return not subject.operator.reads_vary or all(tensor.element_count <= READ_AT_ONCE for tensor in steers)


def _told_apart_by(subject: Subject, cell: Candidate, rules: list[Misreading[Any]]) -> Candidate:
    """The candidate, told apart also by `rules`, which say how often an element is read without a map."""
    counts = {
        rule.reads(subject.desc, subject.trace.read, cell.at.place.number, cell.at.index)
        for rule in rules
        if rule.reads
    }
    wrong = len(counts - {cell.truth})
    return replace(cell, told=cell.told + wrong, apart=cell.apart + wrong)


KIND = CountKind()
