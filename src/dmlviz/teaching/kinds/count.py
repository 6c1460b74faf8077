"""`count`: how often is an input element read?"""

from __future__ import annotations

from typing import Any

from ...desc.fields import Role
from ...operators.maps import Place
from ...operators.wrong_rules import Misreading
from ..questions.answers import Cell, read_integer
from ..questions.elements import Candidate, best, is_small, one
from ..questions.question import Answer, At, Question
from ..questions.subject import READ_AT_ONCE, Subject
from ..questions.wording import element, formula, is_read, look, map_blank, map_live
from .lib.destinations import data_cells, read_elements, where_it_goes
from .lib.element_kind import InputElementKind


class CountKind(InputElementKind):
    name = "count"
    confirms_elsewise = True
    alternatives = 12
    stage = 2
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid:
            return None
        dice = self.dice(subject, seed)
        if is_small(subject):
            found = read_elements(subject, dice, lambda goes, cell: len(goes.get(cell, ())))
        elif _needs_no_scan(subject):
            cells = list(data_cells(subject, dice))
            counts = [subject.trace.counts(k, one(i))[0] for k, i in cells]
            pairs = zip(cells, counts, strict=True)
            found = [Candidate(At(Place(False, k), i), 0, 0, int(n)) for (k, i), n in pairs if n >= 0]
        else:
            return None
        # Rules that say how often without a map are the same for many elements: they are held against each.
        own = [rule for rule in subject.rules if rule.reads is not None and subject.may_differ(rule)]
        found = [_with_own(subject, each, own) for each in found]
        chosen = best(found, dice)
        if chosen is None or (subject.rules and not chosen.told):
            return None
        return self.about(subject, seed, chosen.at)

    def prompt(self, subject: Subject, at: At) -> str:
        return subject.sentence("count.prompt", element=element(subject, at))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        subject, at = question.subject, question.at
        cell: Cell = (at.place.number, at.index)
        if rule is not None and rule.reads is not None:
            if not subject.may_differ(rule):
                return None
            return rule.reads(subject.desc, subject.spare, *cell)
        if not is_small(subject):
            return int(subject.trace.counts(cell[0], one(cell[1]))[0]) if rule is None else None
        reading = subject.reading(rule)
        goes = where_it_goes(subject, reading if reading.has_elements else subject.truth)
        return None if goes is None else len(goes.get(cell, ()))

    def read(self, question: Question, given: object) -> Answer:
        return read_integer(given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, map_blank(subject), str(question.truth)

    def says(self, question: Question) -> str:
        assert question.at is not None
        subject, at = question.subject, question.at
        goes = where_it_goes(subject, subject.truth) if is_small(subject) else None
        readers = goes.get((at.place.number, at.index), ()) if goes is not None else ()
        why = f"{formula(subject, *readers[0])}." if readers else map_live(subject)
        read = is_read(subject, question.truth)
        return subject.sentence("count.says", element=element(subject, at), read=read, why=why)


def _needs_no_scan(subject: Subject) -> bool:
    """True if counts follow from the desc alone, or from a few index values."""
    steers = [part.tensor for part in subject.desc.inputs if part.field.role is not Role.DATA]
    return not subject.operator.reads_vary or all(each.element_count <= READ_AT_ONCE for each in steers)


def _with_own(subject: Subject, each: Candidate, rules: list[Misreading[Any]]) -> Candidate:
    """The candidate with rules that say by themselves how often an element is read."""
    wrong = set()
    for rule in rules:
        assert rule.reads is not None
        given = rule.reads(subject.desc, subject.spare, each.at.place.number, each.at.index)
        if given != each.truth:
            wrong.add(given)
    return Candidate(each.at, each.told + len(wrong), each.apart + len(wrong), each.truth)


KIND = CountKind()
