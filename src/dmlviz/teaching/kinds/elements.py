"""Kinds that ask one thing of one element: each is a look into what a reading says of all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from ...desc.base import Part
from ...desc.fields import Role
from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..questions.answers import FROM_NOWHERE as NOWHERE
from ..questions.answers import Answer, Cell, shown
from ..questions.elements import SHOWN, most_telling
from ..questions.question import ANYTHING, At, Choice, Form, Kind, Quantity, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import (
    element_text,
    formula,
    formula_and_value,
    is_index,
    listed,
    look,
    map_blank,
    map_live,
    origin_text,
    output_text,
    steering_paths,
    times_read,
    what_tells_elements,
)
from ..words.catalogue import sentence
from .lib.forms import INPUT, INPUTS, NUMBER, OUTPUTS, VALUE

MOST_MARKED = 16
"""Places that are to be marked, at most."""


class PicturedKind(Kind):
    """A kind that asks in the picture, whose rule is the operator's own sentence."""

    stage = 2
    pictured = True

    def words(self, question: Question) -> str:
        """The right answer as a person writes it."""
        several = question.truth if isinstance(question.truth, tuple) else (question.truth,)
        if not self.form.side:
            return ", ".join(map(shown, several))
        cells = several if self.form.takes_several else (question.truth,)
        name = origin_text if self.form.side == "inputs" else output_text
        names = [name(question.subject, cell) for cell in cells]
        return ", ".join(names) or sentence("words.none")

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, map_blank(subject), self.words(question)

    def says(self, question: Question) -> str:
        return map_live(question.subject)


class ElementKind(PicturedKind):
    """A kind that asks one thing of an element: of the one that tells most wrong rules apart."""

    told_only = False
    """True where it is asked only if some wrong rule answers otherwise than the truth."""

    @abstractmethod
    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        """What a reading answers for an element; None where it can't."""

    def wrong(self, subject: Subject, cell: Cell) -> list[Hashable | None]:
        """What wrong rules answer for an element, right answers among it."""
        return [self.ask(reading, cell) for reading in subject.element_readings.values()]

    def certain(self, subject: Subject) -> Sequence[At]:
        """The elements of a small subject about which the answer is certain: by default promised outputs."""
        return [At.output(*cell) for cell, is_promised in subject.promised.items() if is_promised]

    def prompt(self, subject: Subject, at: At) -> str:
        """The question about an element, as text."""
        return sentence(f"{self.name}.prompt", element=element_text(subject, at))

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        if not subject.is_small:
            return None
        places, at = self.certain(subject), wish.at
        if at is None:
            at = most_telling(self._telling(subject, places), self.dice(subject, seed))
        if at is None or at not in places:
            return None
        return self.pose(subject, seed, self.prompt(subject, at), what_tells_elements(subject), at=at)

    def _telling(self, subject: Subject, places: Sequence[At]) -> list[tuple[At, Any, Sequence[Any]]]:
        """The elements that are worth asking about, with the right answer and those of wrong rules."""
        found: list[tuple[At, Any, Sequence[Any]]] = []
        for at in places:
            cell = at.place.number, at.index
            truth = self.ask(subject.truth, cell)
            if truth is not None and not (isinstance(truth, tuple) and len(truth) > MOST_MARKED):
                found.append((at, truth, self.wrong(subject, cell)))
        is_told = any(answer not in (None, truth) for _, truth, wrong in found for answer in wrong)
        differ = len({truth for _, truth, _ in found}) > 1 and not (self.told_only and subject.rules)
        return found if is_told or differ else []

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return self.ask(question.subject.element_reading(rule), question.cell)

    def counted_from_one(self, question: Question) -> Sequence[Answer]:
        if self.form.how != "mark":
            return ()
        subject, several = question.subject, self.form.takes_several
        asked, marked = subject.desc.outputs, subject.desc.inputs
        if self.of_inputs:
            asked, marked = marked, asked
        more = tuple(_moved(cell, 1, marked) for cell in (question.truth if several else [question.truth]))
        answers: list[Answer] = [] if None in more else [more if several else more[0]]
        before = _moved(question.cell, -1, asked)
        return answers if before is None else [*answers, self.ask(subject.truth, before)]


