"""A level being worked on, without a screen: an edited document with a goal, hints and a solution."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...desc.fields import Role
from ...desc.tensors import braces
from ...desc.value_sources import Listed
from ...errors import DmlvizError, quote
from ...operators.desc_edits import with_tensor
from ...operators.maps import Place
from ...operators.registry import operator_of, type_named
from ...scene.layout.arrange import Answers
from ...scene.look import Entry, EntryKind
from ...scene.names import short_name, tight
from ...scene.steps.order import Unit
from ...scene.view_state import ViewState, view_state_of
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.new_experiments import converted
from ...session.views import ViewEntry
from ...teaching.levels.level import OPERATOR, Level, answer_of, best
from ...teaching.progress.progress import Progress, counted_as
from ...teaching.questions.goals import Outcome, flowed, with_lists
from ...teaching.questions.subject import shown, values_of
from ...teaching.questions.wording import listed
from ...teaching.tasks.changed_descs import steering_of
from ...teaching.words.catalogue import sentence
from ..asking.asked_desc import TableState
from ..form.edit_desk import EditDesk
from ..form.form_rows import edited, form_rows, parse_values, strip_keys
from ..shown.picture import Entries, Picture
from ..shown.state import FormRow, FormState, PicturedState


def names_in_words(may_change: Sequence[str]) -> str:
    """What may be changed, in words: `the operator, Axis and Repeats`; `nothing` for nothing."""
    names = [(sentence("level.the_operator") if name == OPERATOR else name) for name in may_change]
    return listed(names) or sentence("level.nothing")


class LevelState(PicturedState, frozen=True, kw_only=True):
    """All that the screen shows of a level."""

    level: Level
    view: ViewState
    form: FormState
    verdict: Outcome
    given: tuple[tuple[str, str], ...]
    """(row, what it holds) of what doesn't change."""
    tables: tuple[TableState, ...]
    """The inputs, while there is nothing to draw."""
    changed: int
    best: int | None
    """The least numbers that were changed when it was solved; None before that."""
    solved: bool
    shown: bool
    hints: int
    explained: str

    @property
    def operator(self) -> str:
        """Of the desc as it is now, without prefix: GATHER."""
        return operator_of(self.view.experiment.desc).name

    @property
    def won(self) -> bool:
        return self.verdict.won

    @property
    def goal(self) -> tuple[TableState, ...]:
        """The goal's tensors, with the elements that the desc's outputs of the same sizes haven't."""
        tables = []
        for k, (sizes, values) in enumerate(self.level.goal.outputs):
            cells = self.verdict.cells if not self.verdict.wrong_sizes else ()
            title = f"{f'[{k}]' if k else sentence('level.goal')} {braces(sizes)}"
            differing = frozenset(flat for output, flat in cells if output == k)
            tables.append(TableState(title, tuple(sizes), tuple(map(shown, values)), differing=differing))
        return tuple(tables)

    @property
    def summary(self) -> str:
        """The rule that is broken, or how the output differs from the goal; "" once it is won."""
        cells = self.verdict.cells
        if self.won or self.verdict.wrong_sizes or not cells:
            return "" if self.won else self.verdict.trouble
        return sentence("level.differ", wrong=len(cells), count=sum(len(table.values) for table in self.goal))

    @property
    def hint(self) -> str:
        """The last hint that was taken; not beside why a try failed."""
        return self.level.task.hints[self.hints - 1] if self.hints and not self.explained else ""

    @property
    def may_show(self) -> bool:
        """True from the last hint on: then the solution may be seen."""
        return bool(self.level.task.solutions) and self.hints >= len(self.level.task.hints) and not self.won

    @property
    def in_picture(self) -> bool:
        """False while there is nothing to draw."""
        return self.picture.scene is not None or not self.tables

    @property
    def unread(self) -> str:
        """The sentence on a field that can't be read; empty where all can."""
        return next(iter(self.form.errors.values()), "")


VALUES = ".values"


def may_edit(level: Level, one: Experiment, row: FormRow) -> bool:
    """True if a level takes edits of a form's row: of numbers, sizes and index or length values; never of data."""
    if row.key == OPERATOR:
        return level.allows(OPERATOR)
    if row.key.endswith(VALUES):
        part = next((p for p in one.desc.inputs if p.path == row.tensor), None)
        return part is not None and not part.is_data and level.allows(row.tensor)
    if row.is_sizes and not row.adds:
        given_output = any(f.name == row.key and f.role is Role.OUTPUT for f in one.desc.TENSORS)
        return not given_output and (level.allows(f"{row.key}.Sizes") or level.allows(row.key))
    return row.key in one.desc.attributes and level.allows(row.key)


