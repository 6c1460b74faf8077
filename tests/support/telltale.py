"""Whether a screen that asks, or the one before it, holds the answer: by its place, whatever number stands there.

A student goes through all lessons, and through what `g` asks about each example; what their
screens show at each position of the cursor, and after each step, is held against what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import unravel
from dmlviz.desc.tensors import braces, brackets
from dmlviz.operators.maps import Place
from dmlviz.scene.cells.cells import cells_of
from dmlviz.scene.cells.contents import HIDDEN, contents_of
from dmlviz.scene.elements.cursor import Cursor, part_of
from dmlviz.scene.view_state import view_state_of
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.lessons.lessons import Lesson
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.question import Question, part_at, told_by_reveal
from dmlviz.teaching.questions.subject import shown
from dmlviz.teaching.tasks.own_tasks import own_question
from dmlviz.workspace.asking.asking import AskDesk, AskState
from dmlviz.workspace.explorer.workspace import is_covered
from dmlviz.workspace.shown.picture import Picture, Room
from dmlviz.workspace.shown.state import PictureState
from support.answering import Clock, begun, give

MOST_CURSORS, MOST_STEPS = 60, 12
"""Positions and steps that are looked at, of one question."""
QUESTIONS = 5
"""How many `g` asks about each example."""
EXCEPTIONS: dict[str, str] = {}
"""Steps that may be told, by their tasks' ids, each with its reason; at most five."""


class Quantity(NamedTuple):
    """One thing that a screen may show or ask: by its place, whatever number stands there."""

    what: str
    """As `Kind.quantity` has it, or a kind's name."""
    path: str = ""
    at: tuple[int, ...] = ()


def asked_of(question: Question) -> set[Quantity]:
    """What a question asks for."""
    subject, kind, at = question.subject, question.kind, question.at
    if kind.quantity == "field":
        return {Quantity("field", question.blank or "")}
    if kind.quantity == "sizes":
        return {Quantity("sizes", path.removesuffix(".Sizes")) for path in question.hidden if path.endswith(".Sizes")}
    if kind.name == "unread":
        return {Quantity("count", subject.desc.inputs[k].path, index) for k, index in subject.data_cells}
    if kind.name == "pictures":
        cells = [cell for cell in subject.truth.value if at is None or cell[0] == at.place.number]
        return {Quantity("value", subject.desc.outputs[k].path, index) for k, index in cells}
    if at is None or kind.quantity in ("", "promised"):
        return {Quantity(kind.name)}
    return {Quantity(kind.quantity, part_at(subject, at.place).path, index) for index in kind.places(question)}


def places_of(state: PictureState) -> list[Place]:
    """The tensors that are drawn."""
    scene = state.scene
    return [] if scene is None else [figure.place for figure in (*scene.inputs.figures, *scene.outputs.figures)]


def seen_in(state: PictureState) -> Iterator[Quantity]:
    """What the cells of a picture, its titles and the names of its axes show, and what belongs to its cursor."""
    scene = state.scene
    if scene is None:
        return
    trace, cursor = scene.trace, state.look.cursor
    for figure in (*scene.inputs.figures, *scene.outputs.figures):
        place = figure.place
        part = part_of(trace, place)
        yield Quantity("sizes", part.path)
        indices = list(np.ndindex(*part.tensor.sizes))
        contents = contents_of(trace, place, unravel(np.arange(len(indices), dtype=np.int64), part.tensor.sizes))
        cells = cells_of(contents, state.look, state.links)
        counted = cells.contents.counts is not None or any(
            "×" in s.text for foot in figure.feet(state.look) for s in foot
        )
        for index, cell in zip(indices, cells.every, strict=True):
            if place.is_output and cell.is_known and cell.text != HIDDEN:
                yield Quantity("value", part.path, index)
            if not place.is_output and part.field.role is Role.DATA and counted:
                yield Quantity("count", part.path, index)
            if cell.is_marked and cursor is not None and cursor.place != place:
                yield from _linked(trace, cursor, Cursor(place, index))
            if cell.is_marked and state.look.lit is not None and place.is_output:
                yield from (Quantity(what, part.path, index) for what in ("source", "via"))


def _linked(trace: Any, one: Cursor, other: Cursor) -> Iterator[Quantity]:
    """What it tells that two elements belong together."""
    for cursor in (one, other):
        path = part_of(trace, cursor.place).path
        names = ("source", "via") if cursor.place.is_output else ("dest",)
        yield from (Quantity(name, path, cursor.index) for name in names)


def seen_beside(state: AskState) -> Iterator[Quantity]:
    """What the lines of fields and the plain tables show."""
    for field in state.fields:
        if "?" not in field.text and not field.blank:
            yield Quantity("field", field.path)
    for table in state.tables:
        path = table.title.split()[0]
        if "?" not in table.title:
            yield Quantity("sizes", path)
        if table.is_output and table.values:
            yield from (Quantity("value", path, index) for index in np.ndindex(*table.sizes))


