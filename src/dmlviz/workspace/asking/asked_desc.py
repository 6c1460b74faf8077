"""What is asked about, as far as a question lets it be seen, and what is chosen, typed or marked of its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.base import Desc, Part
from ...desc.indexing import flat_in, unravel
from ...desc.tensors import braces
from ...errors import DmlvizError
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, is_inside, part_of
from ...scene.elements.known import NOTHING
from ...scene.layout.arrange import Answers
from ...scene.look import EntryKind
from ...scene.steps.order import Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...session.experiments import Experiment
from ...teaching.asked import json_of
from ...teaching.kinds.lib.forms import CHOICE
from ...teaching.kinds.whole_descs import DescAnswer
from ...teaching.questions.question import At, Choice, Question, Reply
from ...teaching.questions.subject import FROM_NOWHERE, LETTERS, shown, values_of
from ...teaching.questions.wording import element_text, with_its_rule
from ...teaching.tasks.own_tasks import offered
from ...teaching.tasks.tasks import AuthoredQuestion
from ...teaching.words.catalogue import sentence
from ...tracing import Trace
from ..shown.picture import Desk, Picture, Signs

MOST_SHOWN = 64
LEVEL = "feature_level"
"""What a question calls the feature level, which is none of the struct's fields."""


class FieldState(Struct, frozen=True):
    """One of the desc's numbers."""

    path: str
    text: str
    """What it holds; what is typed so far where it is blank."""
    blank: bool = False
    lit: bool = False


class TableState(Struct, frozen=True):
    """A tensor as a plain table, without colours that would tell."""

    title: str
    sizes: tuple[int, ...]
    values: tuple[str, ...]
    is_output: bool = False
    differing: frozenset[int] = frozenset()
    """Elements of a goal, by flat index, that the student's output of the same sizes hasn't."""


def numbers_of(desc: Desc) -> tuple[tuple[str, str], ...]:
    """(name, text) of each field of a desc that is neither tensor nor count."""
    return tuple((field.name, field.shown(desc.get(field.name))) for field in desc.ATTRIBUTES)


def fields_of(
    question: Question, verdict: Reply | None, typed: str, *, is_open: bool, pictured: bool
) -> tuple[FieldState, ...]:
    """The level and the desc's numbers: `typed` in the blank one, `?` for hidden ones, lit where the verdict says.

    None of a chain while it is asked about: each stage's stand in its line.
    """
    if is_open and question.kind.of_chains:
        return ()
    lights = verdict.lights if verdict is not None and not verdict.right else ()
    subject, fields = question.subject, list[FieldState]()
    level = LEVEL, "FeatureLevel", str(subject.experiment.feature_level)
    for path, name, text in (level, *((name, name, text) for name, text in numbers_of(subject.desc))):
        blank = is_open and question.blank == path
        told = typed or "?" if blank else "?" if is_open and path in question.hidden else text
        lit = any(light.split("[")[0] == name for light in lights)
        if lit or path != LEVEL or not pictured:
            fields.append(FieldState(name, told, blank, lit))
    return tuple(fields)


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
    is_about_memory = question is not None and question.kind.about_memory
    return Unit.COPY if is_about_memory else Unit(one.view.view.unit or Unit.SLICE)


def places_of(question: Question) -> list[Cursor]:
    """The elements whose values are asked for, in memory order, those under an index for `fill` and `order`."""
    at = question.at
    return [] if at is None else [Cursor(at.place, index) for index in question.kind.places(question)]


