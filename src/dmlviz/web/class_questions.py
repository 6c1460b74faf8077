"""What phones are asked of one experiment, how what they send is read and graded, and what is said to it afterwards."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..recording.tasks import WITH_FORM
from ..teaching.asked import json_of, task_of
from ..teaching.questions.looking import without_keys
from ..teaching.questions.question import Question, Reply
from ..workspace.wall.presented_item import Item, in_words, rule_name
from .class_room import Given

MOST_WORDS = 120
"""Characters of an answer that is read aloud."""


class ClassQuestion(Struct, frozen=True, kw_only=True, dict=True):
    """One experiment's question, as phones are asked it."""

    item: Item
    question: Question
    number: int
    """The experiment's, from 0."""
    key: str
    """As `Presenting.question_key` has it."""
    form: str
    """As `Task.form` has it."""
    letters: bool
    """The answers are the wall's, by letter."""
    fragment: str
    """What a phone shows while it is open: nothing of the truth is in it."""

    @cached_property
    def id(self) -> str:
        """What stands for the fragment: it follows from what everybody may see."""
        return hashlib.sha256(f"{self.number} {self.fragment}".encode(errors="surrogatepass")).hexdigest()[:24]

    def shown_id(self, secret: bytes) -> str:
        """What stands for the picture that is shown once the answer is told; nobody guesses it."""
        return hmac.new(secret, f"shown {self.number}".encode(), hashlib.sha256).hexdigest()[:24]

    # ---- an answer

    def read(self, text: str) -> Given:
        """What a phone sent, graded. Raises DmlvizError, one sentence, for what can't be read."""
        if self.letters:
            answer = next((answer for answer in self.item.answers if answer.id == text), None)
            if answer is None:
                letters = ", ".join(answer.id for answer in self.item.answers)
                raise DmlvizError(f"answer is {quote(text)}, expected one of {letters}.")
            given, words = answer.given, " ".join(filter(None, (answer.id, answer.text)))
        else:
            given = self.question.kind.form.read(self.question, self._json_of(text))
            words = self.words_of(given)
        verdict = self.question.verdict_on(given)
        json = self.question.kind.form.json(given)
        return Given(text=text, words=words, answer=json, right=verdict.right, rules=verdict.rules)

    def _json_of(self, text: str) -> Any:
        """The JSON of an answer as a phone has it. Raises DmlvizError."""
        if not text.strip() and not task_of(self.question).takes_none:
            raise DmlvizError(self.question.subject.sentence("page.answer_first"))
        return json_of(self.question, text)

    # ---- what is said of it

    def words_of(self, answer: Any) -> str:
        """An answer as a person reads it, in at most MOST_WORDS characters."""
        json = self.question.kind.form.json(answer)
        told = {choice.id: choice.text or choice.id for choice in self.question.choices}
        if isinstance(json, list) and json and all(isinstance(each, str) and each in told for each in json):
            words = "; ".join(told[each] for each in json)
        else:
            words = in_words(self.question, json) or str(json)
        return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 1]}…"

    def verdict(self, given: Given) -> Reply:
        """What is said to an answer."""
        return self.question.verdict_on(self.question.kind.form.read(self.question, given.answer))

    def look(self, verdict: Reply) -> str:
        """Where to look, as a page says it."""
        return without_keys(self.question.subject, verdict.look) if not verdict.right else ""

    def rule_of(self, rules: Iterable[str]) -> str:
        """The first of some wrong rules, with its name; "" for none."""
        return next((rule_name(self.question, rule) for rule in rules), "")

    @property
    def truth(self) -> str:
        """The right answer in words."""
        if self.letters:
            right = [answer for answer in self.item.answers if answer.right]
            return ", ".join(" ".join(filter(None, (answer.id, answer.text))) for answer in right)
        return self.words_of(self.question.truth)


def question_of(item: Item, number: int, key: str, *, own_pace: bool) -> ClassQuestion | None:
    """The question of experiment `number`, from 0; None where a phone can't ask it.

    Its answers are the wall's, by letter, where that has some; at one's `own_pace` there is no wall to look at.
    """
    from .class_page import form_of, question_fragment

    question = item.question
    if question is None or question.kind.form.name in WITH_FORM:
        return None
    lettered = not own_pace and bool(item.answers)
    form = form_of(item, letters=lettered, alone=own_pace)
    fragment = question_fragment(item, letters=lettered, alone=own_pace) if form is not None else None
    if form is None or fragment is None:
        return None
    return ClassQuestion(
        item=item, question=question, number=number, key=key, form=form, letters=lettered, fragment=fragment
    )
