"""Kinds that ask one thing of one element: each is a look into what a reading says of all."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import Any

from ...desc.base import Part
from ...desc.fields import Role
from ...errors import DmlvizError, quote
from ..questions.question import ANYTHING, SHOWN, At, Choice, Form, Hints, Kind, Question, Wish, most_telling
from ..questions.subject import Answer, Cell, Rule, Subject, shown
from ..questions.wording import blanks, covers, element_text, formula, listed, look, map_live, origin_text, steering
from ..words.catalogue import sentence
from .lib.forms import INPUT, INPUTS, NUMBER, OUTPUTS, VALUE

MOST_MARKED = 16


class PicturedKind(Kind):
    """A kind that asks in the picture, whose rule is the operator's own sentence."""

    pictured = True

    def words(self, question: Question) -> str:
        form = self.form
        several = question.truth
        if not isinstance(several, tuple) or (form.how == "mark" and not form.takes_several):
            several = (several,)
        if form.side == "inputs":
            names = [origin_text(question.subject, cell) for cell in several]
        elif form.side == "outputs":
            names = [element_text(question.subject, At.output(*cell)) for cell in several]
        else:
            names = [shown(value) for value in several]
        return ", ".join(names) or sentence("words.none")

    def hints(self, question: Question) -> Hints:
        subject = question.subject
        return look(subject), subject.title, blanks(subject), self.words(question)

    def says(self, question: Question) -> str:
        return map_live(question.subject)


class ElementKind(PicturedKind):
    """A kind that asks one thing of an element: of the one that tells most wrong rules apart."""

    told_only = False
    """True where it is asked only if some wrong rule answers otherwise than the truth."""

    def said(self, subject: Subject, cell: Cell, rule: Rule | None = None) -> Hashable | None:
        """What the holder of a rule answers for an element, the truth for None; None where a rule can't tell.

        By default what a reading has under the name of the `quantity`.
        """
        said = getattr(subject.element_reading(rule), self.quantity)
        answer: Hashable | None = said.get(cell)
        return answer

    def certain(self, subject: Subject) -> list[At]:
        """The elements of a small subject about which the answer is certain: by default promised outputs."""
        return [At.output(*cell) for cell, is_promised in subject.truth.promised.items() if is_promised]

    def choose(self, subject: Subject, places: Sequence[At], dice: random.Random) -> At | None:
        found: list[tuple[At, Hashable, Sequence[Hashable | None]]] = []
        for at in places:
            cell = at.place.number, at.index
            truth = self.said(subject, cell)
            is_long = isinstance(truth, tuple) and len(truth) > MOST_MARKED
            if truth is not None and not is_long:
                wrong = [self.said(subject, cell, rule) for rule in subject.rules]
                found.append((at, truth, wrong))
        is_told = any(answer not in (None, truth) for _, truth, wrong in found for answer in wrong)
        differ = len({truth for _, truth, _ in found}) > 1
        if is_told or (differ and not (self.told_only and subject.rules)):
            return most_telling(found, dice)
        return None

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        at = wish.at
        if not subject.is_small:
            return None
        places = self.certain(subject)
        at = at or self.choose(subject, places, self.dice(subject, seed))
        if at is None or at not in places:
            return None
        if self.said(subject, (at.place.number, at.index)) is None:
            return None
        panels = ("rules", "fixes") if self.told_by_rules else ()
        has_lengths = any(part.field.role is Role.LENGTHS for part in subject.desc.inputs)
        prompt = sentence(
            f"{self.name}.prompt",
            element=element_text(subject, at),
            nowhere=int(self.takes_nowhere(subject)),
            path=", ".join(steering(subject)[:1]),
            lengths=int(has_lengths),
        )
        return self.pose(subject, seed, prompt, {*covers(subject), *panels}, at=at)

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        return self.said(question.subject, question.cell, rule)

    def says(self, question: Question) -> str:
        return formula(question.subject, question.element)

    def counted_from_one(self, question: Question) -> Sequence[Answer]:
        if self.form.how != "mark":
            return ()
        subject = question.subject
        several = self.form.takes_several
        sides = subject.desc.inputs, subject.desc.outputs
        marked, asked = reversed(sides) if self.of_inputs else sides
        cells = question.truth if several else [question.truth]
        more = tuple(_moved(cell, 1, marked) for cell in cells)
        answers: list[Answer] = []
        if None not in more:
            answers.append(more if several else more[0])
        before = _moved(question.cell, -1, asked)
        if before is not None:
            answers.append(self.said(subject, before))
        return answers


class CellKind(ElementKind):
    name = "cell"
    form = VALUE
    quantity = "value"
    alternatives = 16
    stage = 1
    told_only = True


class SourceKind(ElementKind):
    name = "source"
    form = INPUT
    quantity = "source"

    def takes_nowhere(self, subject: Subject) -> bool:
        return subject.trace.has_constants


class ViaKind(ElementKind):
    name = "via"
    form = INPUT
    quantity = "via"
    needs = "an index or a length tensor"

    def tensor_marked(self, subject: Subject) -> int:
        return next(k for k, part in enumerate(subject.desc.inputs) if not part.is_data)


