"""What is asked of whole outputs: `fill` and `order` their elements, `runs` how many copies write them, `pictures`."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...operators.maps import NOWHERE, Sources
from ..questions.goals import all_promised
from ..questions.question import ANYTHING, SHOWN, At, Choice, Hints, Kind, Picture, Question, Wish, part_at
from ..questions.subject import Answer, Cell, Reading, Rule, Subject, Value, first_wrong
from ..questions.wording import covers, element_text, formula
from ..words.catalogue import sentence
from .elements import PicturedKind
from .lib.forms import NUMBER, VALUES

MOST = 12
"""Numbers that are asked for at once; of a longer row the first ones. And rows that are looked at."""
MOST_FIRST = 8


class FillKind(PicturedKind):
    name = "fill"
    form = VALUES
    quantity = "value"
    alternatives = 1000

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        at = wish.at
        if not subject.is_small or (at is None and not subject.varies):
            return None
        dice = self.dice(subject, seed)
        if at is None:
            return self._about_row(subject, seed, dice, _rows_to_ask(subject, dice))
        return self._about_row(subject, seed, dice, [at], min(wish.first or MOST, SHOWN))

    def whole(self, subject: Subject, seed: int, most: int = SHOWN) -> Question | None:
        """A question about a whole output of at most `most` elements, to confirm a diagnosis; None where none tells."""
        if not subject.is_small or not subject.varies:
            return None
        counts = [part.tensor.element_count for part in subject.desc.outputs]
        rows = [At.output(k) for k, count in enumerate(counts) if count <= most]
        dice = self.dice(subject, seed)
        some = dice.sample(rows, min(len(rows), MOST))
        return self._about_row(subject, seed, dice, some, most)

    def _about_row(
        self, subject: Subject, seed: int, dice: random.Random, rows: list[At], most: int = MOST
    ) -> Question | None:
        counted = [(at, min(most, len(cells_under(subject.truth, at)))) for at in rows]
        chosen = self.most_telling(subject, dice, counted)
        if chosen is None:
            return None
        at, count = chosen
        first = None if count == len(cells_under(subject.truth, at)) else count
        name = element_text(subject, at) if at.index else part_at(subject, at.place).path
        prompt = sentence("fill.prompt", part=int(first is not None), count=count, name=name)
        return self.pose(subject, seed, prompt, covers(subject), at=at, first=first)

    def most_telling(self, subject: Subject, dice: random.Random, rows: list[tuple[At, int]]) -> tuple[At, int] | None:
        """The row and how many of its numbers that tell most wrong rules from the truth; None where none tells any."""
        telling: list[tuple[int, tuple[At, int]]] = []
        for at, count in rows:
            truth = self.values(subject, subject.truth, at, count)
            cells = cells_under(subject.truth, at)[:count]
            is_promised = all(map(subject.truth.promised.get, cells))
            if truth is not None and len({*truth}) > 1 and is_promised:
                readings = subject.element_readings.values()
                said = [self.values(subject, reading, at, count) for reading in readings]
                told = sum(one not in (None, truth) for one in said)
                if told or not said:
                    telling.append((told, (at, count)))
        dice.shuffle(telling)
        return max(telling, key=lambda row: row[0], default=(0, None))[1]

    def values(self, subject: Subject, reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
        """The first `count` numbers of a row or an output by a reading; None where it can't say."""
        cells = cells_under(reading, at)[:count]
        return tuple(reading.value[cell] for cell in cells) if len(cells) == count else None

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        reading = question.subject.element_reading(rule)
        return self.values(question.subject, reading, question.element, len(self.places(question)))

    def places(self, question: Question) -> list[tuple[int, ...]]:
        under = cells_under(question.subject.truth, question.element)
        return [index for _, index in under[: question.first]]

    def remarks(self, question: Question, answer: Answer) -> str:
        if (wrong := first_wrong(answer, question.truth)) is None:
            return self.says(question)
        at = At(question.element.place, self.places(question)[wrong])
        return sentence("fill.first_wrong", number=wrong + 1, formula=formula(question.subject, at))


