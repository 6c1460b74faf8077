"""A level being worked on, without a screen: each method is one thing that a student does."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.tensors import braces
from ...errors import DmlvizError
from ...operators.maps import Place
from ...operators.registry import operator_of, type_named
from ...scene.layout.arrange import Answers
from ...scene.look import Entry, EntryKind
from ...scene.steps.order import Unit
from ...scene.view_state import ViewState, view_state_of
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.views import ViewEntry
from ...teaching.levels.level import OPERATOR, Level, answer_of, best
from ...teaching.progress.progress import Answered, Progress, counted_as, now_text
from ...teaching.questions.goals import with_lists
from ...teaching.questions.subject import shown, values_of
from ...teaching.words.catalogue import sentence
from ..form.fields import Fields
from ..form.form_rows import form_rows, strip_keys
from ..shown.desk import Desk
from ..shown.picture import Entries, Picture
from ..shown.state import FormRow, FormState
from .level_edits import VALUES, begun, changed, may_edit
from .level_state import LevelState, LevelTable, names_in_words

LAST = "the last valid picture"
"""What the picture is of, while a rule is broken or given elements have no room."""
SIGN = 2
"""Columns of a cell for the sign that it differs from the goal."""
MOST_SHOWN = 64
"""Elements of an input that is a plain table, at most."""


class LevelDesk(Desk):
    """Works on one level in a document of its own; answers alone are kept, in `progress`."""

    def __init__(self, level: Level, progress: Progress, now: Callable[[], float]) -> None:
        """`now` gives seconds since 1970."""
        memory = level.start.view.view.unit == Unit.RUN
        super().__init__(Picture(memory=None if memory else False, is_legible=True), now)
        self.level = level
        self.picture.wants_memory = memory
        self.picture.answers = Answers(True, SIGN)
        self._progress, self._began = progress, now()
        self._told = len(progress.problems)
        self._start = dataclasses.replace(with_lists(level.start), view=ViewEntry(), notes="", extra={})
        self._document = Document(Session((self._start,)))
        self._given = self._start  # whose data elements flow: of another operator the desc that it began with
        self._fields = Fields()
        self._drawn: ViewState | None = None  # the last that all given elements were in
        self._hints, self._solved, self._shown = 0, False, False
        self._recorded: object = None
        self._follow()

    @property
    def experiment(self) -> Experiment:
        """The desc as it stands."""
        return self._document.experiment

    # ---- what follows from the document

    def _follow(self) -> None:
        """Makes view, picture and verdict anew from the document, and keeps an answer that wins."""
        one = self.experiment
        if self._given.desc.TYPE != one.desc.TYPE:
            self._given, self._drawn = self._start if self._start.desc.TYPE == one.desc.TYPE else one, None
        before = self._drawn
        self._verdict = self.level.judge(one)
        view = view_state_of(one, before)
        if view.is_preview:  # what a fix would give may be the answer
            view = replace(view, trace=None, is_preview=False)
        elif view.live and self._verdict.attempt is None:  # it would be of other elements than given
            view = replace(view, trace=before.trace if before is not None else None, caption=LAST)
        if view.live:
            self._drawn = view
        self._view = view
        self.picture.look_at(view)
        self._refit()
        self._refused, self._explained, self._rules = "", "", tuple[str, ...]()
        # Not one that was shown, nor a start that wins already.
        if self._verdict.won and not self._shown and self._document.past:
            self._solved = True
            self._keep(answer_of(self.experiment), right=True)

    def _keep(self, answer: Any, *, right: bool, skipped: bool = False) -> None:
        """Appends an answer to the progress, once."""
        if answer is not None and answer == self._recorded:
            return
        self._recorded, now = answer or self._recorded, self.now()
        self._progress.add(
            Answered(
                time=now_text(now),
                task=self.level.task.id,
                operator=operator_of(self.experiment.desc).name,
                kind="level",
                seed=0,
                right=right,
                answer=answer,
                rules=self._rules,
                rungs=self._hints,
                skipped=skipped,
                looked_up=0 < len(self.level.task.hints) <= self._hints,
                seconds=max(0.0, round(now - self._began, 1)),
                lesson=counted_as(self.level.lesson, "level"),
            )
        )

    def notices(self) -> list[str]:
        """Sentences on answers that couldn't be kept, each once."""
        said = self._progress.problems[self._told :]
        self._told += len(said)
        return said

    # ---- edits

    def type_in_field(self, key: str, text: str) -> None:
        """Edits the desc by the text of a row; what can't be read becomes a field error, what is given stays."""
        row = next((row for row in self._rows() if row.key == key), None)
        if row is None or not may_edit(self.level, self.experiment, row):
            self.refuse(key)
            return
        if key == OPERATOR:
            self.choose_operator(text)
            return
        try:
            one = changed(self.experiment, self._given, key, text)
        except DmlvizError as error:
            self._fields.errors[key] = str(error)
            self._refused = ""
            return
        self._fields.errors.pop(key, None)
        self._document.edit(one, ("field", key))
        self._follow()

    def refuse(self, key: str) -> None:
        """Says why what row `key` holds doesn't change."""
        names = names_in_words(self.level.may_change)
        self._refused = sentence("level.refused", name=key.removesuffix(VALUES), names=names)
        self._fields.refill()

    def choose_operator(self, name: str) -> None:
        """Begins with another operator's desc, where the level takes any; `name` with or without prefix."""
        kind = type_named(name)
        if not self.level.allows(OPERATOR):
            self.refuse(OPERATOR)
        elif kind is not None and kind != self.experiment.desc.TYPE:
            try:
                self._begin(begun(self.level, self.experiment, kind))
            except DmlvizError as error:
                self._refused = str(error)

    def _begin(self, start: Experiment) -> None:
        """Puts a whole desc in the present one's place, as an edit."""
        self._document.pause()
        self._document.edit(dataclasses.replace(start, name=self._start.name, notes="", extra={}))
        self._fields.restart()
        self._follow()

    def leave_fields(self) -> None:
        self._document.pause()
        if self._fields.errors:
            self._fields.restart()

    def undo(self) -> None:
        if self._document.undo():
            self._fields.restart()
            self._follow()

    def redo(self) -> None:
        if self._document.redo():
            self._fields.restart()
            self._follow()

    def start_again(self) -> None:
        """Puts the level's desc back, as an edit; what was won stays won."""
        self._shown = False
        self._begin(self._start)

    # ---- trying, hints and the solution

    def ask_why(self) -> None:
        """Says why the desc misses the goal, by a wrong rule if one would; kept as wrong but for an untouched start."""
        verdict = self._verdict
        if verdict.won or self._fields.errors:
            return
        if not self._document.past:
            self._explained = sentence("level.unchanged")  # nobody follows a rule yet
            return
        self._explained, self._rules = verdict.sentence, verdict.rules
        self._keep(answer_of(self.experiment), right=False)

    def hint(self) -> None:
        """The next hint."""
        if not self._verdict.won:
            self._hints = min(self._hints + 1, len(self.level.task.hints))
            self._refused = self._explained = ""

    def show_solution(self) -> None:
        """Puts a solution in the desc's place; it counts as skipped."""
        if not self.state.may_show:
            return
        try:
            solution = with_lists(self.level.solution())
        except DmlvizError as error:  # an author's slip
            self._refused = str(error)
            return
        self._shown, self._rules = True, ()
        if not self._solved:
            self._keep(None, right=False, skipped=True)
        self._begin(solution)

    # ---- what is shown

    @property
    def state(self) -> LevelState:
        view, verdict, level, rows = self._view, self._verdict, self.level, self._rows()
        entries: Entries = {}
        for out, flat in verdict.cells if self.picture.is_live else ():
            entries.setdefault(Place(True, out), {})[flat] = Entry(EntryKind.WRONG)
        return LevelState(
            level=level,
            view=view,
            picture=self.picture.state(entries=entries),
            form=self._form_state(rows),
            goal=self._goal(),
            given=self._given_rows(rows),
            tables=self._tables() if view.trace is None else (),
            changed=level.numbers_changed(self.experiment),
            best=best(level, self._progress.answers),
            won=verdict.won,
            solved=self._solved,
            shown=self._shown,
            hints=self._hints,
            undoable=bool(self._document.past),
            redoable=bool(self._document.future),
            summary=self._summary(),
            refused=self._refused,
            explained=self._explained,
        )

    def _rows(self) -> list[FormRow]:
        return form_rows(self.experiment, self._view.report)

    def _form_state(self, rows: list[FormRow]) -> FormState:
        """The rows that take edits, as the line above the picture has them: values behind their sizes."""
        editable = {row.key: row for row in rows if row.key != OPERATOR and may_edit(self.level, self.experiment, row)}
        both = [name for key in strip_keys(self.experiment.desc, rows) for name in (key, f"{key}{VALUES}")]
        keys = [key for key in dict.fromkeys(both) if key in editable]
        shown_rows = []
        for key in keys:
            row = editable[key]
            if key.endswith(VALUES):
                row = replace(row, label="values", is_list=True, remark="", takes_letters=False)
            shown_rows.append(row)
        return self._fields.state(self._view, shown_rows, keys)

    def _given_rows(self, rows: list[FormRow]) -> tuple[tuple[str, str], ...]:
        """(row, what it says) of what doesn't change, but for outputs that follow by themselves."""
        one, lines = self.experiment, [("values", sentence("level.all_data"))]
        for row in rows:
            if row.key == OPERATOR or row.adds or row.group == 3 or may_edit(self.level, one, row):
                continue
            if row.is_sizes and row.text:
                lines.append((row.key, f"{row.key} {braces([int(n) for n in row.text.split(',')])}"))
            elif row.group == 2:
                lines.append((row.key, f"{row.key} {row.text if not row.is_list else '{' + row.text + '}'}"))
        lines.append(("FeatureLevel", sentence("level.at", level=one.feature_level)))
        lines.append(("DataType", next((row.text for row in rows if row.key == "DataType"), "")))
        return tuple(lines)

    def _goal(self) -> tuple[LevelTable, ...]:
        """The goal's tensors, with the elements that the desc's outputs haven't."""
        verdict, tables = self._verdict, []
        made = verdict.outputs.outputs if verdict.outputs is not None else ()
        for k, (sizes, values) in enumerate(self.level.goal.outputs):
            named = f"[{k}]" if k else sentence("level.goal")
            indices = [*np.ndindex(*sizes)]
            there = dict(zip(np.ndindex(*made[k][0]), made[k][1], strict=True)) if k < len(made) else {}
            differing = [flat for flat, index in enumerate(indices) if there.get(index) != values[flat]]
            table = LevelTable(
                title=f"{named} {braces(sizes)}",
                sizes=tuple(sizes),
                texts=tuple(map(shown, values)),
                differing=frozenset(differing if verdict.outputs is not None else ()),
                other_sizes=verdict.wrong_sizes and (k >= len(made) or made[k][0] != tuple(sizes)),
            )
            tables.append(table)
        return tuple(tables)

    def _summary(self) -> str:
        """The rule that is broken, or how the output differs from the goal; "" once it is won."""
        verdict, broken, goal = self._verdict, self._view.report.broken, self.level.goal.outputs
        if verdict.won:
            return ""
        if broken:
            more = f" {sentence('level.more', count=len(broken) - 1)}" if len(broken) > 1 else ""
            return f"{broken[0].told.id}: {broken[0].told.message}{more}"
        if verdict.wrong_sizes and verdict.outputs is not None:
            own, wanted = ([sizes for sizes, _ in outputs] for outputs in (verdict.outputs.outputs, goal))
            one, other = (sentence("words.joint").join(map(braces, shapes)) for shapes in (own, wanted))
            return sentence("level.sizes", outputs=len(own), found=one, wanted=other)
        if verdict.cells:
            return sentence("level.differ", wrong=len(verdict.cells), count=sum(len(values) for _, values in goal))
        return verdict.sentence

    def _tables(self) -> tuple[LevelTable, ...]:
        """The inputs, where no picture tells them."""
        tables = []
        for part, source in zip(self.experiment.desc.inputs, self.experiment.sources_or_defaults()[0], strict=True):
            tensor = part.tensor
            if not tensor.can_exist:
                continue
            count = tensor.element_count if tensor.element_count <= MOST_SHOWN else 0
            texts = tuple(map(shown, values_of(source.read(np.arange(count, dtype=np.int64)))))
            tables.append(LevelTable(f"{part.path} {tensor.data_type} {braces(tensor.sizes)}", tensor.sizes, texts))
        return tuple(tables)
