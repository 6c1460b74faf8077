"""`pictures`: which of four pictures is the output?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ...operators.wrong_rules import Misreading, Sizes
from ..questions.answers import first_wrong, values_of
from ..questions.elements import fit_a_choice, indices_in_window, may_ask_output, windows
from ..questions.question import ANYTHING, Answer, At, Choice, Kind, Picture, Question, Wish
from ..questions.subject import Reading, Subject
from ..questions.wording import formula_and_value, listed, look, map_blank, map_live, path_of, what_tells_elements
from .lib.choices import read_choice

IDS = ("a", "b", "c", "d")
ACROSS, DOWN = 6, 4
"""Elements of a window along the last axis that is longer than 1, and along the one before it."""
MOST_WAYS = 84
"""Choices of three wrong pictures that are looked at."""
MOST_WINDOWS = 8
"""Windows that are looked at for one that shows three wrong rules."""


class PicturesKind(Kind):
    """Asks which of four pictures is the output; the answer is the letter of a choice."""

    name = "pictures"
    stage = 1

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid:
            return None
        dice = self.dice(subject, seed)
        parts: Iterable[tuple[At | None, Sizes]] = _parts_to_ask(subject, dice)
        if wish.at is not None:
            if not may_ask_output(subject, wish.at, promised=False):
                return None
            sizes = subject.desc.outputs[wish.at.place.number].tensor.sizes
            room = zip(_window_sizes(sizes, 0), sizes, wish.at.index, strict=True)
            parts = [(wish.at, tuple(min(wide, n - i) for wide, n, i in room))]
        elif not wish.rules and (not subject.varies or len(subject.element_readings) < len(IDS) - 1):
            return None
        return self._first_question(subject, seed, dice, parts, wish.rules)

    def _first_question(
        self,
        subject: Subject,
        seed: int,
        dice: random.Random,
        parts: Iterable[tuple[At | None, Sizes]],
        rules: Sequence[str],
    ) -> Question | None:
        """The question about the first part that shows three wrong rules, `rules` before others; None for none."""
        wanted = [rule for rule in rules if rule in subject.element_readings]
        less: Question | None = None
        for at, sizes in parts:
            truth = draw(subject, subject.truth, at, sizes)
            if truth is None:
                continue
            named: list[Picture] = []
            others: list[Picture] = []
            for id_, reading in subject.element_readings.items():
                picture = draw(subject, reading, at, sizes)
                if picture is not None and picture not in (truth, *named):
                    (named if id_ in rules else others).append(picture)
            named = named[: len(IDS) - 1]
            others = [picture for picture in dict.fromkeys(others) if picture not in named]
            lacking = len(IDS) - 1 - len(named)
            if len(others) < lacking:
                continue
            # Of several whole outputs the input is no larger than they are together: no window is needed.
            first = at or At.output(0, (0,) * len(subject.truth.sizes[0]))
            places = _window_places(first, sizes if at is not None else subject.truth.sizes[0])
            shown = windows(subject, dice, [At(first.place, place) for place in places])
            if shown is None:
                continue
            drawn = [truth, *named, *_distractors(truth, named, others, lacking, dice)]
            dice.shuffle(drawn)
            choices = tuple(Choice(id_, picture=picture) for id_, picture in zip(IDS, drawn, strict=True))
            prompt = subject.sentence("pictures.prompt", name=_part_name(subject, at, sizes))
            hidden = what_tells_elements(subject)
            question = self.pose(subject, seed, prompt, hidden, at=at, windows=shown, choices=choices)
            if len(named) >= min(len(wanted), len(IDS) - 1):
                return question
            less = less or question
        return less

    def part(self, question: Question) -> str:
        picture, subject = question.choices[0].picture, question.subject
        if question.at is None or picture is None or not picture.start:
            return ""
        return f"{_part_name(subject, question.at, picture.outputs[0][0])}."

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        picture = draw(subject, subject.element_reading(rule), question.at, _asked_sizes(question))
        return next((choice.id for choice in question.choices if choice.picture == picture), None)

    def read(self, question: Question, given: object) -> str:
        return read_choice(question, given)

    def where(self, question: Question, answer: Answer) -> At | None:
        """The first element in which the chosen picture differs from the right one."""
        pictures = {choice.id: choice.picture for choice in question.choices}
        wrong, true = pictures[answer], pictures[question.truth]
        assert wrong is not None
        assert true is not None
        for k, ((sizes, values), (_, right)) in enumerate(zip(wrong.outputs, true.outputs, strict=True)):
            first = first_wrong(values, right)
            if first is not None:
                at = question.at or At.output(k, (0,) * len(sizes))
                return At(at.place, _window_places(at, sizes)[first])
        return question.at

    def remarks(self, question: Question, answer: Answer) -> str:
        at = None if answer == question.truth else self.where(question, answer)
        return self.says(question) if at is None else formula_and_value(question.subject, at)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        return look(subject), subject.title, map_blank(subject), str(question.truth)

    def says(self, question: Question) -> str:
        return map_live(question.subject)


def _distractors(
    truth: Picture, named: list[Picture], others: list[Picture], count: int, dice: random.Random
) -> list[Picture]:
    """`count` of the others, so that the truth is the picture most like all as rarely as any other is.

    Each distractor is the truth with one thing wrong: by chance the truth would stand in the middle of them.
    """
    by_place: dict[int, list[tuple[Picture, ...]]] = {}
    ways = list(itertools.combinations(others, count))
    for way in ways if len(ways) <= MOST_WAYS else dice.sample(ways, MOST_WAYS):
        four = (truth, *named, *way)
        apart = [sum(_count_differing(a, b) for b in four) for a in four]
        by_place.setdefault(sum(other < apart[0] for other in apart), []).append(way)
    wanted = dice.randrange(len(IDS))
    return list(dice.choice(by_place[min(by_place, key=lambda place: abs(place - wanted))]))


@lru_cache(4096)
def _count_differing(one: Picture, other: Picture) -> int:
    """How many elements differ in two pictures of the same sizes."""
    pairs = zip(one.outputs, other.outputs, strict=True)
    return sum(x != y for (_, a), (_, b) in pairs for x, y in zip(a, b, strict=True))


def draw(subject: Subject, reading: Reading, at: At | None, sizes: Sizes) -> Picture | None:
    """The picture of all outputs by a reading, or of a window of one where `at` says which; worked out once.

    None where the reading's outputs have other sizes than the true ones, or an element isn't promised.
    """
    if not reading.has_elements or reading.sizes != subject.truth.sizes:
        return None
    return subject.keep(("pictures", reading.rule_id, at, sizes), lambda: _drawn_anew(subject, reading, at, sizes))


def _drawn_anew(subject: Subject, reading: Reading, at: At | None, sizes: Sizes) -> Picture | None:
    """The picture that `draw` keeps."""
    start: tuple[int, ...] = ()
    if at is not None:
        parts = [(at, sizes)]
        start = at.index if sizes != reading.sizes[at.place.number] else ()
    else:
        parts = [(At.output(k, (0,) * len(whole)), whole) for k, whole in enumerate(reading.sizes)]
    outputs = []
    for part, wide in parts:
        index = indices_in_window(part.index, wide)
        if not subject.promised(part.place.number, index).all():
            return None
        outputs.append((wide, tuple(values_of(reading.values(part.place.number, index)))))
    return Picture(tuple(outputs), start)


def _parts_to_ask(subject: Subject, dice: random.Random) -> Iterator[tuple[At | None, Sizes]]:
    """(None, ()) for all outputs where they are small, then (start, sizes) of windows into one.

    The first begin at the origin; for what shows elsewhere there are others, smaller and smaller.
    """
    if fit_a_choice(subject):
        yield None, ()
    outputs = subject.desc.outputs
    for k in dice.sample(range(len(outputs)), min(len(outputs), MOST_WINDOWS)):
        sizes = outputs[k].tensor.sizes
        yield At.output(k, (0,) * len(sizes)), _window_sizes(sizes, 0)
    for less in range(MOST_WINDOWS):
        k = dice.randrange(len(outputs))
        sizes = outputs[k].tensor.sizes
        wide = _window_sizes(sizes, less // 2)
        yield At.output(k, tuple(dice.randint(0, n - w) for n, w in zip(sizes, wide, strict=True))), wide


def _window_sizes(sizes: Sizes, less: int) -> Sizes:
    """The sizes of a window: up to `ACROSS` and `DOWN` elements of the innermost two longer axes, less `less`."""
    wide = [1] * len(sizes)
    long = [d for d in reversed(range(len(sizes))) if sizes[d] > 1][:2]
    for d, most in zip(long, (ACROSS, DOWN), strict=False):
        wide[d] = max(2, min(sizes[d], most) - less)
    return tuple(wide)


def _asked_sizes(question: Question) -> Sizes:
    """The sizes of the window that is asked about; () for whole outputs."""
    picture = question.choices[0].picture
    assert picture is not None
    return picture.outputs[0][0] if question.at is not None else ()


def _window_places(at: At, sizes: Sizes) -> list[tuple[int, ...]]:
    """The indices of a window's elements, row-major."""
    return list(zip(*(axis.tolist() for axis in indices_in_window(at.index, sizes)), strict=True))


def _part_name(subject: Subject, at: At | None, sizes: Sizes) -> str:
    """The paths of all outputs, or of a window: `OutputTensor[0:2,3]`."""
    if at is None:
        paths = [part.path for part in subject.desc.outputs]
        few = len(paths) <= 3
        return listed(paths) if few else subject.sentence("words.to", first=paths[0], last=paths[-1])
    path, whole = path_of(subject, at.place), subject.desc.outputs[at.place.number].tensor.sizes
    if sizes == whole:
        return path
    long = [d for d, n in enumerate(sizes) if n > 1][-2:]
    named = {long[-1]: "pictures.columns"} | ({long[0]: "pictures.rows"} if len(long) > 1 else {})
    pieces = []
    for d, (first, n, count) in enumerate(zip(at.index, sizes, whole, strict=True)):
        if d in named:
            pieces.append(subject.sentence(named[d], first=first, last=first + n - 1, count=count))
        elif count > 1:
            pieces.append(subject.sentence("pictures.at", axis=d, index=first))
    return ", ".join((path, *pieces))


KIND = PicturesKind()