class OrderKind(FillKind):
    name = "order"
    alternatives = 8
    about_memory = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None and wish.first is None else subject
        if not subject.is_small:
            return None
        outputs = [At.output(k) for k in range(len(subject.truth.sizes))]
        if wish.at is not None:
            outputs = [At(wish.at.place, ())]
        most = min(wish.first or MOST_FIRST, SHOWN)
        rows = []
        for at in outputs:
            cells = cells_under(subject.truth, at)[:most]
            promised = map(subject.truth.promised.get, cells)
            rows.append((at, [*promised, False].index(False)))
        chosen = self.most_telling(subject, self.dice(subject, seed), rows)
        if chosen is None:
            return None
        at, first = chosen
        prompt = sentence("order.prompt", count=first, path=part_at(subject, at.place).path)
        return self.pose(subject, seed, prompt, covers(subject), at=at, first=first)

    def values(self, subject: Subject, reading: Reading, at: At, count: int) -> tuple[Value, ...] | None:
        if reading.rule is None or reading.rule.order is None:
            return super().values(subject, reading, at, count)
        index = reading.rule.order(subject.desc, at.place.number, np.arange(count, dtype=np.int64))
        places = zip(*(axis.tolist() for axis in index), strict=True)
        return tuple(subject.truth.value[at.place.number, place] for place in places)

    def hints(self, question: Question) -> Hints:
        look, _, formula, answer = super().hints(question)
        return look, sentence("order.rule"), formula, answer

    def says(self, question: Question) -> str:
        part = part_at(question.subject, question.element.place)
        sizes = braces(part.tensor.sizes)
        return sentence("order.says", path=part.path, sizes=sizes, numbers=self.words(question))


def cells_under(reading: Reading, at: At) -> list[Cell]:
    """The elements of an output under a shorter index by a reading, in memory order; [] where it hasn't that."""
    depth = len(at.index)
    number = at.place.number
    if not at.place.is_output or number >= len(reading.sizes):
        return []
    if depth >= len(reading.sizes[number]):
        return []
    return [cell for cell in reading.value if cell[0] == number and cell[1][:depth] == at.index]


def _rows_to_ask(subject: Subject, dice: random.Random) -> list[At]:
    rows: list[At] = []
    for k, sizes in enumerate(subject.truth.sizes):
        depth = 0
        if math.prod(sizes) > MOST:
            depth = max(d for d, n in enumerate(sizes) if n > 1)
        rows += [At.output(k, index) for index in itertools.product(*map(range, sizes[:depth]))]
    return rows if len(rows) <= MOST else dice.sample(rows, MOST)


MOST_ELEMENTS = 4096
"""Elements of all outputs up to which runs are counted."""


class RunsKind(Kind):
    name = "runs"
    form = NUMBER
    stage = 3
    about_memory = True
    late = True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        outputs = subject.desc.outputs
        elements = sum(part.tensor.element_count for part in outputs)
        if not subject.valid or elements > MOST_ELEMENTS or not all_promised(subject.trace):
            return None
        constants = int(subject.trace.has_constants)
        field = subject.operator.constant_path
        if constants and not _runs_by(subject, None):
            return None
        count, path = len(outputs), outputs[0].path
        prompt = sentence("runs.prompt", count=count, path=path, constants=constants, field=field)
        return self.pose(subject, seed, prompt, {"memory", "links"})

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        runs = _runs_by(question.subject, rule)
        return None if runs is None else len(runs)

    def says(self, question: Question) -> str:
        runs = _runs_by(question.subject, None) or []
        least = min(runs, default=0)
        most = max(runs, default=0)
        return sentence("runs.says", count=f"{len(runs):,}", most=f"{most:,}", differ=int(least < most))


def _runs_by(subject: Subject, rule: Rule | None) -> list[int] | None:
    """The lengths of all runs by a rule, by its `order` along the first axis first; None if large, or mere sizes."""
    order = rule.order if rule is not None else None
    reading = subject.truth if order is not None else subject.reading(rule)
    if not reading.has_elements or sum(map(math.prod, reading.sizes)) > MOST_ELEMENTS:
        return None
    runs: list[int] = []
    for output, sizes in enumerate(reading.sizes):
        flat = np.arange(math.prod(sizes), dtype=np.int64)
        inputs = [*subject.trace.input_sizes]
        index = order(subject.desc, output, flat) if order is not None else unravel(flat, sizes)
        sources = reading.sources(output, index)
        if order is not None:
            sources = Sources(sources.tensor, sources.index[::-1])
            inputs = [each[::-1] for each in inputs]
        tensor = sources.tensor
        at = sources.flat(inputs)
        cut = (tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)
        ends = [0, *(np.flatnonzero(cut) + 1).tolist(), len(tensor)]
        runs += [b - a for a, b in itertools.pairwise(ends) if tensor[a] != NOWHERE]
    return runs


IDS = ("a", "b", "c", "d")
MOST_DRAWN = 64
"""Elements of an output that is drawn as a choice, or of all together."""
MOST_WAYS = 84