class DestKind(ElementKind):
    name = "dest"
    quantity = "dest"
    form: Form = OUTPUTS
    of_inputs = True

    def said(self, subject: Subject, cell: Cell, rule: Rule | None = None) -> Hashable | None:
        reading = subject.element_reading(rule)
        return reading.readers.get(cell, ()) if reading.has_true_sizes else None

    def certain(self, subject: Subject) -> list[At]:
        left_out = _unpromised_sources(subject)
        cells = subject.data_cells
        if left_out:
            readers = subject.truth.readers
            cells = [cell for cell in cells if cell in readers and cell not in left_out]
        return [At.input(*cell) for cell in cells]

    def says(self, question: Question) -> str:
        subject = question.subject
        cells = subject.truth.readers.get(question.cell, ())
        why = formula(subject, At.output(*cells[0])) if cells else map_live(subject)
        read = sentence("words.read" if cells else "words.never_read", times=f"{len(cells):,}")
        return sentence("count.says", element=element_text(subject, question.element), read=read, why=why)


class CountKind(DestKind):
    name = "count"
    form = NUMBER
    quantity = "count"
    confirms_elsewise = True
    told_only = True
    alternatives = 12

    def said(self, subject: Subject, cell: Cell, rule: Rule | None = None) -> Hashable | None:
        if rule is not None and rule.reads is not None:  # it says so by itself
            read = subject.trace.read
            if not rule.differs(subject.desc, read):
                return None
            return rule.reads(subject.desc, read, *cell)
        readers: Any = super().said(subject, cell, rule)
        return None if readers is None else len(readers)


class UnreadKind(PicturedKind):
    name = "unread"
    form = INPUTS
    quantity = "count"
    needs = "few input elements, some of which may not be read"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small
        if not subject.is_small or _unpromised_sources(subject):
            return None
        if not 2 <= len(subject.data_cells) <= SHOWN:
            return None
        question = self.pose(subject, seed, sentence("unread.prompt"), covers(subject))
        if question.truth:
            return question
        # Without indices an operator that reads all of one desc reads all of every one.
        chosen = any(part.field.role is Role.INDICES for part in subject.desc.inputs)
        return question if question.answers and chosen else None

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        reading = question.subject.element_reading(rule)
        if not reading.has_true_sizes:
            return None
        return tuple(cell for cell in question.subject.data_cells if cell not in reading.readers)

    def says(self, question: Question) -> str:
        count = len(question.truth)
        return sentence("unread.says", count=count, all=int(not count), map=map_live(question.subject))


class YesOrNo(Form):
    words = "yes"

    def read(self, question: Question, given: object) -> bool:
        if not isinstance(given, bool):
            raise DmlvizError(f"answer is {quote(given)}, expected true or false.")
        return given

    def text(self, question: Question, answer: Answer) -> str:
        return str(answer).lower()

    def typed(self, question: Question, text: str) -> bool:
        if (word := text.strip().lower()) not in ("yes", "y", "no", "n", "true", "false"):
            raise DmlvizError(sentence("quiz.found_yes", found=quote(text)))
        return word[0] in "yt"


class PromisedKind(ElementKind):
    name = "promised"
    form = YesOrNo()
    quantity = "promised"
    needs = "an element for which DirectML doesn't promise a value"
    told_by_rules = True
    pictured = False
    alternatives = 2

    def certain(self, subject: Subject) -> list[At]:
        has_indices = any(part.field.role is Role.INDICES for part in subject.desc.inputs)
        return [At.output(*cell) for cell in subject.truth.promised] if has_indices else []

    def choose(self, subject: Subject, places: Sequence[At], dice: random.Random) -> At | None:
        elements: dict[bool, list[At]] = {True: [], False: []}
        for at in places:
            elements[subject.truth.promised[at.place.number, at.index]].append(at)
        if not elements[False]:
            return None  # else nobody would say no
        return dice.choice(elements[dice.random() < 0.5 and bool(elements[True])])

    def options(self, question: Question) -> tuple[Choice, ...]:
        return Choice("true", sentence("page.yes")), Choice("false", sentence("page.no"))

    def hints(self, question: Question) -> Hints:
        subject = question.subject
        answer = "page.yes" if question.truth else "page.no"
        return listed(steering(subject)), sentence("promised.rule"), blanks(subject), sentence(answer)

    def says(self, question: Question) -> str:
        subject = question.subject
        way = formula(subject, question.element)
        path = subject.desc.inputs[subject.truth.via[question.cell][0]].path
        return sentence("promised.says", path=path, inside=int(question.truth), formula=way)


def _unpromised_sources(subject: Subject) -> frozenset[Cell]:
    source = subject.truth.source
    unpromised = [cell for cell, ok in subject.truth.promised.items() if not ok]
    return frozenset(source[cell] for cell in unpromised if cell in source)


def _moved(cell: Cell, by: int, parts: Sequence[Part]) -> Cell | None:
    """A cell with `by` more along each axis that is longer than 1; None where there is no such cell, or axis."""
    number, index = cell
    sizes = parts[number].tensor.sizes
    there = tuple(i + by if n > 1 else i for i, n in zip(index, sizes, strict=False))
    is_inside = all(0 <= i < n for i, n in zip(there, sizes, strict=False))
    return (number, there) if there != index and is_inside else None


KINDS = CellKind(), SourceKind(), ViaKind(), DestKind(), CountKind(), UnreadKind(), PromisedKind()