def tables_of(question: Question, typed: str, *, is_open: bool) -> tuple[TableState, ...]:
    """Every tensor as a plain table, as far as the question lets it be seen; of a large one the sizes alone."""
    subject = question.subject
    if question.kind.of_chains:
        lines = question.kind.lines(question)
        return tuple(TableState(title, sizes, tuple(map(shown, values))) for title, sizes, values in lines)
    with_values = subject.valid and not question.kind.about_rules
    hidden = question.hidden if is_open else frozenset[str]()
    tables = []
    for is_output, parts in ((False, subject.desc.inputs), (True, subject.desc.outputs)):
        for k, part in enumerate(parts):
            tensor = part.tensor
            is_seen = part.path not in hidden and not (is_output and "values" in hidden)
            values: tuple[str, ...] = ()
            if with_values and is_seen and tensor.element_count <= MOST_SHOWN:
                flat = tensor.flat
                numbers = (
                    subject.truth.values(k, unravel(flat, tensor.sizes)) if is_output else subject.trace.read(k, flat)
                )
                values = tuple(map(shown, values_of(numbers)))
            sizes = _sizes_told(question, part, typed) if is_open else braces(tensor.sizes)
            title = f"{part.path} {tensor.data_type} {sizes}"
            tables.append(TableState(title, tensor.sizes, values, is_output=is_output))
    return tuple(tables)


def _sizes_told(question: Question, part: Part, typed: str) -> str:
    """A tensor's sizes while they may be asked for: `typed`, or `?`, in the place of what is blank or hidden."""
    path = f"{part.path}.Sizes"
    blank = question.blank or ""
    sizes = part.tensor.sizes
    if blank == path:
        return braces([typed or "?"])
    if path in question.hidden:
        return "{?}"
    if not blank.startswith(f"{path}["):
        return braces(sizes)
    axis = int(blank.rpartition("[")[2][:-1])
    return braces([*sizes[:axis], typed or "?", *sizes[axis + 1 :]])


class AskedDesk(Desk):
    """What question, practice, lesson and wall share."""

    view: ViewState
    question: Question | None
    open: bool
    draws_open: bool
    """Tensors tell nothing of it."""

    @property
    def is_pictured(self) -> bool:
        """True if tensors are drawn as in the explorer."""
        return self.view.live and (self.draws_open or not self.open)

    @property
    def trace(self) -> Trace:
        assert self.view.trace is not None
        return self.view.trace

    def _look_anew(self, player: Player | None, *, more: int = 0, is_legible: bool = True) -> None:
        """Makes the picture anew: with linear memory where that is asked about, and cells that are so much wider."""
        question = self.question
        picture = Picture(player, is_legible=is_legible)
        self.picture = picture
        picture.wants_memory = unit_of(question, self.view.experiment).is_memory
        picture.memory = None if picture.wants_memory else False
        picture.tells_memory = not self.open or question is None or not hides_memory(question)
        picture.answers = Answers(not self.open or question is None or question.kind.draws_outputs, more=more)
        if self.is_pictured:
            picture.look_at(self.view)
        picture.hidden = NOTHING if self.open else None

    def _asked(self) -> Cursor | None:
        places = places_of(self.question) if self.question is not None else []
        drawn = (cursor for cursor in places if self.picture.answers.outputs or not cursor.place.is_output)
        return next((cursor for cursor in drawn if is_inside(self.trace, cursor)), None)

    def _first_of(self, place: Place) -> Cursor:
        return Cursor(place, (0,) * len(part_of(self.trace, place).tensor.sizes))

    def _signs_asked(self) -> Signs:
        question = self.question
        if question is None or question.kind.about_memory or not question.kind.draws_outputs:
            return []  # which cells an order begins with is what it asks
        places = places_of(question)
        return [(place, EntryKind.ASKED if place.place.is_output else EntryKind.ABOUT, "") for place in places]


MOST_TYPED = 48
VALID, NONE = "valid", "none"
"""Options: that no rule is broken; that no element is to be marked, or that one comes from nowhere."""
SEPARATORS = ", "
"""What parts numbers, and cells that are typed into."""
KEYS = frozenset(f"0123456789-.{SEPARATORS}")


