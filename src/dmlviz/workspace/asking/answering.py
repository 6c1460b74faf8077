"""An answer: what is chosen, typed or marked of a question so far, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.fields import Role
from ...desc.indexing import flat_in
from ...desc.tensors import braces
from ...errors import DmlvizError
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...scene.look import EntryKind
from ...scene.steps.order import Unit
from ...session.experiments import Experiment
from ...teaching.asked import json_of
from ...teaching.kinds.lib.forms import CHOICE
from ...teaching.kinds.whole_descs import DescAnswer
from ...teaching.questions.question import Question, Reply
from ...teaching.questions.subject import FROM_NOWHERE, LETTERS, NOTHING, shown
from ...teaching.questions.wording import origin_text, without_keys
from ...teaching.tasks.own_tasks import Offered, offered
from ...teaching.tasks.tasks import AuthoredQuestion
from .ask_state import Option
from .asked_desc import places_of

MOST_TYPED = 48
"""Characters of a number, or of a list of them."""
VALID = "valid"
"""The option that no rule is broken."""
NONE = "none"
"""The option that no level takes a desc, that no element is to be marked, or that one comes from nowhere."""
SEPARATORS = ", "
"""What parts numbers, and cells that are typed into."""
Signs = list[tuple[Cursor, EntryKind, str]]
"""Signs and texts that stand on elements of the picture."""
KEYS = frozenset(f"0123456789-.{SEPARATORS}")
"""The characters of numbers, and what parts them."""


def hides_drawn(question: Question) -> bool:
    """True where a question hides what a picture would show: a field, an input, or the sizes of a tensor."""
    desc = question.subject.desc
    shown = {*desc.attributes}
    shown |= {path for part in desc.inputs for path in (part.path, f"{part.path}.Sizes")}
    if question.kind.draws_outputs:
        shown |= {f"{part.path}.Sizes" for part in desc.outputs}
    # `Repeats[1]` and `InputTensor.Sizes[0]` are hidden with all of theirs.
    return any(path in shown or path.rpartition("[")[0] in shown for path in question.hidden)


def hides_memory(question: Question) -> bool:
    """True where an open question hides linear memory, or is about it: its own picture is no answer."""
    return question.kind.about_memory or "memory" in question.hidden


def unit_of(question: Question | None, one: Experiment) -> Unit:
    """What a step writes once the answer is told: a copy where memory is asked about, else what its author likes."""
    if question is not None and question.kind.about_memory:
        return Unit.COPY
    return Unit(one.view.view.unit or Unit.SLICE)


def first_sentence(question: Question) -> str:
    """What is to be chosen or typed first, and how; a desc is chosen among edits that are offered."""
    form, count = question.kind.form, len(question.truth) if isinstance(question.truth, tuple) else 1
    key = "ask.mark_first" if form.is_marked else "ask.point_first" if form.is_pointed else "ask.choose_first"
    key, nowhere = "ask.type_first" if form.is_typed else key, int(question.kind.takes_nowhere(question.subject))
    return question.subject.sentence(key, count=count, nowhere=nowhere, side=form.side)


class Answering:
    """The answer to one question. Its methods are what a user does to it, until there is a verdict.

    `look` brings the cell that is typed into into sight.
    """

    def __init__(self, question: Question, look: Callable[[Cursor], None]) -> None:
        self._look, self.sentence = look, ""
        """Why it can't be taken; "" for no reason yet."""
        self.question, self.form = question, question.kind.form
        edits = self.form.how == "edit" and question.goal is None
        self.offered: tuple[Offered, ...] = offered(question) if edits else ()
        """The edits that the options are, in their order: a desc that mends another is chosen among them."""
        self.form = CHOICE if edits else self.form
        self.options = self._options()
        self.none = self._none()
        """That none is to be marked, or that an element comes from nowhere; None where neither can be answered."""
        self.places = places_of(question) if self.form.name == "values" else []
        """The cells that are typed into, one after another."""
        self.tensors = _marked_tensors(question)
        """Those among whose elements the answer is marked; none where it isn't."""
        self.chosen: list[str] = []
        """Ids of options."""
        self.at: int | None = None
        """The option under the cursor, which nobody has moved yet for None."""
        self.cells: set[Cursor] = set()
        self.slots = [""] * max(1, len(self.places)) if self.form.is_typed else []
        self.slot = 0
        self.retypes = False
        """What is typed next replaces what is there."""
        self.verdict: Reply | None = None
        """None while it is open, and where the question was skipped."""
        self.given: Any = None
        """The answer as JSON has it."""

    def _options(self) -> list[Option]:
        question = self.question
        if self.offered:
            lettered = zip(LETTERS, self.offered, strict=False)
            return [Option(letter, offer.text) for letter, offer in lettered]
        if self.form.how == "tick":
            valid = Option(VALID, question.subject.sentence("valid.option"))
            return [valid, *(Option(choice.id, choice.text) for choice in question.options)]
        if self.form.in_row:
            return [Option(choice.id, choice.id) for choice in question.options]
        choices = zip(LETTERS, question.options if self.form.is_listed else (), strict=False)
        return [Option(letter, choice.text, choice.picture) for letter, choice in choices]

    def _none(self) -> Option | None:
        subject = self.question.subject
        if self.question.kind.takes_nowhere(subject):
            return Option(NONE, subject.sentence("answer.nowhere"))
        return Option(NONE, subject.sentence("words.none")) if self.form.is_marked else None

    @property
    def types_into_cells(self) -> bool:
        """True if what is typed stands in the picture's cells; else below it: their place would tell the order."""
        return self.form.fills and not self.question.kind.about_memory

    # ---- what a user does

    def press(self, key: str) -> None:
        """Types a digit, sign or point; comma or blank part numbers. What was refused or left is typed over."""
        if key not in KEYS or not self.slots:
            return
        text, self.sentence = self.slots[self.slot], ""
        if key in SEPARATORS and self.form.fills:
            self.go_to_slot(self.slot + 1)
            return
        if key == " ":
            if self.form.name not in ("sizes", "field") or text[-1:] in ("", ","):
                return
            key = ","
        text = key if self.retypes and key != "," else text + key
        self.slots[self.slot], self.retypes = text[:MOST_TYPED], False

    def erase(self) -> None:
        """Takes the last character away; in an empty cell goes back to the one before."""
        self.sentence = ""
        if not self.slots[self.slot] and self.slot:
            self.go_to_slot(self.slot - 1)
        else:
            self.slots[self.slot], self.retypes = self.slots[self.slot][:-1], False

    def go_to_slot(self, slot: int) -> None:
        """Goes to one of the places that are typed into, behind the last to the first."""
        self.slot, self.retypes = slot % len(self.slots), True
        if self.types_into_cells:
            self._look(self.places[self.slot])

    def move(self, by: int) -> None:
        """Takes the cursor so many options on, and from the last to the first; the first move leads to an end.

        Where one of them is the answer, that is the one under the cursor.
        """
        self.sentence = ""
        if self.at is None:
            by, self.at = by - 1 if by > 0 else by, 0
        self.at = (self.at + by) % len(self.options)
        if not self.form.takes_several:
            self.chosen = [self.options[self.at].id]

    def choose(self, id_: str) -> None:
        """Takes the cursor to an option and chooses it, or takes it back; nothing where there is none of that id."""
        ids, self.sentence = [option.id for option in self.options], ""
        if self.none is not None and id_ == NONE:
            self.chosen, self.cells = [] if self.chosen else [NONE], set()
        elif id_ in ids:
            self.at = ids.index(id_)
            if self.form.takes_several and id_ in self.chosen:
                self.chosen.remove(id_)
            else:
                goes_with = self.form.takes_several and id_ != VALID
                self.chosen = [*(each for each in self.chosen if goes_with and each != VALID), id_]

    def mark(self, cursor: Cursor) -> None:
        """Marks an element, or takes its mark away; where one alone is the answer, that is it."""
        self.chosen, self.sentence = [], ""
        if cursor.place not in self.tensors:
            self.sentence = first_sentence(self.question)
        else:
            self.cells = self.cells ^ {cursor} if self.form.is_marked else {cursor}

    # ---- what came of it

    def json(self) -> Any:
        """The answer as JSON has it. Raises DmlvizError, which says what is to be done first, where it isn't whole."""
        question = self.question
        empty = [text for text in self.slots if not text.strip(SEPARATORS)]
        if empty == self.slots and not (self.chosen or self.cells):
            raise DmlvizError(first_sentence(question))
        if empty:
            raise DmlvizError(question.subject.sentence("ask.empty", left=len(empty), count=len(self.slots)))
        if self.form.is_typed:
            return json_of(question, " ".join(self.slots))
        if self.tensors:
            desc = question.subject.desc
            sizes = [part.tensor.sizes for part in (desc.outputs if self.form.side == "outputs" else desc.inputs)]
            cells = sorted((cursor.place.number, cursor.index) for cursor in self.cells)
            return json_of(question, " ".join(f"{k}:{flat_in(index, sizes[k])}" for k, index in cells))
        if self.form.takes_several:
            return json_of(question, " ".join(self.chosen))
        return self._json(next(k for k, option in enumerate(self.options) if option.id in self.chosen))

    def _json(self, number: int) -> Any:
        """The answer that one of the options is."""
        if self.offered:
            return self.question.kind.form.json(DescAnswer(self.offered[number].desc))
        return json_of(self.question, self.question.options[number].id)

    def options_shown(self, *, is_open: bool, is_skipped: bool = False) -> tuple[Option, ...]:
        """The options as they stand, and once the question is answered which of them are right."""
        options = list[Option]()
        for k, option in enumerate(self.options):
            mine, verdict = option.id in self.chosen, ""
            if not is_open and self._is_right(k):
                verdict = "missed" if self.form.takes_several and not (mine or is_skipped) else "right"
            elif not is_open and mine:
                verdict = "wrong"
            options.append(replace(option, chosen=mine, at=is_open and k == self.at, verdict=verdict))
        return tuple(options)

    def _is_right(self, number: int) -> bool:
        question = self.question
        if self.offered:
            return self.offered[number].mends
        if self.form.takes_several:
            return self.options[number].id in (question.truth or (VALID,))
        return bool(question.kind.form.read(question, self._json(number)) == question.truth)

    # ---- what is told of it

    @property
    def answer(self) -> Any:
        """The answer as `Question.truth` is."""
        return self.question.kind.form.read(self.question, self.given)

    @property
    def differing(self) -> dict[Cursor, str]:
        """The output elements about which the answer was wrong, and what it said of them; {} where it names none."""
        if self.verdict is None or self.verdict.right:
            return {}
        if places := self.places:
            fills = self.form.fills
            answers, truths = (each if fills else (each,) for each in (self.answer, self.question.truth))
            pairs = zip(places, answers, truths, strict=True)
            return {cursor: shown(answered) for cursor, answered, true in pairs if answered != true}
        return {cursor: text for cursor, (text, same) in self.compared.items() if not same}

    @property
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

    @property
    def signs(self) -> Signs:
        """What stands in the picture: what was said wrongly, and marks that are right, wrong or missing."""
        form, places, verdict = self.form, self.places, self.verdict
        signs: Signs = [(cursor, EntryKind.WRONG, said) for cursor, said in self.differing.items()]
        if verdict is not None and verdict.right and places and not form.fills:
            signs.append((places[0], EntryKind.RIGHT, ""))
        if verdict is not None and form.is_pointed:
            several = form.takes_several
            answers, truths = ({*each} if several else {each} for each in (self.answer, self.question.truth))
            for k, index in (answers | truths) - {FROM_NOWHERE}:
                hit = EntryKind.RIGHT if (k, index) in truths else EntryKind.WRONG
                kind = hit if (k, index) in answers else EntryKind.MISSED
                signs.append((Cursor(Place(form.side == "outputs", k), index), kind, ""))
        return signs

    @property
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
            lines.append(say("verdict.look", look=without_keys(question.subject, verdict.look)))
        elif isinstance(question, AuthoredQuestion) and question.task.look is not None:
            lines.append(say("verdict.look", look=verdict.look))
        score = self._score
        return (*lines, score) if score else tuple(lines)

    @property
    def _score(self) -> str:
        """How much of the answer was right, where it has parts; where not, both answers; "" for other choices."""
        say, truth, form = self.question.subject.sentence, self.question.truth, self.form
        if self.compared or form.fills:
            count = len(self.compared or self.places)
            wrong = len(self.differing)
            return say("verdict.cells", same=count - wrong, count=count) + (say("verdict.yours") if wrong else "")
        if form.takes_several:
            answers, truths = {*self.answer}, {*truth}
            if not truths:
                return say("verdict.is_valid") if form.is_listed else say("verdict.none_marked", count=len(answers))
            wrong = len(answers - truths) + (form.is_listed and not answers)
            return say("verdict.marked", hits=len(answers & truths), count=len(truths), wrong=wrong)
        if form.is_typed or form.is_pointed or form.in_row:
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


def _marked_tensors(question: Question) -> frozenset[Place]:
    """The tensors among whose elements those are that answer, by pointing or marks: of one side, and one role."""
    form, desc = question.kind.form, question.subject.desc
    if not form.is_pointed:
        return frozenset()
    if form.side == "outputs":
        return frozenset(Place(True, k) for k in range(len(desc.outputs)))
    is_data = [part.field.role is Role.DATA for part in desc.inputs]
    asked = is_data[question.kind.tensor_marked(question.subject)]
    return frozenset(Place(False, k) for k, each in enumerate(is_data) if each is asked)