class CellKind(ElementKind):
    """Asks which value stands in an output element."""

    name, form, quantity = "cell", VALUE, "value"
    alternatives = 16
    stage = 1
    plays, told_only = True, True

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.value.get(cell)

    def says(self, question: Question) -> str:
        return formula_and_value(question.subject, question.element)


class SourceKind(ElementKind):
    """Asks which input element an output element comes from, or that it comes from nowhere."""

    name, form = "source", INPUT
    plays = True

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.source.get(cell)

    def takes_nowhere(self, subject: Subject) -> bool:
        return subject.trace.has_constants

    def prompt(self, subject: Subject, at: At) -> str:
        key = "source.prompt_or_nowhere" if self.takes_nowhere(subject) else "source.prompt"
        return sentence(key, element=element_text(subject, at))

    def says(self, question: Question) -> str:
        return f"{formula(question.subject, question.element)}."


class ViaKind(ElementKind):
    """Asks which index or length cell sends an output element to its place."""

    name, form, looks_up = "via", INPUT, "route"
    plays = True

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.via.get(cell)

    def certain(self, subject: Subject) -> Sequence[At]:
        return super().certain(subject) if steering_paths(subject) else []

    def tensor_marked(self, subject: Subject) -> int:
        return next(k for k, part in enumerate(subject.desc.inputs) if part.field.role is not Role.DATA)

    def prompt(self, subject: Subject, at: At) -> str:
        part, name = subject.desc.inputs[self.tensor_marked(subject)], element_text(subject, at)
        key = "via.prompt_length" if part.field.role is Role.LENGTHS else "via.prompt_index"
        return sentence(key, path=part.path, element=name)

    def says(self, question: Question) -> str:
        return sentence("via.says", cell=self.words(question), formula=formula(question.subject, question.element))


class InputElementKind(ElementKind):
    """A kind that asks where an input's element goes."""

    of_inputs, looks_up = True, "readers"

    def certain(self, subject: Subject) -> Sequence[At]:
        left_out, readers = unpromised_sources(subject), subject.truth.readers
        cells = (cell for cell in subject.data_cells if cell not in left_out and (cell in readers or not left_out))
        return [At.input(*cell) for cell in cells]

    def says(self, question: Question) -> str:
        subject, cells = question.subject, question.subject.truth.readers.get(question.cell)
        why = f"{formula(subject, At.output(*cells[0]))}." if cells else map_live(subject)
        read = times_read(subject, question.truth if isinstance(question.truth, int) else len(question.truth))
        return sentence("count.says", element=element_text(subject, question.element), read=read, why=why)


class DestKind(InputElementKind):
    """Asks which output elements read an input element; the answer is a tuple of cells."""

    name, form = "dest", OUTPUTS

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.readers.get(cell, ()) if reading.has_true_sizes else None


class CountKind(InputElementKind):
    """Asks how often an input element is read; the answer is an integer."""

    name, form = "count", NUMBER
    confirms_elsewise, told_only = True, True
    alternatives = 12

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return len(reading.readers.get(cell, ())) if reading.has_true_sizes else None

    def wrong(self, subject: Subject, cell: Cell) -> list[Hashable | None]:
        own = {_counted_by(subject, rule, cell) for rule in subject.rules if rule.reads is not None}
        return [*super().wrong(subject, cell), *own]

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        if rule is None or rule.reads is None:
            return super().answer(question, rule)
        return _counted_by(question.subject, rule, question.cell)


class UnreadKind(PicturedKind):
    """Asks which data elements no output element reads; the answer is a tuple of cells."""

    name, form, quantity, looks_up = "unread", INPUTS, "count", "readers"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small
        if not subject.is_small or unpromised_sources(subject) or not 2 <= len(subject.data_cells) <= SHOWN:
            return None
        truth = _unread_by(subject, subject.truth)
        told = any(_unread_by(subject, reading) not in (None, truth) for reading in subject.element_readings.values())
        chosen = any(part.field.role is Role.INDICES for part in subject.desc.inputs)
        if not truth and not (told and chosen):
            return None  # without indices an operator that reads all of one desc reads all of every one
        return self.pose(subject, seed, sentence("unread.prompt"), what_tells_elements(subject))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return _unread_by(question.subject, question.subject.element_reading(rule))

    def asks(self, question: Question) -> Iterator[Quantity]:
        inputs = question.subject.desc.inputs
        yield from (Quantity(self.quantity, inputs[k].path, index) for k, index in question.subject.data_cells)

    def says(self, question: Question) -> str:
        key = "unread.says" if question.truth else "unread.says_none"
        return sentence(key, count=len(question.truth), map=map_live(question.subject))