def changed(one: Experiment, key: str, text: str) -> Experiment:
    """The experiment after `text` was typed in row `key`, never Operator. Raises DmlvizError."""
    path = key.removesuffix(VALUES)
    if path == key:
        one = edited(one, key, text)
        return dataclasses.replace(one, values={**one.values, **with_lists(one).values})
    part = next(part for part in one.desc.inputs if part.path == path)
    entries = parse_values(text, key, part.tensor.data_type)
    tensor = part.tensor
    desc = one.desc
    if not isinstance(entries, Listed):
        raise DmlvizError(f"{key} is {quote(text)}, expected integers such as 0, 1, 2.")
    count = len(entries.items)
    if tensor.can_exist and tensor.element_count != count:
        if tensor.element_count != tensor.sizes[-1]:
            room = f"{path} of Sizes {braces(tensor.sizes)} has room for {tensor.element_count:,} values"
            raise DmlvizError(f"{room}, entries {count:,}: change its sizes first.")
        tensor = tensor.resized([*tensor.sizes[:-1], count])
        desc = desc.replace(with_tensor(desc, part, tensor))
    return dataclasses.replace(one, desc=desc, values={**one.values, path: Listed(entries.items, tensor.sizes)})


def begun(level: Level, one: Experiment, kind: str) -> Experiment:
    """An experiment of another operator to begin with: as the level has it, else one about the same elements.

    Raises DmlvizError where the given elements don't fit any.
    """
    start = level.starts.get(kind)
    if start is None:
        other = converted(one, kind)
        start = flowed(level.start, other.desc, steering_of(other))
    return with_lists(start)


LAST = "the last valid picture"
"""What the picture is of, while a rule is broken or given elements have no room."""
SIGN = 2
"""Columns of a cell for the sign that it differs from the goal."""
MOST_SHOWN = 64


