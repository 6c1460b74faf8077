"""The options of a question, the cursor among them, and what is chosen so far."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError
from ...teaching.asked import json_of
from ...teaching.kinds.lib.forms import CHOICE
from ...teaching.kinds.whole_descs import DescAnswer
from ...teaching.questions.question import Question
from ...teaching.questions.subject import LETTERS
from ...teaching.tasks.own_tasks import Offered, offered
from .answering import VALID, first_sentence
from .ask_state import Option


class Options:
    """What can be chosen or marked; none where a question is answered otherwise."""

    def __init__(self, question: Question) -> None:
        self._question, self.form = question, question.kind.form
        """How it is answered here: a desc that mends another is chosen among edits."""
        edits = self.form.how == "edit" and question.goal is None
        self.offered: tuple[Offered, ...] = offered(question) if edits else ()
        """The edits that the options are, in their order."""
        self._options = [Option(*lettered) for lettered in zip(LETTERS, (e.text for e in self.offered), strict=False)]
        if edits:
            self.form = CHOICE
        elif self.form.how == "tick":
            valid = Option(VALID, question.subject.sentence("valid.option"))
            self._options = [valid, *(Option(choice.id, choice.text) for choice in question.options)]
        elif self.form.in_row:
            self._options = [Option(choice.id, choice.id) for choice in question.options]
        elif self.form.is_listed:
            lettered = zip(LETTERS, question.options, strict=False)
            self._options = [Option(letter, choice.text, choice.picture) for letter, choice in lettered]
        self._at: int | None = None
        """The option under the cursor, which nobody has moved yet for None."""
        self.chosen: list[str] = []
        """Names of options."""

    # ---- what a user does

    def move(self, by: int) -> None:
        """Takes the cursor so many options on, and from the last to the first; the first move leads to an end.

        Where one of them is the answer, that is the one under the cursor.
        """
        if self._at is None:
            by, self._at = by - 1 if by > 0 else by, 0
        self._at = (self._at + by) % len(self._options)
        if not self.form.takes_several:
            self.chosen = [self._options[self._at].id]

    def mark(self) -> bool:
        """Chooses what the cursor is on, or takes it back; False where it is on nothing yet."""
        return self._at is not None and self.choose(self._options[self._at].id)

    def choose(self, id_: str) -> bool:
        """Takes the cursor to an option and chooses it, or takes it back; False where there is none of that name."""
        ids = [option.id for option in self._options]
        if id_ not in ids:
            return False
        self._at = ids.index(id_)
        if not self.form.takes_several or (id_ == VALID and VALID not in self.chosen):
            self.chosen = [id_]
        elif id_ in self.chosen:
            self.chosen.remove(id_)
        else:
            self.chosen = [each for each in self.chosen if each != VALID] + [id_]
        return True

    def json(self) -> Any:
        """The answer as JSON has it. Raises DmlvizError, which says what to choose, where it isn't all chosen."""
        if not self.chosen:
            raise DmlvizError(first_sentence(self._question))
        if self.form.takes_several:
            return json_of(self._question, " ".join(self.chosen))
        return self._json(next(k for k, option in enumerate(self._options) if option.id in self.chosen))

    def _json(self, number: int) -> Any:
        """The answer that one of the options is."""
        question = self._question
        if self.offered:
            return question.kind.form.json(DescAnswer(self.offered[number].desc))
        return json_of(question, question.options[number].id)

    # ---- what is shown

    def open(self) -> tuple[Option, ...]:
        """The options while the question is open."""
        return tuple(
            replace(option, chosen=option.id in self.chosen, at=k == self._at) for k, option in enumerate(self._options)
        )

    def revealed(self, *, skipped: bool) -> tuple[Option, ...]:
        """The options after the reveal."""
        several, options = self.form.takes_several, list[Option]()
        for k, option in enumerate(self._options):
            mine = option.id in self.chosen
            if self._is_right(k, option):
                mark = "missed" if several and not (mine or skipped) else "right"
            else:
                mark = "wrong" if mine else ""
            options.append(replace(option, chosen=mine, verdict=mark))
        return tuple(options)

    def _is_right(self, number: int, option: Option) -> bool:
        question = self._question
        if self.offered:
            return self.offered[number].mends
        if self.form.takes_several:
            return option.id in (question.truth or (VALID,))
        return bool(question.kind.form.read(question, self._json(number)) == question.truth)
