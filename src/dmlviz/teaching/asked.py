"""A question as every front end asks it, without anything of its truth, and what is said to an answer to it.

An answer is one text: a choice `b`, several `a d`, numbers and sizes `3 5 nan`, cells `0:7 0:8` by tensor and place in
row-major order, "" for no cell; a desc is its JSON.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from .questions.question import Choice, Question, Reply
from .questions.subject import Answer, How, Side
from .questions.wording import element_text


class Task(Struct, frozen=True, kw_only=True):
    """What is asked while it is open."""

    prompt: str
    about: str
    """The element that is asked about, as `OutputTensor[1,0]`; "" where the question is about no single one."""
    form: str
    """The name of how an answer is given, see `Form`."""
    how: How
    options: tuple[Choice, ...] = ()
    side: Side = ""
    takes_none: bool = False
    """An answer may be that nothing fits, or that an element comes from nowhere."""
    facts: tuple[tuple[str, tuple[int, ...], tuple[Any, ...]], ...] = ()
    """What is known of a chain: text, sizes and values line by line."""
    cover: frozenset[str] = frozenset()
    """As `Question.hidden` has it."""


def task_of(question: Question) -> Task:
    """What a question asks."""
    form, at = question.kind.form, question.at
    is_about = at is not None and bool(at.index) and not question.choices
    return Task(
        prompt=question.prompt,
        about=element_text(question.subject, at) if is_about and at is not None else "",
        form=form.name,
        how=form.how,
        options=question.options,
        side=form.side,
        takes_none=form.takes_several or question.kind.takes_nowhere(question.subject),
        facts=tuple(question.kind.lines(question)),
        cover=question.hidden,
    )


def reply_to(question: Question, text: str) -> Reply:
    """Grades an answer. Raises DmlvizError, one sentence, for a text that is none."""
    return question.grade(json_of(question, text))


def json_of(question: Question, text: str) -> Any:
    """The JSON of an answer's text, which a person may have typed. Raises DmlvizError, with a sentence."""
    return question.kind.form.typed(question, text)


def text_of(question: Question, answer: Answer) -> str:
    """The text of an answer, equal for equal answers."""
    return question.kind.form.text(question, answer)