class PicturesKind(PicturedKind):
    name = "pictures"
    quantity = "value"
    stage = 1
    draws_outputs = False
    needs = "three misconceptions that give other pictures, no two the same"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        subject = subject.small if wish.at is None else subject
        parts = _parts(subject) if subject.is_small else []
        dice = self.dice(subject, seed)
        if wish.at is not None:
            parts = [part for part in parts if part == At(wish.at.place, ())]
        elif parts and not wish.rules and not subject.varies:
            return None
        for at in parts:
            drawn = _four(subject, dice, at, wish.rules)
            if drawn is None:
                continue
            choices = tuple(Choice(id_, picture=picture) for id_, picture in zip(IDS, drawn, strict=True))
            outputs = [subject.desc.outputs[k] for k in _numbers(subject, at)]
            name = outputs[0].path if len(outputs) == 1 else outputs[0].field.name
            prompt = sentence("pictures.prompt", name=name)
            first = None
            if at is not None:
                first = At(at.place, (0,) * len(outputs[0].tensor.sizes))
            return self.pose(subject, seed, prompt, covers(subject), at=first, choices=choices)
        return None

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        picture = draw(question.subject, question.subject.element_reading(rule), question.at)
        return next((choice.id for choice in question.choices if choice.picture == picture), None)

    def remarks(self, question: Question, answer: Answer) -> str:
        """Of a wrong picture where the first element that differs comes from."""
        numbers = {choice.id: _numbers_of(choice.picture) for choice in question.choices}
        first = first_wrong(numbers[answer], numbers[question.truth])
        if first is None:
            return self.says(question)
        cell = _cells(question.subject, question.at)[first]
        return formula(question.subject, At.output(*cell))


def _numbers_of(picture: Picture | None) -> list[Value]:
    outputs = picture.outputs if picture is not None else ()
    return [number for _, numbers in outputs for number in numbers]


def _four(subject: Subject, dice: random.Random, at: At | None, wanted: Sequence[str]) -> list[Picture] | None:
    """The pictures of an output, or of all, by the truth and three wrong rules, wanted ones first; None for no such."""
    truth = draw(subject, subject.truth, at)
    named = list[Picture]()
    others = list[Picture]()
    for id_, reading in subject.element_readings.items():
        picture = draw(subject, reading, at)
        if picture is not None and picture not in (truth, *named):
            (named if id_ in wanted else others).append(picture)
    wrong = len(IDS) - 1
    named = named[:wrong]
    others = [picture for picture in dict.fromkeys(others) if picture not in named]
    lacking = wrong - len(named)
    if truth is None or len(others) < lacking:
        return None
    drawn = [truth, *named, *_distractors(truth, named, others, lacking, dice)]
    dice.shuffle(drawn)
    return drawn


def _distractors(
    truth: Picture, named: list[Picture], others: list[Picture], count: int, dice: random.Random
) -> list[Picture]:
    """`count` of the others, by which the truth is most like all as rarely as any, though each is nearly the truth."""
    by_place: dict[int, list[tuple[Picture, ...]]] = {}
    ways = list(itertools.combinations(others, count))
    if len(ways) > MOST_WAYS:
        ways = dice.sample(ways, MOST_WAYS)
    for way in ways:
        four = (truth, *named, *way)
        apart = [sum(_count_differing(a, b) for b in four) for a in four]
        by_place.setdefault(sum(other < apart[0] for other in apart), []).append(way)
    wanted = dice.randrange(len(IDS))
    nearest = min(by_place, key=lambda place: abs(place - wanted))
    return list(dice.choice(by_place[nearest]))


@lru_cache(4096)
def _count_differing(one: Picture, other: Picture) -> int:
    pairs = zip(one.outputs, other.outputs, strict=True)
    return sum(x != y for (_, a), (_, b) in pairs for x, y in zip(a, b, strict=True))


def draw(subject: Subject, reading: Reading, at: At | None) -> Picture | None:
    """The picture of all outputs by a reading, or of one; None where sizes are untrue, or an element isn't promised."""
    cells = _cells(subject, at)
    if not reading.has_true_sizes or not all(map(subject.truth.promised.get, cells)):
        return None
    outputs = []
    for k in _numbers(subject, at):
        own = tuple(reading.value[cell] for cell in cells if cell[0] == k)
        outputs.append((reading.sizes[k], own))
    return Picture(tuple(outputs))


def _cells(subject: Subject, at: At | None) -> list[Cell]:
    numbers = _numbers(subject, at)
    return [cell for cell in subject.truth.value if cell[0] in numbers]


def _numbers(subject: Subject, at: At | None) -> list[int]:
    return [*range(len(subject.truth.sizes))] if at is None else [at.place.number]


def _parts(subject: Subject) -> list[At | None]:
    """None for all outputs of a small subject and each by itself, those that have few enough elements to be drawn."""
    counts = [part.tensor.element_count for part in subject.desc.outputs]
    parts: list[At | None] = [None] if sum(counts) <= MOST_DRAWN else []
    parts += [At.output(k) for k, count in enumerate(counts) if count <= MOST_DRAWN]
    return parts


FILL = FillKind()
KINDS = FILL, OrderKind(), RunsKind(), PicturesKind()