def seen_while_open(asking: AskDesk) -> set[Quantity]:
    """All that the screen shows of an open question, wherever the cursor goes and whatever steps are shown."""
    seen = {*seen_beside(asking.state), Quantity("name")}
    for step in range(MOST_STEPS if asking.can_step else 1):
        if step:
            asking.step(1)
        seen |= {*seen_in(asking.state.picture)}
        if not asking.moves_cursor or asking.picture.scene is None:
            continue
        trace = asking.picture.scene.trace
        for place in places_of(asking.state.picture):
            for index in list(np.ndindex(*part_of(trace, place).tensor.sizes))[:MOST_CURSORS]:
                asking.picture.point(Cursor(place, index))
                seen |= {*seen_in(asking.state.picture)}
    return seen


def told_in_words(texts: tuple[str, ...], question: Question) -> set[Quantity]:
    """What sentences tell of what is asked: an element's number behind its path, sizes in braces behind a tensor's."""
    told = set()
    for quantity in asked_of(question):
        told |= {quantity for text in texts if any(re.search(p, text) for p in _patterns(quantity, question))}
    return told


def _patterns(quantity: Quantity, question: Question) -> Iterator[str]:
    subject, truth = question.subject, question.truth
    at = re.escape(f"{quantity.path}{brackets(quantity.at)}")
    if quantity.what == "value" and question.kind.name == "cell":
        yield rf"{at} = .*\b{re.escape(shown(truth))}\b"
    elif quantity.what in ("source", "via"):
        yield rf"{at}.*{re.escape(subject.desc.inputs[truth[0]].path + brackets(truth[1]))}"
    elif quantity.what == "count":
        yield rf"{at}.*(×{truth}|\b{truth} times)"
    elif quantity.what == "sizes":
        sizes = next(part.tensor.sizes for part in subject.desc.parts if part.path == quantity.path)
        yield rf"{re.escape(quantity.path)}\b[^.]*{re.escape(braces(sizes))}"
    elif quantity.what == "field" and not isinstance(truth, tuple):
        yield rf"{quantity.path} {truth}\b"
    elif quantity.what == "field":
        yield rf"{quantity.path} (= )?{re.escape(braces(truth))}"


def explored(experiment: Experiment, *, covered: bool) -> set[Quantity]:
    """What the explorer shows of an experiment: its picture, `covered` as an open question needs it, and its panels."""
    panels = {Quantity(name) for name in ("valid", "fixes", "lowest")}
    panels |= {Quantity("field", field.name) for field in experiment.desc.FIELDS}
    panels |= {Quantity("sizes", part.path) for part in experiment.desc.parts}
    view = view_state_of(experiment)
    picture = Picture(memory=False)
    picture.look_at(view)
    picture.is_covered = covered
    picture.fit(Room(100, 24))
    return panels | ({*seen_in(picture.state())} if view.live else set())


class Walk:
    """A student's way through questions, and what was told where it should not have been."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.asked = self.reveals = 0

    def _check(self, asking: AskDesk, before: Question | None, words: tuple[str, ...], name: str) -> None:
        question = asking.question
        asked = asked_of(question)
        self.asked += 1
        hidden_but = {*asked & seen_while_open(asking)}
        self._note(f"{name} now", hidden_but, question)
        self._note(f"{name} prompt", told_in_words((question.prompt,), question), question)
        if before is not None:
            self.reveals += 1
            self._note(f"{name} before", asked if told_by_reveal(before, question) else set(), question)
            self._note(f"{name} words before", told_in_words(words, question), question)

    def _note(self, name: str, told: Collection[Quantity], question: Question) -> None:
        if told:
            first = min(told, key=lambda quantity: (quantity.what, quantity.path, quantity.at))
            place = f"{first.path}{list(first.at) if first.at else ''}"
            self.faults.append(f"{name}: {question.kind.name} is told {first.what} {place} ({len(told)})")

    def lesson(self, lesson: Lesson) -> None:
        """Goes through a lesson, and answers each step rightly."""
        asking = begun(lesson)
        before: Question | None = None
        words: tuple[str, ...] = ()
        while not asking.ended:
            running = asking.lesson
            assert running is not None
            name = f"{lesson.id} {running.task}"
            if asking.form.how == "edit":
                before, words = None, ()
                asking.returned(solved=True)
                continue
            if running.task not in EXCEPTIONS:
                self._check(asking, before, words, name)
            state = self._answer(asking)
            before, words = asking.question, running.told(right=state.verdict is not None)
            asking.answer()

    def _answer(self, asking: AskDesk) -> AskState:
        """Answers anew, since whoever looked around has moved the cursor and chosen nothing."""
        question = asking.question
        if question.kind.name not in ("fixes", "misprint"):
            with suppress(AssertionError, KeyError, IndexError, TypeError):
                give(asking, question.truth)
        asking.skip()
        return asking.state

    def example(self, name: str, experiment: Experiment) -> None:
        """Asks what `g` asks about an experiment of an example."""
        own = own_question(experiment)
        if own is not None and own.task.ask.change is None:
            told = asked_of(own) & explored(experiment, covered=is_covered(name, experiment))
            self._note(f"{name} explorer", {*told}, own)
        try:
            asking = AskDesk(experiment, Progress(), Clock(), own=own)
        except Exception:  # nothing to ask about
            return
        asking.fit(Room(100, 24))
        before: Question | None = None
        for _ in range(QUESTIONS):
            self._check(asking, before, (), f"{name} g")
            self._answer(asking)
            before = asking.question
            asking.answer()
            if asking.question is before:
                return
