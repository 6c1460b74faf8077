"""A level of several operators being worked on: a chain whose stages are added, changed and taken out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...desc.tensors import braces
from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...session.chains import chain_of
from ...session.experiments import Experiment, Session
from ...teaching.levels.stages import MOST, Rows, StagesLevel, X, begun, followed, stages_in, without
from ...teaching.progress.progress import Progress
from ...teaching.tasks.tasks import MOST_STAGES
from ...teaching.words.catalogue import retold, sentence
from ...teaching.words.texts import ENGLISH
from ..explorer.chain_view import carried, shown_stages
from ..explorer.wire_choices import output_at
from ..shown.picture import Entries
from ..shown.state import FormRow, FormState, PictureState
from .level_state import LevelState, LevelTerms, names_in_words
from .level_work import LevelWork

INPUTS, COUNT = "InputTensors", "InputCount"
UPTO = {"elements": "words.upto_elements", "indices": "words.upto_indices", "inputs": "words.upto_inputs"}
"""What is told of a limit, by its key."""
NUMBERS = ("Axis", "Repeats", "OutputTensors", "IndicesTensor", "SequenceLengthsTensor")
"""Rows that are typed; OutputTensors holds sizes along Axis."""


class StagesWork(LevelWork):
    """Works on a chain; of its stages one is looked at, as `LevelWork` looks at a desc."""

    level: StagesLevel

    def __init__(self, level: StagesLevel, progress: Progress, now: Callable[[], float], lang: str = ENGLISH) -> None:
        super().__init__(level, progress, now, lang)

    def _beginning(self) -> Session:
        return Session(self.level.built([self.level.begin]))

    @property
    def tried(self) -> Experiment:
        return self._document.session.experiments[-1]

    @property
    def stages(self) -> list[Rows]:
        """How all stages are written."""
        return stages_in(self.tried)

    @property
    def at(self) -> int:
        """The stage that is looked at, from 0."""
        return self._document.number

    # ---- edits

    def _write(self, stages: Sequence[Rows], key: object = None, at: int | None = None) -> LevelState:
        """Edits the chain, and looks at stage `at`. Raises DmlvizError for what no chain of the level can be."""
        experiments = self.level.built(stages)
        self._document.history.edit(Session(experiments), key)
        if key is None:
            self._document.history.pause()
        self._document.number = min(self.at if at is None else at, len(experiments) - 1)
        self._follow()
        return self.state

    def _try_to(self, stages: Sequence[Rows], at: int | None = None, first: int = MOST_STAGES) -> LevelState:
        """`_write` with stages from `first` on as they follow, of which it is said why it can't be done."""
        self._forget_typed()
        try:
            return self._write(followed(self.level, stages, first), at=at)
        except DmlvizError as error:
            return self._refuse(retold(self.level.lang, str(error)) or str(error))

    def _refuse(self, told: str) -> LevelState:
        self._refused = told
        return self.state

    def type_in_field(self, key: str, text: str) -> LevelState:
        if key not in {row.key for row in self._stage_rows()}:
            return self.refuse(key)
        try:
            rows = self._typed(key, text)
            stages = [*self.stages[: self.at], rows, *self.stages[self.at + 1 :]]
            first = self.at + (key in NUMBERS and key != "Axis")
            state = self._write(followed(self.level, stages, first), ("field", self.at, key))
        except DmlvizError as error:
            self._fields.errors[key] = retold(self.level.lang, str(error)) or str(error)
            self._refused = ""
            return self.state
        if self._fields.errors.pop(key, None) is not None:
            return self.state
        return state

    def _typed(self, key: str, text: str) -> Rows:
        """The stage that is looked at after `text` was typed in a row. Raises DmlvizError where it can't be read."""
        rows = self.stages[self.at]
        reads: list[Any] = [*rows["reads"]]
        if key in NUMBERS:
            return {**rows, key: _numbers(text, key, self.level.lang)}
        if key == COUNT:
            (count,) = _numbers(text, key, self.level.lang)[:1]
            if not 0 < count <= self.level.limits["inputs"]:
                most = self.level.limits["inputs"]
                raise DmlvizError(sentence(self.level.lang, MOST["inputs"], most=most, count=count))
            return {**rows, "reads": (*reads, *reads[-1:] * count)[:count]}
        number = int(key.partition("[")[2].rstrip("]") or 0)
        reads[number] = self._sources().get(text, reads[number])
        return {**rows, "reads": tuple(reads)}

    def refuse(self, key: str) -> LevelState:
        self._fields.refill()
        return self._refuse(sentence(self.level.lang, "level.stages_given"))

    def choose_operator(self, name: str) -> LevelState:
        """Has another operator in the place of the stage that is looked at."""
        operator = name.removeprefix("DML_OPERATOR_")
        stages, at = self.stages, self.at
        if operator not in self.level.allowed or operator == stages[at]["Operator"][0]:
            return self.state
        read = stages[at]["reads"][0]
        stages[at] = begun(operator, self.level.built(stages)[at].desc.inputs[0].tensor, read, self._most_indices)
        return self._try_to(stages, first=at + 1)

    @property
    def _most_indices(self) -> int:
        return self.level.limits["indices"]

    def add_stage(self, name: str) -> LevelState:
        """Adds an operator behind the last one, which reads the output under the cursor if that is of the last one."""
        operator, stages = name.removeprefix("DML_OPERATOR_"), self.stages
        if operator not in self.level.allowed:
            return self.state
        if not self.may_add:
            return self._refuse(sentence(self.level.lang, "level.most_stages", most=self.level.stages))
        outputs = self.tried.desc.outputs
        output = min(output_at(self.picture.cursor), len(outputs) - 1) if self.tried is self.experiment else 0
        tensor = outputs[output].tensor if outputs and outputs[output].tensor.can_exist else self.level.x
        new = begun(operator, tensor, f"{len(stages)}[{max(output, 0)}]", self._most_indices)
        return self._try_to([*stages, new], at=len(stages))

    @property
    def may_add(self) -> bool:
        return len(self.stages) < self.level.stages

    def take_out(self) -> LevelState:
        """Takes the stage that is looked at out; what read it reads what it has read."""
        stages = self.stages
        if len(stages) == 1:
            return self._refuse(sentence(self.level.lang, "level.one_stage"))
        return self._try_to(without(stages, self.at), at=max(0, self.at - 1), first=self.at)

    def start_again(self) -> LevelState:
        self.shown = False
        return self._try_to([self.level.begin], at=0)

    def show_solution(self) -> LevelState:
        if not self.may_show:
            return self.state
        try:
            solution = stages_in(self.level.solution())
        except DmlvizError as error:  # an author's slip
            return self._refuse(str(error))
        self.shown = True
        if not self.solved:
            self._keep(None, right=False, skipped=True)
        return self._try_to(solution, at=len(solution) - 1)

    def undo(self) -> LevelState:
        return self._through_history(self._document.undo)

    def redo(self) -> LevelState:
        return self._through_history(self._document.redo)

    def _through_history(self, step: Callable[[], bool]) -> LevelState:
        """Takes a step of the history, and looks at the first stage that it has changed."""
        before = self.stages
        if step():
            after = self.stages
            differs = (k for k, (one, other) in enumerate(zip(before, after, strict=False)) if one != other)
            self._document.number = min(next(differs, min(len(before), len(after))), len(after) - 1)
            self._forget_typed()
            self._follow()
        return self.state

    # ---- stages

    def go_to_stage(self, number: int) -> LevelState:
        """Looks at another stage, where the cursor's element comes from or goes to."""
        if number == self.at or not 0 <= number < len(self.stages):
            return self.state
        cursor = self._carried(number)
        self._forget_typed()
        self._document.go(number)
        self._drawn = None
        self._follow()
        if cursor is not None:
            self.picture.point(cursor)
        return self.state

    def step_stage(self, by: int) -> LevelState:
        """Looks at the stage after or before."""
        return self.go_to_stage(self.at + by)

    def _carried(self, number: int) -> Cursor | None:
        """Where the cursor's element stands in another stage; None where it isn't there."""
        experiments, cursor = self._document.session.experiments, self.picture.cursor
        chain = chain_of(self.tried, self.experiment)
        if chain is None or cursor is None:
            return None
        stages = {id(stage): k for k, stage in enumerate(chain.stages)}
        here, there = (stages.get(id(experiments[k])) for k in (self.at, number))
        return carried(chain, here, there, cursor) if here is not None and there is not None else None

    # ---- what is shown

    @property
    def state(self) -> LevelState:
        state, experiments = super().state, self._document.session.experiments
        chain = shown_stages(experiments, experiments, self.experiment)
        named = tuple(replace(stage, name=stage.operator) for stage in chain.stages)
        lang, stages = self.level.lang, len(experiments)
        operators = sentence(lang, "level.operators", count=stages, most=self.level.stages)
        return replace(
            state,
            attempt=replace(state.attempt, operator=operators),
            chain=replace(chain, stages=named),
        )

    def _terms(self) -> LevelTerms:
        lang, names = self.level.lang, self.level.allowed
        make = sentence(lang, "level.make_stages", count=self.level.stages, names=names_in_words(names, lang))
        return replace(super()._terms(), make=make, keys=sentence(lang, "level.keys_stages"), any_operator=True)

    def _sources(self) -> dict[str, str]:
        """What the stage can read, by what it is called: `x`, `1`, and of several outputs `1[0]`."""
        sources = {X: X}
        for number, stage in enumerate(self._document.session.experiments[: self.at], 1):
            count = len(stage.desc.outputs)
            sources |= {f"{number}[{k}]" if count > 1 else str(number): f"{number}[{k}]" for k in range(count)}
        return sources

    def _stage_rows(self) -> list[FormRow]:
        """The rows of the stage that is looked at: what it reads, and its numbers."""
        rows, called = self.stages[self.at], {read: name for name, read in self._sources().items()}
        reads, names = rows["reads"], tuple(self._sources())
        made = []
        if rows["Operator"] == ("JOIN",):
            made.append(FormRow(COUNT, COUNT, str(len(reads))))
        for k, read in enumerate(reads):
            path = f"{INPUTS}[{k}]" if rows["Operator"] == ("JOIN",) else "InputTensor"
            made.append(FormRow(path, path, called.get(read, read), names))
        typed = (key for key in NUMBERS if key in rows)
        return [*made, *(FormRow(k, k, ",".join(map(str, rows[k])), is_list=k != "Axis") for k in typed)]

    def _form_state(self, rows: list[FormRow]) -> FormState:
        assert self._view is not None
        shown = self._stage_rows()
        return self._fields.state(self._view, shown, [row.key for row in shown])

    def _given_rows(self, rows: list[FormRow]) -> tuple[tuple[str, str], ...]:
        level, lang = self.level, self.level.lang
        told: Mapping[str, bool] = {
            "elements": True,
            "indices": "GATHER" in level.allowed,
            "inputs": "JOIN" in level.allowed,
        }
        limits = [sentence(lang, UPTO[name], most=level.limits[name]) for name, is_told in told.items() if is_told]
        x = f"{X} {braces(level.x.sizes)}"
        at = sentence(lang, "level.at", level=level.start.feature_level)
        return (
            ("values", x),
            *(("limits", text) for text in limits),
            ("FeatureLevel", at),
            ("DataType", str(level.x.data_type)),
        )

    def _picture_state(self) -> PictureState:
        """With signs on the end alone: other stages make no goal."""
        if self.experiment is self.tried:
            return super()._picture_state()
        entries: Entries = {}
        return self.picture.state(entries=entries)


def _numbers(text: str, key: str, lang: str) -> tuple[int, ...]:
    """The whole numbers of a row. Raises DmlvizError for anything else, and for none."""
    words = text.replace(",", " ").split()
    if not words or not all(word.isascii() and word.isdigit() and len(word) < 10 for word in words):
        raise DmlvizError(sentence(lang, "level.whole_numbers", name=key, found=text or "''"))
    return tuple(map(int, words))