class YesOrNo(Form):
    """True or false; as text `true` and `false`."""

    words = "yes"

    def read(self, question: Question, given: object) -> bool:
        if not isinstance(given, bool):
            raise DmlvizError(f"answer is {quote(given)}, expected true or false.")
        return given

    def text(self, question: Question, answer: Answer) -> str:
        return str(answer).lower()

    def typed(self, question: Question, text: str) -> bool:
        word = text.strip().lower()
        if word not in ("yes", "y", "no", "n", "true", "false"):
            raise DmlvizError(sentence("quiz.found_yes", found=quote(text)))
        return word[0] in "yt"


class PromisedKind(Kind):
    """Asks whether DirectML promises an output element's value; the answer is a bool."""

    name, form = "promised", YesOrNo()
    looks_up, told_by_rules = "route", True
    stage = 2
    alternatives = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        if not subject.is_small or not any(part.field.role is Role.INDICES for part in subject.desc.inputs):
            return None
        at, elements = wish.at, {True: list[At](), False: list[At]()}
        for cell, is_promised in subject.promised.items():
            elements[is_promised].append(At.output(*cell))
        if at is None and elements[False]:  # else nobody would say no
            dice = self.dice(subject, seed)
            at = dice.choice(elements[dice.random() < 0.5 and bool(elements[True])])
        if at is None or at not in (*elements[True], *elements[False]):
            return None
        prompt = sentence("promised.prompt", element=element_text(subject, at))
        return self.pose(subject, seed, prompt, what_tells_elements(subject) | {"rules", "fixes"}, at=at)

    def asks(self, question: Question) -> Iterator[Quantity]:
        yield Quantity(self.name)

    def options(self, question: Question) -> tuple[Choice, ...]:
        return Choice("true", sentence("page.yes")), Choice("false", sentence("page.no"))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        reading = subject.truth if rule is None else subject.element_readings.get(rule.id)
        return None if reading is None else reading.promised.get(question.cell)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        names, answer = listed(steering_paths(question.subject)), "page.yes" if question.truth else "page.no"
        return names, sentence("promised.rule"), map_blank(question.subject), sentence(answer)

    def says(self, question: Question) -> str:
        subject, way = question.subject, formula(question.subject, question.element)
        path = subject.desc.inputs[subject.truth.via[question.cell][0]].path
        key = "promised.says_inside" if question.truth else "promised.says_outside"
        return sentence(key, path=path, formula=way)


def unpromised_sources(subject: Subject) -> frozenset[Cell]:
    """Input elements of a small subject that are read by output elements whose values aren't promised."""
    source = subject.truth.source
    return frozenset(source[cell] for cell, ok in subject.promised.items() if not ok and cell in source)


def _unread_by(subject: Subject, reading: Reading) -> tuple[Cell, ...] | None:
    """The data elements that nothing reads, in order; None where a reading can't say."""
    if not reading.has_true_sizes:
        return None
    return tuple(cell for cell in subject.data_cells if cell not in reading.readers)


def _counted_by(subject: Subject, rule: Misreading[Any], cell: Cell) -> int | None:
    """How often an element is read by a rule that says so by itself."""
    if rule.reads is None or not subject.may_differ(rule):
        return None
    return rule.reads(subject.desc, subject.trace.read, *cell)


def _moved(cell: Cell, by: int, parts: Sequence[Part]) -> Cell | None:
    """A cell with `by` more along each axis that is longer than 1; None where there is no such cell, or axis."""
    number, index = cell
    sizes = parts[number].tensor.sizes if cell != NOWHERE else ()
    there = tuple(i + by if n > 1 else i for i, n in zip(index, sizes, strict=True))
    return (number, there) if there != index and is_index(there, sizes) else None


KINDS = CellKind(), SourceKind(), ViaKind(), DestKind(), CountKind(), UnreadKind(), PromisedKind()
