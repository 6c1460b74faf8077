"""The options of a question, the cursor among them, and what is chosen so far."""

from __future__ import annotations

import string
from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError
from ...teaching.kinds.level import DescAnswer
from ...teaching.questions.question import Question, Reply
from ...teaching.tasks.offered_fixes import Offered, offered
from .answering import LEVEL_NAMES, VALID, choice_json, first_sentence
from .ask_state import Form, Option


class Options:
    """What can be chosen or marked; none where a question is answered otherwise."""

    def __init__(self, question: Question, form: Form) -> None:
        self._question, self._form = question, form
        self.offered: tuple[Offered, ...] = offered(question) if question.kind.name == "fixes" else ()
        """The fixes that the options are, in their order; none for other kinds."""
        self._options = self._all_options()
        self._at: int | None = None
        """The option under the cursor, which nobody has moved yet for None."""
        self.chosen: list[str] = []
        """Names of options."""

    def _all_options(self) -> list[Option]:
        """Every option of the question, in order; [] where it is answered otherwise."""
        question, name = self._question, self._question.kind.name
        if name == "promised":
            return [Option(letter, option.text) for letter, option in zip("ab", question.options, strict=True)]
        if self.offered:
            return [
                Option(letter, offer.text) for letter, offer in zip(string.ascii_lowercase, self.offered, strict=False)
            ]
        if self._form is Form.LEVEL:
            return [Option(level, level) for level in LEVEL_NAMES]
        choices = [Option(choice.id, choice.text, choice.picture) for choice in question.choices]
        return [Option(VALID, question.subject.sentence("valid.option")), *choices] if name == VALID else choices

    # ---- what a user does

    def move(self, by: int) -> None:
        """Takes the cursor so many options on, and from the last to the first; the first move leads to an end.

        Where one of them is the answer, that is the one under the cursor.
        """
        if self._at is None:
            by, self._at = by - 1 if by > 0 else by, 0
        self._at = (self._at + by) % len(self._options)
        if self._takes_one:
            self.chosen = [self._options[self._at].id]

    def mark(self) -> bool:
        """Chooses what the cursor is on, or takes it back; False where it is on nothing yet."""
        if self._at is not None:
            self._toggle(self._options[self._at].id)
        return self._at is not None

    def choose(self, id_: str) -> bool:
        """Takes the cursor to an option and chooses it, or takes it back; False where there is none of that name."""
        at = self._number_of(id_)
        if at is None:
            return False
        self._at = at
        self._toggle(id_)
        return True

    @property
    def _takes_one(self) -> bool:
        """True if one option is the answer."""
        return self._form in (Form.CHOICE, Form.LEVEL)

    def _number_of(self, id_: str) -> int | None:
        """Which option has an id, from 0; None where none has."""
        return next((k for k, option in enumerate(self._options) if option.id == id_), None)

    def _toggle(self, id_: str) -> None:
        """Chooses an option, in place of the last where one is chosen; of several, takes a chosen one back."""
        if self._takes_one:
            self.chosen = [id_]
        elif id_ in self.chosen:
            self.chosen.remove(id_)
        elif id_ == VALID:
            self.chosen = [VALID]
        else:
            self.chosen = [id_ for id_ in self.chosen if id_ != VALID] + [id_]

    # ---- the answer

    def json(self) -> Any:
        """The answer as JSON has it. Raises DmlvizError, which says what to choose, where it isn't all chosen."""
        question, chosen = self._question, self.chosen
        if not chosen:
            raise DmlvizError(first_sentence(question))
        if self._form is Form.LIST:
            return [id_ for id_ in chosen if id_ != VALID]
        (id_,) = chosen
        if self.offered:
            at = self._number_of(id_)
            assert at is not None
            return question.kind.form.json(DescAnswer(self.offered[at].desc))
        return choice_json(question, id_)

    # ---- what is shown

    def open(self) -> tuple[Option, ...]:
        """The options while the question is open."""
        return tuple(
            replace(option, chosen=option.id in self.chosen, at=k == self._at) for k, option in enumerate(self._options)
        )

    def revealed(self, verdict: Reply | None) -> tuple[Option, ...]:
        """The options after the reveal; None for a question that was skipped."""
        true = self._right_ids()
        chosen, one_of = set(self.chosen), self._takes_one
        options = []
        for option in self._options:
            mine, meant = option.id in chosen, option.id in true
            if meant:
                mark = "right" if mine or one_of or verdict is None else "missed"
            else:
                mark = "wrong" if mine else ""
            options.append(replace(option, chosen=mine, at=False, verdict=mark))
        return tuple(options)

    def _right_ids(self) -> set[str]:
        """The ids of the options that are right."""
        truth, name = self._question.truth, self._question.kind.name
        if name == "promised":
            return {"a" if truth else "b"}
        if self.offered:
            return {option.id for option, offer in zip(self._options, self.offered, strict=True) if offer.mends}
        if self._form is Form.LIST:
            return set(truth) or ({VALID} if name == VALID else set())
        return {truth}
