"""The screen of a level of several operators: a level's, with the chain's line; stages are added and taken out."""

from __future__ import annotations

import time
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from ...teaching.levels.level import Level
from ...teaching.levels.stages import StagesLevel
from ...teaching.progress.progress import Progress
from ...teaching.words.catalogue import sentence, user_language
from ...teaching.words.texts import ENGLISH
from ...widgets.bars.chain_line import ChainLine
from ...workspace.levels.level_state import LevelState
from ...workspace.levels.stages_work import StagesWork
from .level import LevelScreen


def level_screen(level: Level, progress: Progress, lang: str = ENGLISH) -> LevelScreen:
    """The screen of a level, of one operator or of several."""
    return (StagesScreen if isinstance(level, StagesLevel) else LevelScreen)(level, progress, lang)


class StagesScreen(LevelScreen):
    """Shows what `StagesWork` yields: one stage of the chain at a time, the end being held against the goal."""

    AROUND = 5
    work: StagesWork

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "add", "add", id="level.add"),
        Binding("x", "take_out", "take out", id="level.take-out"),
        Binding("right_curly_bracket", "stage(1)", "stage", key_display="{ }", id="level.stage"),
        Binding("left_curly_bracket", "stage(-1)", "stage", show=False),
        Binding("A", "again", "again", key_display="A", id="level.again"),
    ]

    def __init__(self, level: Level, progress: Progress, lang: str = ENGLISH) -> None:
        said = user_language() or lang
        self._chain = ChainLine(id="level-chain", keys=sentence(said, "level.chain_keys", keys="{ }"))
        super().__init__(level, progress, lang)

    def _work_on(self, level: Level, progress: Progress, lang: str) -> StagesWork:
        assert isinstance(level, StagesLevel)
        return StagesWork(level, progress, time.time, lang)

    def compose(self) -> ComposeResult:
        for number, widget in enumerate(super().compose()):
            yield widget
            if number == 0:
                yield self._chain

    def present(self, state: LevelState) -> None:
        self._chain.present(state)
        super().present(state)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        chain = self.state.chain
        if action in ("take_out", "stage"):
            return chain is not None and len(chain.stages) > 1
        return self.work.may_add if action == "add" else super().check_action(action, parameters)

    def _stage_changed(self, state: LevelState) -> None:
        """Shows a state in which another stage may be looked at, whose first row is edited then."""
        self.present(state)
        if self.focused is not None:
            self._focus_first()

    def _focus_first(self) -> None:
        """Edits the first row: another stage has other ones."""
        self.strip.focus_row(self.state.form.strip[0])

    def _ask_operator(self, *, adds: bool) -> None:
        from ..dialogs.choose_operator import ChooseOperator

        def closed(kind: str | None) -> None:
            if kind is not None:
                self.present(self.work.add_stage(kind) if adds else self.work.choose_operator(kind))
            self._focus_first()

        level, kind = self.work.level, self.work.experiment.desc.TYPE
        lang = level.lang
        asks = sentence(lang, "level.add_which") if adds else sentence(lang, "level.instead_which")
        self.app.push_screen(ChooseOperator(asks, kind, lang, names=level.allowed), closed)

    def action_add(self) -> None:
        """Asks which operator is to read what the last one makes."""
        self._ask_operator(adds=True)

    def action_operator(self) -> None:
        self._ask_operator(adds=False)

    def action_take_out(self) -> None:
        """Takes the stage that is looked at out."""
        self._stage_changed(self.work.take_out())

    def action_stage(self, by: int) -> None:
        """Looks at the stage after or before."""
        self._stage_changed(self.work.step_stage(by))

    @on(ChainLine.Chosen)
    def _on_stage_chosen(self, event: ChainLine.Chosen) -> None:
        self._stage_changed(self.work.go_to_stage(event.stage))
