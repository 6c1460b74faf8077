"""What came of an answer: where it differs from the truth, and what is said about it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.tensors import braces
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...teaching.questions.question import Form, Question, Reply
from ...teaching.questions.subject import NOTHING, shown
from ...teaching.questions.wording import names_memory, origin_text, without_keys
from ...teaching.tasks.tasks import AuthoredQuestion


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
    def answer(self) -> Any:
        """The answer as `Question.truth` is."""
        return self.question.kind.form.read(self.question, self.given)

    @cached_property
    def differing(self) -> dict[Cursor, str]:
        """The output elements about which the answer was wrong, and what it said of them; {} where it names none."""
        if self.verdict is None or self.verdict.right:
            return {}
        if self.places:
            answers, truths = (each if self.form.fills else (each,) for each in (self.answer, self.question.truth))
            pairs = zip(self.places, answers, truths, strict=True)
            return {cursor: shown(answered) for cursor, answered, true in pairs if answered != true}
        return {cursor: text for cursor, (text, same) in self.compared.items() if not same}

    @cached_property
    def compared(self) -> dict[Cursor, tuple[str, bool]]:
        """Of a choice of pictures every element, what the chosen one says of it, and whether that is so; {} else."""
        question, compared = self.question, dict[Cursor, tuple[str, bool]]()
        drawn = {choice.id: choice.picture for choice in question.choices if choice.picture is not None}
        if not drawn:
            return {}
        pairs = zip(drawn[self.given].outputs, drawn[question.truth].outputs, strict=True)
        for k, ((sizes, mine), (_, right)) in enumerate(pairs):
            place = question.at.place if question.at is not None else Place(True, k)
            start = question.at.index if question.at is not None else (0,) * len(sizes)
            for inner, a, b in zip(np.ndindex(*sizes), mine, right, strict=True):
                index = tuple(x + y for x, y in zip(start, inner, strict=True))
                compared[Cursor(place, index)] = shown(a), a == b
        return compared

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What came of it, a sentence a line."""
        question, verdict, say = self.question, self.verdict, self.question.subject.sentence
        if verdict is None:
            answer, why = question.hint(4), question.kind.says(question)
            skipped = say("verdict.skipped", answer=answer)
            return (skipped, why) if why != answer else (skipped,)
        if verdict.right:
            return (verdict.says,)
        lines, known = [], [question.rule(rule) for rule in verdict.rules if question.knows(rule)]
        if known:
            names = say("practice.or").join(rule.name for rule in known[:2])
            told = say("verdict.picture_of", letter=self.given, names=names) if self.compared else ""
            lines.append(told or say("verdict.answer_of", names=names))
        lines.append(verdict.says)
        if known:
            is_here = self.shows_memory and names_memory(verdict.look)
            look = verdict.look if is_here else without_keys(question.subject, verdict.look)
            lines.append(say("verdict.look", look=look))
        elif isinstance(question, AuthoredQuestion) and question.task.look is not None:
            lines.append(say("verdict.look", look=verdict.look))
        score = self._score
        return (*lines, score) if score else tuple(lines)

    @property
    def _score(self) -> str:
        """How much of the answer was right, where it has parts; where not, both answers; "" for other choices."""
        say, truth = self.question.subject.sentence, self.question.truth
        if self.compared or self.form.fills:
            count = len(self.compared or self.places)
            wrong = len(self.differing)
            return say("verdict.cells", same=count - wrong, count=count) + (say("verdict.yours") if wrong else "")
        if self.form.takes_several:
            answers, truths, listed = {*self.answer}, {*truth}, self.form.is_listed
            if not truths:
                return say("verdict.is_valid") if listed else say("verdict.none_marked", count=len(answers))
            wrong = len(answers - truths) + (listed and not answers)
            return say("verdict.marked", hits=len(answers & truths), count=len(truths), wrong=wrong)
        if self.form.is_typed or self.form.is_pointed or self.form.in_row:
            return say("verdict.said", said=self._worded(self.answer), true=self._worded(truth))
        is_named = self.question.kind.of_chains and self.verdict is not None and self.verdict.rules
        return self.question.kind.says(self.question) if is_named else ""  # no picture shows the way through all stages

    def _worded(self, answer: Any) -> str:
        """An answer as a person writes it: `{4, 2}`, `3`, `InputTensor[2,0]`."""
        subject = self.question.subject
        if self.form.is_pointed:
            return origin_text(subject, answer)
        if isinstance(answer, tuple):
            parts = answer if answer and isinstance(answer[0], tuple) else (answer,)
            return subject.sentence("words.joint").join(map(braces, parts))
        return subject.sentence("words.none") if answer in NOTHING else shown(answer)
