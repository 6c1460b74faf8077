"""Whether a screen that asks, or the one before it, holds the answer: by its place, whatever number stands there.

A student goes through all lessons, and through what `g` asks about each example; what their
screens show at each position of the cursor, and after each step, is held against what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from dmlviz.desc.indexing import unravel
from dmlviz.desc.tensors import braces, brackets
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


def seen_in(state: PictureState) -> Iterator[Quantity]:
    """What the cells of a picture, its titles and the names of its axes show, and what belongs to its cursor."""
    scene, look = state.scene, state.look
    for figure in (*scene.inputs.figures, *scene.outputs.figures) if scene is not None else ():
        place, trace, cursor = figure.place, figure.trace, look.cursor
        part = part_of(trace, place)
        yield Quantity("sizes", part.path)
        contents = contents_of(trace, place, unravel(part.tensor.flat, part.tensor.sizes))
        cells = cells_of(contents, look, state.links)
        counted = cells.contents.counts is not None or "×" in str(figure.feet(look))
        for at, cell in zip(np.ndindex(*part.tensor.sizes), cells.every, strict=True):
            if place.is_output and cell.is_known and cell.text != HIDDEN:
                yield Quantity("value", part.path, at)
            if not place.is_output and part.is_data and counted:
                yield Quantity("count", part.path, at)
            is_partner = cursor is not None and cursor.place != place
            if cell.is_marked and (is_partner or (look.lit is not None and place.is_output)):
                for one in (Cursor(place, at), *([cursor] if is_partner else ())):
                    for what in ("source", "via") if one.place.is_output else ("dest",):
                        yield Quantity(what, part_of(trace, one.place).path, one.index)


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
        scene = asking.picture.scene
        for figure in (*scene.inputs.figures, *scene.outputs.figures) if scene and asking.moves_cursor else ():
            for index in islice(np.ndindex(*part_of(figure.trace, figure.place).tensor.sizes), MOST_CURSORS):
                asking.picture.point(Cursor(figure.place, index))
                seen |= {*seen_in(asking.state.picture)}
    return seen


def told_in_words(texts: tuple[str, ...], question: Question) -> set[Quantity]:
    """What sentences tell of what is asked: an element's number behind its path, sizes in braces behind a tensor's."""
    asked = ((each, said_of(each, question)) for each in asked_of(question))
    return {each for each, said in asked if said and any(re.search(said, text) for text in texts)}


def said_of(quantity: Quantity, question: Question) -> str:
    """What a sentence that tells it matches; "" for what no sentence tells."""
    desc, truth, path = question.subject.desc, question.truth, re.escape(quantity.path)
    at = re.escape(f"{quantity.path}{brackets(quantity.at)}")
    if quantity.what == "value" and question.kind.name == "cell":
        return rf"{at} = .*\b{re.escape(shown(truth))}\b"
    if quantity.what in ("source", "via"):
        return rf"{at}.*{re.escape(desc.inputs[truth[0]].path + brackets(truth[1]))}"
    if quantity.what == "count":
        return rf"{at}.*(×{truth}|\b{truth} times)"
    if quantity.what == "sizes":
        (sizes,) = (part.tensor.sizes for part in desc.parts if part.path == quantity.path)
        return rf"{path}\b[^.]*{re.escape(braces(sizes))}"
    if quantity.what == "field":
        return rf"{path} (= )?" + (re.escape(braces(truth)) if isinstance(truth, tuple) else rf"{truth}\b")
    return ""


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
        self._note(f"{name} now", asked & seen_while_open(asking), question)
        self._note(f"{name} prompt", told_in_words((question.prompt,), question), question)
        if before is not None:
            self.reveals += 1
            self._note(f"{name} before", asked if told_by_reveal(before, question) else (), question)
            self._note(f"{name} words before", told_in_words(words, question), question)

    def _note(self, name: str, told: Collection[Quantity], question: Question) -> None:
        if told:
            self.faults.append(f"{name}: {question.kind.name} is told {len(told)}, {min(told)} among them")

    def lesson(self, lesson: Lesson) -> None:
        """Goes through a lesson, and answers each step rightly."""
        asking = begun(lesson)
        before: Question | None = None
        words: tuple[str, ...] = ()
        while not asking.ended:
            running = asking.lesson
            assert running is not None
            if asking.form.how == "edit":
                before, words = None, ()
                asking.returned(solved=True)
                continue
            self._check(asking, before, words, f"{lesson.id} {running.task}")
            give(asking, asking.question.truth)
            before, words = asking.question, running.told(right=asking.verdict is not None)
            asking.answer()

    def example(self, name: str, experiment: Experiment) -> None:
        """Asks what `g` asks about an experiment of an example."""
        own = own_question(experiment)
        if own is not None and own.task.ask.change is None:
            told = asked_of(own) & explored(experiment, covered=is_covered(name, experiment))
            self._note(f"{name} explorer", told, own)
        asking = AskDesk(experiment, Progress(), Clock(), own=own)
        asking.fit(Room(100, 24))
        before: Question | None = None
        for _ in range(QUESTIONS):
            self._check(asking, before, (), f"{name} g")
            give(asking, asking.question.truth)
            before = asking.question
            asking.answer()
            if asking.question is before:
                return