def first_sentence(question: Question) -> str:
    """What is to be chosen or typed first, and how; a desc is chosen among edits that are offered."""
    form = question.kind.form
    count = len(question.truth) if isinstance(question.truth, tuple) else 1
    key = "ask.mark_first" if form.is_marked else "ask.point_first" if form.how == "mark" else "ask.choose_first"
    key = "ask.type_first" if form.how == "type" else key
    nowhere = int(question.kind.takes_nowhere(question.subject))
    return sentence(key, count=count, nowhere=nowhere, side=form.side)


class Answering:
    """The answer to one question. Its methods are what a user does to it, until there is a verdict.

    `look` brings the cell that is typed into into sight. A copy of it stays as it was: nothing in it is changed in
    place.
    """

    def __init__(self, question: Question, look: Callable[[Cursor], None]) -> None:
        self._look, self.sentence = look, ""
        """Why it can't be taken; "" for no reason yet."""
        self.question = question
        self.form = question.kind.form
        subject = question.subject
        self.open = True
        edits = self.form.how == "edit" and question.goal is None
        self.offered = offered(question) if edits else ()  # the edits that the options are, in their order
        self.form = CHOICE if edits else self.form
        self.options = self._options()
        takes_nowhere = question.kind.takes_nowhere(subject)
        self.none = sentence("answer.nowhere") if takes_nowhere else ""
        """What says that none is to be marked, or that an element comes from nowhere; "" where neither can be."""
        self.none = sentence("words.none") if self.form.is_marked else self.none
        self.places = places_of(question) if self.form.name == "values" else []
        self.tensors = _marked_tensors(question)
        """Those among whose elements the answer is marked; none where it isn't."""
        self.chosen: tuple[str, ...] = ()
        self.at: int | None = None
        """The option under the cursor, which nobody has moved yet for None."""
        self.cells = frozenset[Cursor]()
        self.slots = ("",) * max(1, len(self.places)) if self.form.how == "type" else ()
        """What is typed: one text, or one for each cell."""
        self.slot = 0
        self.retypes = False
        self.verdict: Reply | None = None
        """None while it is open, and where the question was skipped."""
        self.given: Any = None
        """The answer as JSON has it."""

    def _options(self) -> list[Choice]:
        question = self.question
        if self.offered:
            return [Choice(letter, offer.text) for letter, offer in zip(LETTERS, self.offered, strict=False)]
        if self.form.how == "tick":
            return [Choice(VALID, sentence("valid.says")), *question.options]
        if self.form.in_row:
            return [Choice(choice.id, choice.id) for choice in question.options]
        choices = zip(LETTERS, question.options if self.form.is_listed else (), strict=False)
        return [Choice(letter, choice.text, choice.picture) for letter, choice in choices]

    @property
    def types_into_cells(self) -> bool:
        """True if what is typed stands in the picture's cells; else below it: their place would tell the order."""
        return self.form.fills and not self.question.kind.about_memory

    @property
    def begun(self) -> bool:
        """True once something is typed into the present slot."""
        return bool(self.slots) and bool(self.slots[self.slot])

    @property
    def pointed(self) -> str:
        """What is pointed at or marked so far, `?` for nothing."""
        if NONE in self.chosen:
            return self.none
        subject = self.question.subject
        if self.form.takes_several and self.cells:
            return sentence("answer.marked", count=len(self.cells))
        return next((element_text(subject, At(cell.place, cell.index)) for cell in self.cells), "?")

    # ---- what a user does

    def press(self, key: str) -> None:
        """Types a digit, sign or point; comma or blank part numbers. What was refused or left is typed over."""
        if key not in KEYS or not self.slots:
            return
        self.sentence = ""
        if key in SEPARATORS and self.form.fills:
            self.go_to_slot(self.slot + 1)
            return
        text = self.slots[self.slot]
        if key == " ":
            if self.form.name not in ("sizes", "field") or text[-1:] in ("", ","):
                return
            key = ","
        self._type(key if self.retypes and key != "," else text + key)

    def _type(self, text: str) -> None:
        self.slots = (*self.slots[: self.slot], text[:MOST_TYPED], *self.slots[self.slot + 1 :])
        self.retypes = False

    def erase(self) -> None:
        """Takes the last character away; in an empty cell goes back to the one before."""
        self.sentence = ""
        if not self.slots[self.slot] and self.slot:
            self.go_to_slot(self.slot - 1)
        else:
            self._type(self.slots[self.slot][:-1])

    def go_to_slot(self, slot: int) -> None:
        """Goes to one of the places that are typed into, behind the last to the first."""
        self.slot, self.retypes = slot % len(self.slots), True
        if self.types_into_cells:
            self._look(self.places[self.slot])

    def move(self, by: int) -> None:
        """Takes the cursor so many options on, and from the last to the first; what one alone answers, it chooses."""
        self.sentence = ""
        if self.at is None:
            by, self.at = by - 1 if by > 0 else by, 0
        self.at = (self.at + by) % len(self.options)
        if not self.form.takes_several:
            self.chosen = (self.options[self.at].id,)

    def choose(self, id_: str) -> None:
        """Takes the cursor to an option and chooses it, or takes it back; nothing where there is none of that id."""
        ids = [option.id for option in self.options]
        self.sentence = ""
        if self.none and id_ == NONE:
            self.chosen = () if self.chosen else (NONE,)
            self.cells = frozenset()
        elif id_ in ids:
            self.at = ids.index(id_)
            goes_with = self.form.takes_several and id_ != VALID
            others = tuple(each for each in self.chosen if goes_with and each not in (VALID, id_))
            takes_back = self.form.takes_several and id_ in self.chosen
            self.chosen = others if takes_back else (*others, id_)

    def mark(self, cursor: Cursor) -> None:
        """Marks an element, or takes its mark away; where one alone is the answer, that is it."""
        self.chosen, self.sentence = (), ""
        if cursor.place not in self.tensors:
            self.sentence = first_sentence(self.question)
        else:
            self.cells = self.cells ^ {cursor} if self.form.is_marked else frozenset({cursor})

    # ---- what came of it

    def json(self) -> Any:
        """The answer as JSON has it. Raises DmlvizError, which says what is to be done first, where it isn't whole."""
        question = self.question
        empty = [text for text in self.slots if not text.strip(SEPARATORS)]
        if len(empty) == len(self.slots) and not (self.chosen or self.cells):
            raise DmlvizError(first_sentence(question))
        if empty:
            raise DmlvizError(sentence("ask.empty", left=len(empty), count=len(self.slots)))
        if self.form.how == "type":
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
        if self.offered:
            return self.question.kind.form.json(DescAnswer(self.offered[number].desc))
        return json_of(self.question, self.question.options[number].id)

    def verdict_of(self, number: int) -> str:
        """Of an option, once it is answered: "right", "wrong" or "missed"; "" for one neither chosen nor true."""
        is_mine = self.options[number].id in self.chosen
        if self.open or not self._is_right(number):
            return "wrong" if is_mine and not self.open else ""
        return "missed" if self.form.takes_several and self.verdict is not None and not is_mine else "right"

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
        if self.places:
            answers, truths = (each if self.form.fills else (each,) for each in (self.answer, self.question.truth))
            pairs = zip(self.places, answers, truths, strict=True)
            return {cursor: shown(answered) for cursor, answered, true in pairs if answered != true}
        return {cursor: text for cursor, (text, same) in self.compared.items() if not same}

    @property
    def compared(self) -> dict[Cursor, tuple[str, bool]]:
        """Of a choice of pictures every element, what the chosen one says of it, and whether that is so; {} else."""
        question = self.question
        compared = dict[Cursor, tuple[str, bool]]()
        drawn = {choice.id: choice.picture for choice in question.choices if choice.picture is not None}
        pairs = zip(drawn[self.given].outputs, drawn[question.truth].outputs, strict=True) if drawn else ()
        for k, ((sizes, mine), (_, right)) in enumerate(pairs):
            at = question.at or At.output(k, (0,) * len(sizes))
            for inner, a, b in zip(np.ndindex(*sizes), mine, right, strict=True):
                index = tuple(x + y for x, y in zip(at.index, inner, strict=True))
                compared[Cursor(at.place, index)] = shown(a), a == b
        return compared

    @property
    def signs(self) -> Signs:
        """What stands in the picture: what was said wrongly, and marks that are right, wrong or missing."""
        form, verdict = self.form, self.verdict
        signs: Signs = [(cursor, EntryKind.WRONG, said) for cursor, said in self.differing.items()]
        if verdict is not None and verdict.right:
            signs += [(place, EntryKind.RIGHT, "") for place in self.places]
        if verdict is not None and form.how == "mark":
            several = form.takes_several
            answers, truths = ({*each} if several else {each} for each in (self.answer, self.question.truth))
            for k, index in (answers | truths) - {FROM_NOWHERE}:
                hit = EntryKind.RIGHT if (k, index) in truths else EntryKind.WRONG
                kind = hit if (k, index) in answers else EntryKind.MISSED
                signs.append((Cursor(Place(form.side == "outputs", k), index), kind, ""))
        return signs

    @property
    def sentences(self) -> list[str]:
        """What came of it, a sentence a line."""
        question = self.question
        verdict = self.verdict
        if verdict is None:
            answer = question.hint(4)
            return [sentence("verdict.skipped", answer=answer), *{question.kind.says(question)} - {answer}]
        if verdict.right:
            return [verdict.says]
        lines = list[str]()
        known = [question.rule(rule) for rule in verdict.rules if question.knows(rule)]
        if known:
            names = "” or “".join(rule.name for rule in known[:2])
            key = "verdict.picture_of" if self.compared else "verdict.answer_of"
            lines.append(sentence(key, letter=self.given, names=names))
        lines.append(verdict.says)
        if known:
            lines.append(sentence("page.look", look=with_its_rule(question.subject, verdict.look)))
        elif isinstance(question, AuthoredQuestion) and question.task.look is not None:
            lines.append(sentence("page.look", look=verdict.look))
        return [*lines, self._score]

    @property
    def _score(self) -> str:
        """How much of the answer was right, where it has parts; what was typed, and what is so; "" for others."""
        question = self.question
        truth = question.truth
        if self.compared or self.form.fills:
            count = len(self.compared or self.places)
            wrong = len(self.differing)
            return sentence("verdict.cells", same=count - wrong, count=count) + sentence("verdict.yours")
        if self.form.takes_several and truth:
            hits = {*self.answer} & {*truth}
            return sentence("verdict.marked", hits=len(hits), count=len(truth), wrong=len({*self.answer} - hits))
        if self.form.how == "type" or self.form.in_row:
            return sentence("verdict.said", said=_worded(self.answer), true=_worded(truth))
        is_named = question.kind.of_chains and self.verdict is not None and self.verdict.rules
        return question.kind.says(question) if is_named else ""  # no picture shows the way through all stages


def _worded(answer: Any) -> str:
    numbers = answer if isinstance(answer, tuple) else (answer,)
    return " ".join(map(shown, numbers[0] if numbers and isinstance(numbers[0], tuple) else numbers))


def _marked_tensors(question: Question) -> frozenset[Place]:
    form, desc = question.kind.form, question.subject.desc
    if form.how != "mark":
        return frozenset()
    if form.side == "outputs":
        return frozenset(Place(True, k) for k in range(len(desc.outputs)))
    is_data = [part.is_data for part in desc.inputs]
    asked = is_data[question.kind.tensor_marked(question.subject)]
    return frozenset(Place(False, k) for k, each in enumerate(is_data) if each is asked)
