"""What came of an answer: where it differs from the truth, and what is said about it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.tensors import braces
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...teaching.questions.answers import shown
from ...teaching.questions.question import Question, Reply
from ...teaching.questions.wording import names_memory, origin_text
from ...teaching.tasks.tasks import AuthoredQuestion
from .ask_state import Form

IN_EXPLORER = re.compile(r"^\w,|\b[a-z_]+\.[a-z_]+")
"""Finds the places that the explorer alone has: `m, memory` by its key, `rule sizes.match` by the id of a check."""


class Outcome(Struct, frozen=True, dict=True):
    """An answer, and the verdict on it."""

    question: Question
    form: Form
    verdict: Reply | None
    """None where the question was skipped."""
    given: Any
    """The answer as JSON has it."""
    places: tuple[Cursor, ...]
    """The cells that were typed into."""
    shows_memory: bool = False
    """`m` shows linear memory where this is told, as in the explorer."""

    @cached_property
    def differing(self) -> dict[Cursor, str]:
        """The output elements about which the answer was wrong, and what it said of them; {} where it names none."""
        question, given = self.question, self.given
        if self.verdict is None or self.verdict.right or given is None:
            return {}
        if self.form is Form.CELLS:
            answer = question.kind.form.read(question, given)
            pairs = zip(self.places, answer, question.truth, strict=True)
            return {cursor: shown(answered) for cursor, answered, true in pairs if answered != true}
        if question.kind.name == "cell":
            return {self.places[0]: shown(question.kind.form.read(question, given))}
        if question.kind.name == "pictures":
            compared = self.compared
            return {cursor: text for cursor, (text, same) in compared.items() if not same}
        return {}

    @cached_property
    def compared(self) -> dict[Cursor, tuple[str, bool]]:
        """For four pictures: every element, what the chosen picture says of it, and whether that is so."""
        question = self.question
        drawn = {choice.id: choice.picture for choice in question.choices}
        wrong, true = drawn[self.given], drawn[question.truth]
        assert wrong is not None
        assert true is not None
        compared = {}
        for k, ((sizes, mine), (_, right)) in enumerate(zip(wrong.outputs, true.outputs, strict=True)):
            place = question.at.place if question.at is not None else Place(True, k)
            start = question.at.index if question.at is not None else (0,) * len(sizes)
            for inner, a, b in zip(np.ndindex(*sizes), mine, right, strict=True):
                index = tuple(x + y for x, y in zip(start, inner, strict=True))
                compared[Cursor(place, index)] = shown(a), a == b
        return compared

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What came of it, a sentence a line."""
        question, verdict = self.question, self.verdict
        if verdict is None:
            answer, why = question.hint(4), question.kind.says(question)
            skipped = self._sentence("verdict.skipped", answer=answer)
            return (skipped, why) if why != answer else (skipped,)
        if verdict.right:
            return (verdict.says,)
        lines = []
        known = [question.rule(rule) for rule in verdict.rules if question.knows(rule)]
        names = [rule.name for rule in known[:2]]
        if names:
            listed_names = self._sentence("practice.or").join(names)
            whose = self._sentence("verdict.answer_of", names=listed_names)
            if question.kind.name == "pictures":
                whose = self._sentence("verdict.picture_of", letter=self.given, names=listed_names)
            lines.append(whose)
        lines.append(verdict.says)
        if known:
            lines.append(self._sentence("verdict.look", look=self._with_way(verdict.look)))
        elif isinstance(question, AuthoredQuestion) and question.task.look is not None:
            lines.append(self._sentence("verdict.look", look=verdict.look))
        score = self._score
        return (*lines, score) if score else tuple(lines)

    def _sentence(self, key: str, **values: Any) -> str:
        """The sentence of that key."""
        return self.question.subject.sentence(key, **values)

    def _with_way(self, look: str) -> str:
        """A place to look, with the way to it where it isn't on the screen of a question, but in the explorer."""
        is_here = self.shows_memory and names_memory(look) and ";" not in look
        return look if is_here or not IN_EXPLORER.search(look) else self._sentence("verdict.explorer", look=look)

    @property
    def _score(self) -> str:
        """How much of the answer was right, where it has parts; where not, both answers; "" for other choices."""
        question, given = self.question, self.given
        if question.kind.name == "pictures":
            compared = self.compared
            same = sum(same for _, same in compared.values())
            yours = self._sentence("verdict.yours") if same < len(compared) else ""
            return self._sentence("verdict.cells", same=same, count=len(compared)) + yours
        if self.form is Form.CELLS:
            same = len(self.places) - len(self.differing)
            return self._sentence("verdict.cells", same=same, count=len(self.places)) + self._sentence("verdict.yours")
        if self.form.is_marked or self.form is Form.LIST:
            answer, truth = set(question.kind.form.read(question, given)), set(question.truth)
            if not truth and self.form is Form.LIST:
                return self._sentence("verdict.is_valid")
            if not truth:
                return self._sentence("verdict.none_marked", count=len(answer))
            hits, wrong = len(answer & truth), len(answer - truth) + (self.form is Form.LIST and not answer)
            return self._sentence("verdict.marked", hits=hits, count=len(truth), wrong=wrong)
        if self.form.is_typed:
            joint = self._sentence("words.joint")
            answered = worded(question.kind.form.read(question, given), joint)
            return self._sentence("verdict.said", said=answered, true=worded(question.truth, joint))
        if self.form is Form.POINT:
            true = origin_text(question.subject, question.truth)
            student = origin_text(question.subject, question.kind.form.read(question, given))
            return self._sentence("verdict.said", said=student, true=true)
        if self.form is Form.LEVEL:
            return self._sentence("verdict.said", said=given or self._sentence("verdict.none"), true=question.truth)
        if question.kind.of_chains and self.verdict is not None and self.verdict.rules:
            return question.kind.says(question)  # no picture shows the way through all stages
        return ""


def worded(answer: Any, joint: str) -> str:
    """An answer as a person writes it: `{4, 2}`, `3`; `joint` stands between the sizes of two outputs."""
    if isinstance(answer, tuple):
        if answer and isinstance(answer[0], tuple):
            return joint.join(braces(sizes) for sizes in answer)
        return braces(answer)
    return shown(answer)
