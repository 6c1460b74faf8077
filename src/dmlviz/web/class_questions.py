"""What phones are asked of one experiment, how what they send is read and graded, and what is said to it afterwards."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from ..desc.indexing import index_in
from ..errors import DmlvizError, quote
from ..recording.tasks import FORMS, choice_json
from ..teaching.questions.answers import FROM_NOWHERE_JSON
from ..teaching.questions.looking import on_page
from ..teaching.questions.question import Question, Verdict
from ..workspace.asking.answering import typed_json
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
    """One of `recording.tasks.FORMS`' values."""
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
            given = self.question.kind.read(self.question, self._json_of(text))
            words = self.words_of(given)
        verdict = self.question.verdict_on(given)
        json = self.question.kind.json(given)
        return Given(text=text, words=words, answer=json, right=verdict.right, rules=verdict.rules)

    def _json_of(self, text: str) -> Any:
        """The JSON of an answer as a phone has it. Raises DmlvizError."""
        question, form, given = self.question, self.form, text.strip()
        if form == "choice":
            if not given:
                raise DmlvizError(question.subject.sentence("page.choice_first"))
            return choice_json(question, given)
        if form == "choices":
            return given.split()
        if form in ("input", "inputs", "outputs"):
            cells = [self._cell(each) for each in given.split()]
            if form != "input":
                return cells
            if not cells and question.kind.takes_nowhere(question.subject):
                return FROM_NOWHERE_JSON
            if len(cells) != 1:
                raise DmlvizError(question.subject.sentence("page.input_first"))
            return cells[0]
        if form == "sizes":
            given = re.sub(r"[{}\[\]()]", " ", given)
        if form == "values" and isinstance(question.truth, tuple):
            return typed_json(question, re.split(r"[\s,;]+", given))
        return typed_json(question, [given.replace(";", " ")])

    def _cell(self, text: str) -> Mapping[str, Any]:
        """A cell `tensor:flat` as JSON. Raises DmlvizError."""
        outputs = self.form == "outputs"
        desc = self.question.subject.desc
        parts = desc.outputs if outputs else desc.inputs
        match = re.fullmatch(r"(\d{1,5}):(\d{1,12})", text)
        if match is None or int(match[1]) >= len(parts):
            raise DmlvizError(f"answer holds {quote(text)}, expected TENSOR:ELEMENT.")
        number, flat = int(match[1]), int(match[2])
        sizes = parts[number].tensor.sizes
        if flat >= parts[number].tensor.element_count:
            raise DmlvizError(f"answer holds {quote(text)}, expected an element of {parts[number].path}.")
        return {"output" if outputs else "tensor": number, "index": list(index_in(flat, sizes))}

    # ---- what is said of it

    def words_of(self, answer: Any) -> str:
        """An answer as a person reads it, in at most MOST_WORDS characters."""
        json = self.question.kind.json(answer)
        told = {choice.id: choice.text or choice.id for choice in self.question.choices}
        if isinstance(json, list) and json and all(isinstance(each, str) and each in told for each in json):
            words = "; ".join(told[each] for each in json)
        else:
            words = in_words(self.question, json) or str(json)
        return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 1]}…"

    def verdict(self, given: Given) -> Verdict:
        """What is said to an answer."""
        return self.question.verdict_on(self.question.kind.read(self.question, given.answer))

    def look(self, verdict: Verdict) -> str:
        """Where to look, as a page says it."""
        return on_page(self.question, verdict.look) if not verdict.right else ""

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
    if question is None or question.kind.name not in FORMS:
        return None
    lettered = not own_pace and bool(item.answers)
    form = form_of(item, letters=lettered, alone=own_pace)
    fragment = question_fragment(item, letters=lettered, alone=own_pace) if form is not None else None
    if form is None or fragment is None:
        return None
    return ClassQuestion(
        item=item, question=question, number=number, key=key, form=form, letters=lettered, fragment=fragment
    )