class LevelDesk(EditDesk):
    """Works on one level in a document of its own; answers alone are kept, in `progress`."""

    def __init__(self, level: Level, progress: Progress, now: Callable[[], float]) -> None:
        memory = level.start.view.view.unit == Unit.RUN
        self._start = dataclasses.replace(with_lists(level.start), view=ViewEntry(), notes="", extra={})
        picture = Picture(memory=None if memory else False, is_legible=True)
        super().__init__(Document(Session((self._start,))), picture, now)
        self.level = level
        picture.wants_memory = memory
        picture.answers = Answers(True, SIGN)
        self._progress, self._began = progress, now()
        self._drawn: ViewState | None = None  # the last that all given elements were in
        self._hints, self._solved, self._shown = 0, False, False
        self._recorded: object = None
        self._follow()

    # ---- what follows from the document

    def _follow(self) -> None:
        one, before = self.experiment, self._drawn
        if before is not None and before.experiment.desc.TYPE != one.desc.TYPE:
            before = None
        self._verdict = self.level.judge(one)
        attempt = self._verdict.attempt
        if attempt is not None:  # the given elements flow into its sizes
            one = dataclasses.replace(one, values=attempt.experiment.values)
        view = view_state_of(one, before)
        if view.is_preview:  # what a fix would give may be the answer
            view = replace(view, trace=None, is_preview=False)
        elif view.live and attempt is None:  # it would be of other elements than given
            view = replace(view, trace=before.trace if before is not None else None, caption=LAST)
        self._drawn = view if view.live else before
        self._view = view
        self.picture.look_at(view)
        self._refit()
        self._explained, self._rules = "", tuple[str, ...]()
        # Not one that was shown, nor a start that wins already.
        if self._verdict.won and not self._shown and self.document.past:
            self._solved = True
            self._keep(answer_of(self.experiment), right=True)

    def _keep(self, answer: Any, *, right: bool, skipped: bool = False) -> None:
        if answer is not None and answer == self._recorded:
            return
        self._recorded = answer or self._recorded
        self._record(
            self._progress,
            self._began,
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
            lesson=counted_as(self.level.lesson, "level"),
        )

    # ---- edits

    def _typed(self, key: str, text: str) -> Experiment:
        row = next((row for row in self._rows() if row.key == key), None)
        if row is None or not may_edit(self.level, self.experiment, row):
            raise DmlvizError(self._given_says(key))
        if key != OPERATOR:
            return changed(self.experiment, key, text)
        self.document.pause()  # each is an edit by itself
        return begun(self.level, self.experiment, type_named(text) or text)

    def _given_says(self, key: str) -> str:
        names = names_in_words(self.level.may_change)
        return sentence("level.refused", name=key.removesuffix(VALUES), names=names)

    def refuse(self, key: str) -> None:
        """Says why what row `key` holds doesn't change."""
        self._notices.append(self._given_says(key))

    def start_again(self) -> None:
        """Puts the level's desc back, as an edit; what was won stays won."""
        self._shown = False
        self._begin(self._start)

    def _begin(self, start: Experiment) -> None:
        self.document.pause()
        self.document.edit(dataclasses.replace(self._start, desc=start.desc, values=start.values))
        self._follow_history()

    # ---- trying, hints and the solution

    def ask_why(self) -> None:
        """Says why the desc misses the goal, by a wrong rule if one would; kept as wrong but for an untouched start."""
        verdict = self._verdict
        if verdict.won or self._fields.errors:
            return
        if not self.document.past:
            self._explained = sentence("level.unchanged")  # nobody follows a rule yet
            return
        self._explained = verdict.sentence
        self._rules = verdict.rules
        self._keep(answer_of(self.experiment), right=False)

    def hint(self) -> None:
        """The next hint."""
        if not self._verdict.won:
            self._hints = min(self._hints + 1, len(self.level.task.hints))
            self._explained = ""

    def show_solution(self) -> None:
        """Puts a solution in the desc's place; it counts as skipped."""
        if not self.state.may_show:
            return
        try:
            solution = with_lists(self.level.solution())
        except DmlvizError as error:  # an author's slip
            self._notices.append(str(error))
            return
        self._shown, self._rules = True, ()
        if not self._solved:
            self._keep(None, right=False, skipped=True)
        self._begin(solution)

    # ---- what is shown

    @property
    def state(self) -> LevelState:
        view = self._view
        verdict = self._verdict
        rows = self._rows()
        entries: Entries = {}
        for out, flat in verdict.cells if self.picture.is_live else ():
            entries.setdefault(Place(True, out), {})[flat] = Entry(EntryKind.WRONG)
        return LevelState(
            level=self.level,
            view=view,
            picture=self.picture.state(entries=entries),
            form=self._form_state(rows),
            verdict=verdict,
            given=self._given(rows),
            tables=self._tables() if view.trace is None else (),
            changed=self.level.numbers_changed(self.experiment),
            best=best(self.level, self._progress.answers),
            solved=self._solved,
            shown=self._shown,
            hints=self._hints,
            explained=self._explained,
        )

    def _rows(self) -> list[FormRow]:
        return form_rows(self.experiment, self._view.report)

    def _form_state(self, rows: list[FormRow]) -> FormState:
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

    def _given(self, rows: list[FormRow]) -> tuple[tuple[str, str], ...]:
        """(row, what it says) of what doesn't change, but for outputs that follow by themselves."""
        given = [("values", sentence("level.all_data"))]
        for row in rows:
            is_told = row.group == 2 or (row.is_sizes and row.text)
            if is_told and not row.adds and not may_edit(self.level, self.experiment, row):
                name = short_name(row.key) if row.is_sizes else row.key
                given.append((row.key, tight(f"{name} {f'{{{row.text}}}' if row.is_list else row.text}")))
            elif row.key == "FeatureLevel":
                given.append((row.key, sentence("level.at", level=row.text)))
            elif row.key == "DataType":
                given.append((row.key, row.text))
        return tuple(given)

    def _tables(self) -> tuple[TableState, ...]:
        one, tables = self._view.experiment, []
        for part, source in zip(one.desc.inputs, one.sources_or_defaults()[0], strict=True):
            tensor = part.tensor
            if not tensor.can_exist:
                continue
            count = tensor.element_count if tensor.element_count <= MOST_SHOWN else 0
            texts = tuple(map(shown, values_of(source.read(np.arange(count, dtype=np.int64)))))
            tables.append(TableState(f"{part.path} {tensor.data_type} {braces(tensor.sizes)}", tensor.sizes, texts))
        return tuple(tables)
