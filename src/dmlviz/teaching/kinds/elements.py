"""Kinds that ask one thing of one element: each is a look into what a reading says of all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from ...desc.base import Part
from ...desc.fields import Role
from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..questions.answers import FROM_NOWHERE as NOWHERE
from ..questions.answers import Answer, Cell, shown
from ..questions.elements import SHOWN, Candidate, best_candidate, candidates
from ..questions.question import ANYTHING, At, Choice, Form, Kind, Quantity, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import (
    element_text,
    formula,
    formula_and_value,
    formula_blank,
    look,
    map_blank,
    map_live,
    origin_text,
    steering_paths,
    times_read,
    what_tells_elements,
)
from .lib.forms import INPUT, INPUTS, NUMBER, OUTPUTS, VALUE

MOST_MARKED = 16
"""Places that are to be marked, at most."""


class ElementKind(Kind):
    """A kind that asks one thing of an element: of the one that tells most wrong rules apart."""

    stage = 2
    pictured = True

    @abstractmethod
    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        """What a reading answers for an element; None where it can't."""

    @abstractmethod
    def words(self, question: Question) -> str:
        """The right answer as a person writes it."""

    def certain(self, subject: Subject) -> Sequence[At]:
        """The elements of a small subject about which the answer is certain: by default promised outputs."""
        return [At.output(*cell) for cell, is_promised in subject.promised.items() if is_promised]

    def worth(self, subject: Subject, found: list[Candidate]) -> list[Candidate]:
        """Those that are worth asking about where no author says which."""
        return found

    def prompt(self, subject: Subject, at: At) -> str:
        """The question about an element, as text."""
        return subject.sentence(f"{self.name}.prompt", element=element_text(subject, at))

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        if not subject.is_small:
            return None
        places, at = self.certain(subject), wish.at
        if at is None:
            found = self.worth(subject, candidates(subject, places, self.ask))
            chosen = best_candidate(found, self.dice(subject, seed))
            at = None if chosen is None else chosen.at
        elif at not in places:
            return None
        if at is None:
            return None
        return self.pose(subject, seed, self.prompt(subject, at), what_tells_elements(subject), at=at)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return self.ask(question.subject.element_reading(rule), question.cell)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, at = question.subject, question.element
        blank = formula_blank(subject, at) if at.place.is_output else map_blank(subject)
        return look(subject), subject.title, blank, self.words(question)


class CellKind(ElementKind):
    """Asks which value stands in an output element."""

    name, form, quantity = "cell", VALUE, "value"
    alternatives = 16
    stage = 1
    plays = True

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.value.get(cell)

    def worth(self, subject: Subject, found: list[Candidate]) -> list[Candidate]:
        told = not subject.element_readings or any(candidate.told for candidate in found)
        return found if subject.varies and told else []

    def words(self, question: Question) -> str:
        return shown(question.truth)

    def says(self, question: Question) -> str:
        return formula_and_value(question.subject, question.element)


class SourceKind(ElementKind):
    """Asks which input element an output element comes from, or that it comes from nowhere."""

    name, form = "source", INPUT
    plays = True

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.source.get(cell)

    def worth(self, subject: Subject, found: list[Candidate]) -> list[Candidate]:
        return found if len(subject.data_cells) > 1 else []

    def takes_nowhere(self, subject: Subject) -> bool:
        return subject.trace.has_constants

    def prompt(self, subject: Subject, at: At) -> str:
        key = "source.prompt_or_nowhere" if self.takes_nowhere(subject) else "source.prompt"
        return subject.sentence(key, element=element_text(subject, at))

    def words(self, question: Question) -> str:
        return origin_text(question.subject, question.truth)

    def counted_from_one(self, question: Question) -> tuple[Answer, ...]:
        more = _moved(question.truth, 1, question.subject.desc.inputs)
        return (*([] if more is None else [more]), *_read_from_one(question))

    def says(self, question: Question) -> str:
        return f"{formula(question.subject, question.element)}."


