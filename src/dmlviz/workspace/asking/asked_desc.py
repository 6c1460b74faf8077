"""What is asked about, as far as a question lets it be seen: its numbers, plain tables, and the picture."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ...desc.base import Desc, Part
from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, is_inside, part_of
from ...scene.elements.known import NOTHING
from ...scene.layout.arrange import Answers
from ...scene.look import EntryKind
from ...scene.steps.order import Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...session.experiments import Experiment
from ...teaching.questions.question import Question, Reply
from ...teaching.questions.subject import shown, values_of
from ...tracing import Trace
from ..shown.desk import Desk
from ..shown.picture import Picture, Signs

MOST_SHOWN = 64
"""Elements of a table that is shown with its values."""
LEVEL = "feature_level"
"""What a question calls the feature level, which is none of the struct's fields."""


class FieldState(Struct, frozen=True):
    """One of the desc's numbers."""

    path: str
    text: str
    """What it holds; what is typed so far where it is blank."""
    blank: bool = False
    lit: bool = False
    """It is where to look."""


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
    level = LEVEL, subject.sentence("words.feature_level"), str(subject.experiment.feature_level)
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
                flat = np.arange(tensor.element_count, dtype=np.int64)
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
    path, blank, sizes = f"{part.path}.Sizes", question.blank or "", part.tensor.sizes
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
    """Nothing may tell the answer."""
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
        question, picture = self.question, Picture(player, is_legible=is_legible)
        self.picture = picture
        picture.wants_memory = unit_of(question, self.view.experiment).is_memory
        picture.memory = None if picture.wants_memory else False
        picture.tells_memory = not self.open or question is None or not hides_memory(question)
        picture.answers = Answers(not self.open or question is None or question.kind.draws_outputs, more=more)
        if self.is_pictured:
            picture.look_at(self.view)
        picture.hidden = NOTHING if self.open else None

    def _asked(self) -> Cursor | None:
        """The element that is asked about, or the first of them, where that is drawn; None for none."""
        places = places_of(self.question) if self.question is not None else []
        drawn = (cursor for cursor in places if self.picture.answers.outputs or not cursor.place.is_output)
        return next((cursor for cursor in drawn if is_inside(self.trace, cursor)), None)

    def _first_of(self, place: Place) -> Cursor:
        return Cursor(place, (0,) * len(part_of(self.trace, place).tensor.sizes))

    def _signs_asked(self) -> Signs:
        """Signs on the elements that are asked about, where that may be seen."""
        question = self.question
        if question is None or question.kind.about_memory or not question.kind.draws_outputs:
            return []  # which cells an order begins with is what it asks
        places = places_of(question)
        return [(place, EntryKind.ASKED if place.place.is_output else EntryKind.ABOUT, "") for place in places]
