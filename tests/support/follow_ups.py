"""Follow-ups of all lessons' steps by all wrong rules, held against what a follow-up has to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from msgspec import Struct

from dmlviz.teaching.diagnosis.practice import follow_up
from dmlviz.teaching.lessons.lessons import Step
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.tasks.tasks import AuthoredQuestion
from support.answering import asked_steps
from support.kinds import AUTHORED, OF_CHAINS

CHAIN = 3
"""Follow-ups of one step, each by the same wrong rule."""


class Case(Struct, frozen=True, kw_only=True):
    """A step that was answered by a wrong rule; by none where no rule answers it wrongly."""

    name: str
    step: Step
    question: AuthoredQuestion
    rule: str


@cache
def cases() -> list[Case]:
    """Every step of every lesson that a kind can ask again, with every wrong rule that it tells."""
    return [
        Case(name=f"{lesson.id} {step.number} {rule}", step=step, question=question, rule=rule)
        for lesson, step, question in asked_steps()
        if question.task.kind not in (*AUTHORED, *OF_CHAINS)
        for rule in question.answers or ("",)
    ]


def chain(case: Case, seed: int, count: int = CHAIN) -> list[Question]:
    """So many follow-ups, one after the other; fewer where there are no more."""
    asked: list[Question] = [case.question]
    for _ in range(count):
        question = follow_up(asked[-1], case.rule, seed=seed, before=asked[:-1])
        if question is None:
            break
        asked.append(question)
    return asked[1:]


def faults(case: Case, before: Sequence[Question], question: Question) -> Iterator[str]:
    """What a follow-up lacks; `before` are the questions that were asked, the step's own first."""
    own, desc = case.question, question.subject.desc
    if question.kind is not own.kind:
        yield f"it is of kind {question.kind.name}"
    if case.rule and question.answers.get(case.rule, question.truth) == question.truth:
        yield f"it doesn't tell {case.rule} from the truth"
    if desc in [other.subject.desc for other in before]:
        yield "its desc was seen"
    if isinstance(question, AuthoredQuestion):
        yield "it has an author's words"
    first, other = (next(part.tensor for part in one.inputs) for one in (desc, own.subject.desc))
    if first.dimension_count != other.dimension_count:
        yield f"its rank is {first.dimension_count}, not {other.dimension_count}"
    count, usual = (sum(part.tensor.element_count for part in one.parts) for one in (desc, own.subject.desc))
    if not usual / 5 <= count <= 4 * usual:
        yield f"it has {count} elements, not about {usual}"
    if not question.subject.moves:
        yield "nothing moves"