class ViaKind(SourceKind):
    """Asks which index or length cell sends an output element to its place."""

    name, looks_up = "via", "route"

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.via.get(cell)

    def worth(self, subject: Subject, found: list[Candidate]) -> list[Candidate]:
        steers = [part.tensor for part in subject.desc.inputs if part.field.role is not Role.DATA]
        return found if sum(tensor.element_count for tensor in steers) > 1 else []

    def certain(self, subject: Subject) -> Sequence[At]:
        return super().certain(subject) if steering_paths(subject) else []

    def takes_nowhere(self, subject: Subject) -> bool:
        return False

    def tensor_marked(self, subject: Subject) -> int:
        return next(k for k, part in enumerate(subject.desc.inputs) if part.field.role is not Role.DATA)

    def prompt(self, subject: Subject, at: At) -> str:
        part, name = subject.desc.inputs[self.tensor_marked(subject)], element_text(subject, at)
        key = "via.prompt_length" if part.field.role is Role.LENGTHS else "via.prompt_index"
        return subject.sentence(key, path=part.path, element=name)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        _, title, blank, cell = super().hints(question)
        say = question.subject.sentence
        return ", ".join(say("via.look", name=name) for name in steering_paths(question.subject)), title, blank, cell

    def says(self, question: Question) -> str:
        way = formula(question.subject, question.element)
        return question.subject.sentence("via.says", cell=self.words(question), formula=way)


class InputElementKind(ElementKind):
    """A kind that asks where an input's element goes."""

    of_inputs, looks_up = True, "readers"

    def certain(self, subject: Subject) -> Sequence[At]:
        left_out, readers = unpromised_sources(subject), subject.truth.readers
        cells = (cell for cell in subject.data_cells if cell not in left_out and (cell in readers or not left_out))
        return [At.input(*cell) for cell in cells]


class DestKind(InputElementKind):
    """Asks which output elements read an input element; the answer is a tuple of cells."""

    name, form = "dest", OUTPUTS

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return reading.readers.get(cell, ()) if reading.has_true_sizes else None

    def worth(self, subject: Subject, found: list[Candidate]) -> list[Candidate]:
        several = len(subject.promised) > 1
        return [candidate for candidate in found if several and len(candidate.truth) <= MOST_MARKED]

    def score(self, question: Question, answer: Answer) -> float:
        return _share_marked(answer, question.truth)

    def words(self, question: Question) -> str:
        names = ", ".join(element_text(question.subject, At.output(*cell)) for cell in question.truth)
        return names or question.subject.sentence("dest.none")

    def counted_from_one(self, question: Question) -> tuple[Answer, ...]:
        cells = tuple(_moved(cell, 1, question.subject.desc.outputs) for cell in question.truth)
        return (*([] if None in cells else [cells]), *_read_from_one(question))

    def says(self, question: Question) -> str:
        subject, name = question.subject, element_text(question.subject, question.element)
        read = times_read(subject, len(question.truth))
        if not question.truth:
            return subject.sentence("dest.says", element=name, read=read)
        first = formula(subject, At.output(*question.truth[0]))
        return subject.sentence("dest.says_where", element=name, read=read, formula=first)


class CountKind(InputElementKind):
    """Asks how often an input element is read; the answer is an integer."""

    name, form = "count", NUMBER
    confirms_elsewise = True
    alternatives = 12

    def ask(self, reading: Reading, cell: Cell) -> Hashable | None:
        return len(reading.readers.get(cell, ())) if reading.has_true_sizes else None

    def worth(self, subject: Subject, found: list[Candidate]) -> list[Candidate]:
        own = [rule.reads for rule in subject.rules if rule.reads is not None and subject.may_differ(rule)]
        told = []
        for one in found:
            counts = {reads(subject.desc, subject.trace.read, one.at.place.number, one.at.index) for reads in own}
            more = len(counts - {one.truth})
            told.append(replace(one, told=one.told + more, apart=one.apart + more))
        return told if not subject.rules or any(one.told for one in told) else []

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        if rule is None or rule.reads is None:
            return super().answer(question, rule)
        return rule.reads(subject.desc, subject.trace.read, *question.cell) if subject.may_differ(rule) else None

    def words(self, question: Question) -> str:
        return str(question.truth)

    def says(self, question: Question) -> str:
        subject, at = question.subject, question.element
        cells = subject.truth.readers.get(question.cell)
        why = f"{formula(subject, At.output(*cells[0]))}." if cells else map_live(subject)
        read = times_read(subject, question.truth)
        return subject.sentence("count.says", element=element_text(subject, at), read=read, why=why)


