"""A level being worked on, without a screen: each method is one thing that a student does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.indexing import ravel
from ...desc.tensors import braces
from ...desc.value_sources import Listed
from ...errors import DmlvizError
from ...operators.maps import Place
from ...operators.registry import operator_of, type_named
from ...scene.elements.cursor import Cursor
from ...scene.layout.arrange import Answers
from ...scene.look import Entry, EntryKind
from ...scene.steps.order import Unit
from ...scene.view_state import ViewState, view_state_of
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.views import ViewEntry
from ...teaching.levels.level import Level, answer_of, best
from ...teaching.progress.progress import Answered, Progress, counted_as, now_text
from ...teaching.questions.answers import shown, values_of
from ...teaching.questions.goals import with_lists
from ...teaching.words.catalogue import sentence
from ..asking.ask_state import TableState
from ..asking.asked_desc import MOST_SHOWN
from ..form.fields import Fields
from ..form.form_rows import form_rows, strip_keys
from ..shown.picture import Entries, Picture, Room
from ..shown.state import FormRow, FormState, PictureState
from .level_edits import VALUES, begun, changed, may_edit
from .level_state import GoalTable, LevelAttempt, LevelFeedback, LevelState, LevelTerms, names_in_words

LAST = "the last valid picture"
"""What the picture is of, while a rule is broken or given elements have no room."""
SIGN = 2
"""Columns of a cell for the sign that it differs from the goal."""


Tensor = tuple[tuple[int, ...], tuple[Any, ...]]
"""Sizes and values, row-major."""


def _missing(goal: Tensor, output: Tensor | None) -> frozenset[int]:
    """Flat indices of a goal's elements that `output` hasn't under the same index; all for None or another rank."""
    sizes, values = goal
    if output is None or len(output[0]) != len(sizes):
        return frozenset(range(len(values)))
    missing = set()
    for flat, index in enumerate(np.ndindex(*sizes)):
        there = all(i < size for i, size in zip(index, output[0], strict=True))
        at = int(ravel([np.array([i], np.int64) for i in index], output[0])[0]) if there else 0
        if not there or output[1][at] != values[flat]:
            missing.add(flat)
    return frozenset(missing)


class LevelWork:
    """Works on one level in a document of its own; answers alone are kept, in `progress`. No clock but its own."""

    def __init__(self, level: Level, progress: Progress, now: Callable[[], float]) -> None:
        """`now` gives seconds since 1970."""
        self.level = level
        about_memory = level.start.view.view.unit == Unit.RUN
        self.picture = Picture(memory=None if about_memory else False, is_legible=True)
        self.picture.wants_memory = about_memory
        self.picture.answers = Answers(True, SIGN)
        self._progress, self._now, self._began = progress, now, now()
        self._told = len(progress.problems)
        self._start = dataclasses.replace(with_lists(level.start), view=ViewEntry(), notes="", extra={})
        self._document = Document(Session((self._start,)))
        self._given = self._start  # whose data elements flow
        self._lists: dict[str, tuple[Any, ...]] = {}
        self._fields = Fields()
        self._view: ViewState | None = None
        self._drawn: ViewState | None = None  # the last that all given elements were in
        self.hints, self.solved, self.shown = 0, False, False
        self._refused = self._explained = ""
        self._rules: tuple[str, ...] = ()
        self._recorded: object = None
        self._follow()

    @property
    def experiment(self) -> Experiment:
        """The desc as it stands."""
        return self._document.experiment

    # ---- what follows from the document

    def _follow(self) -> None:
        """Makes view, picture and verdict anew from the document, and keeps an answer that wins."""
        before, experiment = self._drawn, self.experiment
        if before is not None and before.experiment.desc.TYPE != experiment.desc.TYPE:
            before = None
        view = view_state_of(experiment, before)
        if view.is_preview:  # what a fix would give may be the answer
            view = replace(view, trace=None, is_preview=False)
        elif view.live and self.level.judge(experiment).attempt is None:  # it would be of other elements than given
            view = replace(view, trace=before.trace if before is not None else None, caption=LAST)
        if view.live:
            self._drawn = view
        self._view = view
        self.picture.look_at(view)
        self._refused = self._explained = ""
        self._rules = ()
        self.verdict = self.level.judge(self.experiment)
        self.picture.refit()
        if self.verdict.won:
            self._win()

    def _win(self) -> None:
        """Keeps an answer that wins, once; not one that was shown, nor a start that wins already."""
        if self.shown or not self._document.past:
            return
        self.solved = True
        answer = answer_of(self.experiment)
        if answer != self._recorded:
            self._recorded = answer
            self._keep(answer, right=True)

    def _keep(self, answer: Any, *, right: bool, skipped: bool = False, rules: tuple[str, ...] = ()) -> None:
        """Appends an answer to the progress."""
        now = self._now()
        self._progress.add(
            Answered(
                time=now_text(now),
                task=self.level.task.id,
                operator=operator_of(self.experiment.desc).name,
                kind="level",
                seed=0,
                right=right,
                answer=answer,
                rules=rules,
                rungs=self.hints,
                skipped=skipped,
                looked_up=0 < self.most_hints <= self.hints,
                seconds=max(0.0, round(now - self._began, 1)),
                lesson=counted_as(self.level.lesson, "level"),
            )
        )

    def notices(self) -> list[str]:
        """Sentences on answers that couldn't be kept, each once."""
        sentences = self._progress.problems[self._told :]
        self._told += len(sentences)
        return sentences

    # ---- edits

    def _edit(self, experiment: Experiment, key: object = None) -> LevelState:
        self._document.edit(experiment, key)
        self._follow()
        return self.state

    def type_in_field(self, key: str, text: str) -> LevelState:
        """Edits the desc by the text of a row; what can't be read becomes a field error, what is given stays."""
        row = next((row for row in self._rows() if row.key == key), None)
        if row is None or not may_edit(self.level, self.experiment, row):
            return self.refuse(key)
        if key == "Operator":
            return self.choose_operator(text)
        try:
            experiment = changed(self.experiment, self._given, key, text, self._lists)
        except DmlvizError as error:
            self._fields.errors[key] = str(error) or str(error)
            self._refused = ""
            return self.state
        self._fields.errors.pop(key, None)
        if key.endswith(VALUES):
            source = experiment.values[row.tensor]
            assert isinstance(source, Listed)
            self._lists[row.tensor] = source.items
        return self._edit(experiment, ("field", key))

    def refuse(self, key: str) -> LevelState:
        """Says why what row `key` holds doesn't change."""
        names = names_in_words(self.level.may_change)
        self._refused = sentence("level.refused", name=key.removesuffix(VALUES), names=names)
        self._fields.refill()
        return self.state

    def choose_operator(self, name: str) -> LevelState:
        """Begins with another operator's desc, where the level takes any; `name` with or without prefix."""
        if not self.level.allows("Operator"):
            return self.refuse("Operator")
        kind = type_named(name)
        if kind is None or kind == self.experiment.desc.TYPE:
            return self.state
        try:
            start = begun(self.level, self.experiment, kind)
        except DmlvizError as error:
            self._refused = str(error) or str(error)
            return self.state
        self._forget_typed()
        self._given = start
        self._document.pause()
        return self._edit(dataclasses.replace(start, name=self._start.name, notes="", extra={}))

    def _forget_typed(self) -> None:
        """Gives up what couldn't be read, and the index and length values that smaller sizes have cut off."""
        self._fields.restart()
        self._lists.clear()

    def leave_field(self, key: str) -> LevelState:
        """The focus leaves a row: what couldn't be read goes with it."""
        self._document.pause()
        self._fields.leave([key])
        return self.state

    def leave_fields(self) -> LevelState:
        """The focus leaves all rows."""
        self._document.pause()
        if self._fields.errors:
            self._fields.restart()
        return self.state

    def undo(self) -> LevelState:
        """Takes the last edit back, if there is one."""
        return self._after_history() if self._document.undo() else self.state

    def redo(self) -> LevelState:
        """Makes the edit again that was taken back last, if there is one."""
        return self._after_history() if self._document.redo() else self.state

    def _after_history(self) -> LevelState:
        self._forget_typed()
        experiment = self.experiment
        if experiment.desc.TYPE != self._given.desc.TYPE:
            # Data is the same in every desc of one operator but for its sizes.
            self._given = self._start if experiment.desc.TYPE == self._start.desc.TYPE else experiment
        self._follow()
        return self.state

    def start_again(self) -> LevelState:
        """Puts the level's desc back, as an edit; what was won stays won."""
        self._forget_typed()
        self.shown = False
        self._given = self._start
        self._document.pause()
        return self._edit(self._start) if self.experiment != self._start else self.state

    # ---- trying, hints and the solution

    def ask_why(self) -> LevelState:
        """Says why the desc misses the goal, by a wrong rule if one would; kept as wrong but for an untouched start."""
        verdict = self.verdict
        if verdict.won or self._fields.errors:
            return self.state
        if not self._document.past:
            self._explained = sentence("level.unchanged")  # nobody follows a rule yet
            self._rules = ()
            return self.state
        self._explained, self._rules = verdict.sentence, verdict.rules
        answer = answer_of(self.experiment)
        if answer != self._recorded:
            self._recorded = answer
            self._keep(answer, right=False, rules=verdict.rules)
        return self.state

    def hint(self) -> LevelState:
        """The next hint."""
        if not self.verdict.won:
            self.hints = min(self.hints + 1, self.most_hints)
            self._refused = self._explained = ""
        return self.state

    @property
    def most_hints(self) -> int:
        """How many hints the level has."""
        return len(self.level.task.hints)

    @property
    def may_show(self) -> bool:
        """True from the last hint on: then the solution may be seen."""
        return bool(self.level.task.solutions) and self.hints >= self.most_hints and not self.verdict.won

    def show_solution(self) -> LevelState:
        """Puts a solution in the desc's place; it counts as skipped."""
        if not self.may_show:
            return self.state
        try:
            solution = with_lists(self.level.solution())
        except DmlvizError as error:  # an author's slip
            self._refused = str(error)
            return self.state
        self.shown = True
        self._forget_typed()
        if not self.solved:
            self._keep(None, right=False, skipped=True)
        self._given = self._start if solution.desc.TYPE == self._start.desc.TYPE else solution
        self._document.pause()
        return self._edit(dataclasses.replace(solution, name=self._start.name, notes="", extra={}))

    # ---- the picture

    def fit(self, room: Room) -> LevelState:
        """Lays the picture out for the room that it has."""
        self.picture.fit(room)
        return self.state

    def point(self, cursor: Cursor) -> LevelState:
        """Looks at an element."""
        self.picture.point(cursor)
        return self.state

    def move(self, rows: int, columns: int) -> LevelState:
        """Moves the cursor in the picture."""
        self.picture.move(rows, columns)
        return self.state

    def turn_memory(self) -> LevelState:
        """Shows or hides the memory strip below the picture."""
        self.picture.turn_memory()
        return self.state

    def next_tensor(self) -> LevelState:
        """Moves the cursor to the next tensor; behind the last comes the first."""
        self.picture.to_next_tensor()
        return self.state

    # ---- what is shown

    @property
    def state(self) -> LevelState:
        view, verdict, level = self._view, self.verdict, self.level
        assert view is not None
        task = level.task
        document, rows = self._document, self._rows()
        pictured = self._picture_state()
        hint = task.hints[self.hints - 1] if self.hints and not self._explained else ""
        return LevelState(
            terms=self._terms(),
            attempt=LevelAttempt(
                operator=operator_of(self.experiment.desc).name,
                changed=level.numbers_changed(self.experiment),
                best=best(level, self._progress.answers),
                won=verdict.won,
                solved=self.solved,
                shown=self.shown,
                hints=self.hints,
                undoable=bool(document.past),
                redoable=bool(document.future),
            ),
            feedback=LevelFeedback(
                summary=self._summary(),
                refused=self._refused,
                explained=self._explained,
                rules=self._rules,
                learn=level.task.learn if verdict.won else "",
                hint=hint,
            ),
            goal=self._goal(),
            picture=pictured,
            view=view,
            form=self._form_state(rows),
            given=self._given_rows(rows),
            tables=self._tables() if view.trace is None else (),
        )

    def _terms(self) -> LevelTerms:
        level, task = self.level, self.level.task
        return LevelTerms(
            id=task.id,
            title=level.title(),
            asks=task.say,
            make=sentence("level.make", names=names_in_words(level.may_change)),
            keys=sentence("level.keys"),
            par=level.par,
            any_operator=level.allows("Operator"),
            most_hints=self.most_hints,
        )

    def _rows(self) -> list[FormRow]:
        assert self._view is not None
        return form_rows(self.experiment, self._view.report)

    def _form_state(self, rows: list[FormRow]) -> FormState:
        """The rows that take edits, as the line above the picture has them: values behind their sizes."""
        assert self._view is not None
        experiment = self.experiment
        editable = {row.key: row for row in rows if row.key != "Operator" and may_edit(self.level, experiment, row)}
        keys: list[str] = []
        for key in strip_keys(experiment.desc, rows):
            if key in editable:
                keys.append(key)
            if f"{key}{VALUES}" in editable:
                keys.append(f"{key}{VALUES}")
        shown_rows = []
        for key in keys:
            row = editable[key]
            if key.endswith(VALUES):
                row = replace(row, label="values", is_list=True, remark="", folds=False, takes_letters=False)
            shown_rows.append(row)
        return self._fields.state(self._view, shown_rows, keys)

    def _given_rows(self, rows: list[FormRow]) -> tuple[tuple[str, str], ...]:
        """(row, what it says) of what doesn't change, but for outputs that follow by themselves."""
        experiment, lines = self.experiment, [("values", sentence("level.all_data"))]
        data_type = ""
        for row in rows:
            if row.key == "DataType":
                data_type = row.text
            if row.key == "Operator" or row.adds or row.group == 3 or may_edit(self.level, experiment, row):
                continue
            if row.is_sizes and row.text:
                lines.append((row.key, f"{row.key} {braces([int(n) for n in row.text.split(',')])}"))
            elif row.group == 2:
                lines.append((row.key, f"{row.key} {row.text if not row.is_list else '{' + row.text + '}'}"))
        level = sentence("level.at", level=experiment.feature_level)
        lines.append(("FeatureLevel", level))
        lines.append(("DataType", data_type))
        return tuple(lines)

    def _goal(self) -> tuple[GoalTable, ...]:
        """The goal's tensors, with the elements that the desc's outputs haven't."""
        goal, verdict = self.level.goal, self.verdict
        made = verdict.outputs.outputs if verdict.outputs is not None else ()
        several = len(goal.outputs) > 1
        tables, named = [], sentence("level.goal")
        for k, (sizes, values) in enumerate(goal.outputs):
            title = f"{named} {braces(sizes)}"
            if several:  # they may have to stand beside each other
                title = f"{'' if k else f'{named} '}[{k}] {braces(sizes).replace(' ', '')}"
            made_here = made[k] if k < len(made) else None
            missing = _missing((sizes, values), made_here) if verdict.outputs is not None else frozenset()
            other = verdict.wrong_sizes and (made_here is None or made_here[0] != tuple(sizes))
            tables.append(
                GoalTable(
                    title=title,
                    sizes=tuple(sizes),
                    texts=tuple(map(shown, values)),
                    differing=missing,
                    other_sizes=other,
                )
            )
        return tuple(tables)

    def _summary(self) -> str:
        """The rule that is broken, or how the output differs from the goal; "" once it is won."""
        verdict, view = self.verdict, self._view
        assert view is not None
        if verdict.won:
            return ""
        broken = view.report.broken
        if broken:
            first = broken[0].told
            message = first.message
            more = f" {sentence('level.more', count=len(broken) - 1)}" if len(broken) > 1 else ""
            return f"{first.id}: {message}{more}"
        if verdict.wrong_sizes and verdict.outputs is not None:
            own = [sizes for sizes, _ in verdict.outputs.outputs]
            wanted = [sizes for sizes, _ in self.level.goal.outputs]
            one, other = (sentence("words.joint").join(map(braces, shapes)) for shapes in (own, wanted))
            return sentence("level.sizes", outputs=len(own), found=one, wanted=other)
        if verdict.cells:
            count = sum(len(values) for _, values in self.level.goal.outputs)
            return sentence("level.differ", wrong=len(verdict.cells), count=count)
        return verdict.sentence

    def _tables(self) -> tuple[TableState, ...]:
        """The inputs, where no picture tells them."""
        tables = []
        for k, part in enumerate(self.experiment.desc.inputs):
            if not part.tensor.can_exist:
                continue
            texts: tuple[str, ...] = ()
            if part.tensor.element_count <= MOST_SHOWN:
                values = self.experiment.sources_or_defaults()[0][k]
                texts = tuple(map(shown, values_of(values.read(np.arange(part.tensor.element_count, dtype=np.int64)))))
            title = f"{part.path} {part.tensor.data_type} {braces(part.tensor.sizes)}"
            tables.append(TableState(title, part.tensor.sizes, texts))
        return tuple(tables)

    def _picture_state(self) -> PictureState:
        """The picture, and while it is of the desc as it stands a sign on each element that differs from the goal."""
        entries: Entries = {}
        for output, flat in self.verdict.cells if self.picture.is_live else ():
            entries.setdefault(Place(True, output), {})[flat] = Entry(EntryKind.WRONG)
        return self.picture.state(entries=entries)