class UnreadKind(Kind):
    """Asks which data elements no output element reads; the answer is a tuple of cells."""

    name, form, quantity, looks_up = "unread", INPUTS, "count", "readers"
    stage = 2
    pictured = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small
        if not subject.is_small or unpromised_sources(subject) or not 2 <= len(subject.data_cells) <= SHOWN:
            return None
        truth = _unread_by(subject, subject.truth)
        told = any(_unread_by(subject, reading) not in (None, truth) for reading in subject.element_readings.values())
        chosen = any(part.field.role is Role.INDICES for part in subject.desc.inputs)
        if not truth and not (told and chosen):
            return None  # without indices an operator that reads all of one desc reads all of every one
        return self.pose(subject, seed, subject.sentence("unread.prompt"), what_tells_elements(subject))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return _unread_by(question.subject, question.subject.element_reading(rule))

    def asks(self, question: Question) -> Iterator[Quantity]:
        inputs = question.subject.desc.inputs
        yield from (Quantity(self.quantity, inputs[k].path, index) for k, index in question.subject.data_cells)

    def score(self, question: Question, answer: Answer) -> float:
        return _share_marked(answer, question.truth)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        names = ", ".join(element_text(subject, At.input(*cell)) for cell in question.truth)
        return look(subject), subject.title, map_blank(subject), names or subject.sentence("unread.none")

    def says(self, question: Question) -> str:
        count, code = len(question.truth), map_live(question.subject)
        key = ("unread.says_none", "unread.says_one", "unread.says")[min(count, 2)]
        return question.subject.sentence(key, count=count, map=code)


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
            raise DmlvizError(question.subject.sentence("quiz.found_yes", found=quote(text)))
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
        if at is None:
            if not elements[False]:
                return None  # nobody would say no
            dice = self.dice(subject, seed)
            at = dice.choice(elements[dice.random() < 0.5 and bool(elements[True])])
        elif at not in (*elements[True], *elements[False]):
            return None
        prompt = subject.sentence("promised.prompt", element=element_text(subject, at))
        return self.pose(subject, seed, prompt, what_tells_elements(subject) | {"rules", "fixes"}, at=at)

    def asks(self, question: Question) -> Iterator[Quantity]:
        yield Quantity(self.name)

    def options(self, question: Question) -> tuple[Choice, ...]:
        say = question.subject.sentence
        return Choice("true", say("page.yes")), Choice("false", say("page.no"))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        reading = subject.truth if rule is None else subject.element_readings.get(rule.id)
        return None if reading is None else reading.promised.get(question.cell)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, say = question.subject, question.subject.sentence
        blank = formula_blank(subject, question.element).partition(say("words.where"))[0].removesuffix(".") + "."
        answer = say("promised.yes") if question.truth else say("promised.no")
        return say("words.joint").join(steering_paths(subject)), say("promised.rule"), blank, answer

    def says(self, question: Question) -> str:
        subject, way = question.subject, formula(question.subject, question.element)
        path = subject.desc.inputs[subject.truth.via[question.cell][0]].path
        key = "promised.says_inside" if question.truth else "promised.says_outside"
        return subject.sentence(key, path=path, formula=way)


def unpromised_sources(subject: Subject) -> frozenset[Cell]:
    """Input elements of a small subject that are read by output elements whose values aren't promised."""
    source = subject.truth.source
    return frozenset(source[cell] for cell, ok in subject.promised.items() if not ok and cell in source)


def _unread_by(subject: Subject, reading: Reading) -> tuple[Cell, ...] | None:
    """The data elements that nothing reads, in order; None where a reading can't say."""
    if not reading.has_true_sizes:
        return None
    return tuple(cell for cell in subject.data_cells if cell not in reading.readers)


def _share_marked(given: Sequence[Cell], wanted: Sequence[Cell]) -> float:
    """(hits - wrong) / all, not below 0; where there is none to find, 1 for none."""
    hits = len({*given} & {*wanted})
    return max(0.0, (2 * hits - len(given)) / len(wanted)) if wanted else float(not given)


def _moved(cell: Cell, by: int, parts: Sequence[Part]) -> Cell | None:
    """A cell with `by` more along each axis that is longer than 1; None where there is no such cell, or axis."""
    number, index = cell
    sizes = parts[number].tensor.sizes if cell != NOWHERE else ()
    there = tuple(i + by if n > 1 else i for i, n in zip(index, sizes, strict=True))
    return (number, there) if there != index and all(0 <= i < n for i, n in zip(there, sizes, strict=True)) else None


def _read_from_one(question: Question) -> Iterator[Answer]:
    """What is right of the element that a question's coordinates name when they are counted from 1, if there is one."""
    place, desc = question.element.place, question.subject.desc
    cell = _moved(question.cell, -1, desc.outputs if place.is_output else desc.inputs)
    if cell is not None:
        yield question.kind.answer(replace(question, at=At(place, cell[1])), None)


KINDS = CellKind(), SourceKind(), ViaKind(), DestKind(), CountKind(), UnreadKind(), PromisedKind()
