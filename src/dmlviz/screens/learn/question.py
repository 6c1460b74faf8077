"""The screen of a question: the picture that is asked about, and below it what is answered and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from ...errors import DmlvizError
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...scene.steps.player import Player
from ...session.experiments import Experiment, Session
from ...session.new_experiments import fresh
from ...teaching.diagnosis.practice import Practice
from ...teaching.progress.progress import Progress
from ...teaching.tasks.own_tasks import own_question
from ...teaching.words.catalogue import sentence
from ...widgets.boards.answer_board import AnswerBoard, AnswerFooter, AnswerHead, lines_wanted
from ...widgets.lib.painted import Column
from ...widgets.picture.formula_line import FormulaLine
from ...widgets.picture.memory_part import MemoryPart
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import PicturePane
from ...widgets.picture.tensor_stack import TensorStack
from ...workspace.asking.answering import NONE
from ...workspace.asking.ask_state import AskState, Form
from ...workspace.asking.asked_desc import places_of
from ...workspace.asking.asking import KEYS, Asking
from ...workspace.lessons.course_map import lesson_in
from ...workspace.shown.picture import LEAST_PICTURE
from ...workspace.shown.state import State
from ...workspace.wall.presented_item import LETTERS
from ..frames import FRAME, Pace
from ..picture_screen import PictureScreen, arrows, place
from ..smallest import TOO_SMALL

KEPT_BELOW = 2
"""Empty lines between a picture and a question that stands higher: a line may lead through the first."""
LEAST_LIFTED = 3
"""Lines by which a question stands higher at least; fewer change little, and it would move for nothing."""
STEP_KEYS = (",", ".", " ")


class QuestionScreen(PictureScreen[Cursor | None]):
    """Shows what `Asking` yields; each thing that a user does goes to one method of it."""

    CSS_PATH = "question.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "answer", "answer", key_display="enter", id="ask.answer"),
        *(
            Binding(
                f"{letter},{number}",
                f"choose('{letter}')",
                "choose",
                key_display=shown,
                show=bool(shown),
                id="ask.choose" if shown else None,
            )
            for letter, number, shown in zip(LETTERS, "1234", ("a–d", "", "", ""), strict=True)
        ),
        Binding("space", "mark", "mark", key_display="space", id="ask.mark"),
        Binding("space", "play", "play", key_display="space", id="ask.play"),
        Binding("n", f"choose('{NONE}')", "none", id="ask.none"),
        *arrows("ask.move"),
        Binding("tab", "other_side", "next cell", key_display="tab", id="ask.next"),
        Binding("backspace", "erase", "erase", show=False, id="ask.erase"),
        Binding("comma", "step(-1)", "step back", show=False, id="ask.back"),
        Binding("full_stop", "step(1)", "step", id="ask.step", key_display=", ."),
        Binding("m", "memory", "memory", id="ask.memory"),
        Binding("h", "hint", "hint", id="ask.hint"),
        Binding("s", "skip", "skip", id="ask.skip"),
        Binding("r", "another", "another like it", id="ask.another"),
        Binding("e", "explore", "explore", id="ask.explore"),
        Binding("pagedown", "page(1)", "on", show=False, id="ask.page-down"),
        Binding("pageup", "page(-1)", "back", show=False, id="ask.page-up"),
        Binding("question_mark,f1", "help", "help", key_display="?", id="app.keys", priority=True),
        Binding("escape", "leave", "leave", key_display="esc", id="ask.leave"),
    ]

    def __init__(self, asking: Asking) -> None:
        super().__init__()
        self.asking = asking
        self.state: AskState = asking.state
        self.pane = PicturePane(id="ask-picture")
        self._wanted: int | str = ""
        self._lifted = 0
        self._heads = 1  # lines of the head
        self._pace = Pace()
        self._clock: Timer | None = None  # while steps play
        self._memory = MemoryPart(id="ask-memory")
        self._head, self._formula = AnswerHead(id="ask-head"), FormulaLine(id="ask-formula")
        self._board, self._footer = AnswerBoard(id="ask-board"), AnswerFooter(id="ask-footer")

    def compose(self) -> ComposeResult:
        yield self._head
        with Column(id="ask-body"):
            yield self.pane
            yield self._memory
            yield self._formula
            yield self._board
        yield Static(TOO_SMALL, id="ask-small")
        yield self._footer

    def on_mount(self) -> None:
        self.fit_window()

    # ---- what is shown

    def present(self, state: AskState) -> None:
        has_formula = self._has_formula(state)
        if has_formula is not self.asking.has_formula:
            self.asking.has_formula = has_formula
            state = self.asking.state
        before, self.state = self.state, state
        self._keep_time()
        self._head.present(state)
        self._footer.present(state)
        self.refresh_bindings()
        for notice in self.asking.notices():
            self.notify(notice, severity="warning", markup=False)
        moves = self._share(state)
        if moves or state.question is not before.question or state.open is not before.open:
            self.call_after_refresh(self._fit)  # the room for the picture is known then
        else:
            self._show_laid_out(state)

    @property
    def _plays(self) -> bool:
        return self.state.picture.player.playing

    def _keep_time(self) -> None:
        """Has a clock tick for as long as steps play."""
        if self._plays and self._clock is None:
            self._pace.begin()
            self._clock = self.set_interval(FRAME, self._tick)
        elif not self._plays and self._clock is not None:
            self._clock.stop()
            self._clock = None

    def _tick(self) -> None:
        state = self.asking.tick(time.monotonic()) if self._plays and self._pace.allows() else None
        if state is not None:
            self._pace.begin()
            self.present(state)

    def _show_laid_out(self, state: AskState) -> None:
        if state.view.in_picture:
            self.pane.present(state)
            self._memory.present(state, state.question.subject.sentence, steps=state.view.steps)
            picture = state.picture
            if not state.open:
                verdict = state.feedback.verdict
                lit = verdict is not None and not verdict.right and "formula" in verdict.lights
                self._formula.show(picture.trace, picture.cursor, picture.live, known=picture.known, lit=lit)
        else:
            self._memory.display = False
        self._board.present(state)

    def _heads_of(self, state: AskState) -> int:
        """Lines of the head."""
        return max(1, len(self._head.lines_of(state, self.app.size.width - 2, 1)))

    def _has_formula(self, state: AskState) -> bool:
        """True if the formula line stands below the picture once the question is answered."""
        # Memory tells more where that is asked about.
        least = 30 if self.asking.picture.wants_memory else 20
        return state.view.in_picture and self.app.size.height - 1 - self._heads_of(state) >= least

    def _share(self, state: AskState) -> bool:
        """Shares the lines between the picture and what stands below it; True where that moves anything."""
        heads = self._heads_of(state)
        lines = self.app.size.height - 1 - heads
        width = max(20, self.app.size.width - 3)
        formula = self.asking.has_formula and not state.open
        most = max(lines * 6 // 10, lines - 24) if lines > 20 else lines - LEAST_PICTURE
        if formula:
            most = min(most, lines - LEAST_PICTURE - 2)
        elif not state.open:
            most = lines - LEAST_PICTURE + 1
        gap = int(state.view.in_picture and lines >= 28)
        wanted: int | str = gap + lines_wanted(state, width, most, tight=lines < 20) if state.view.in_picture else "1fr"
        self.set_class(bool(gap), "airy")
        moves = place(((self.pane, state.view.in_picture, None, None), (self._formula, formula, None, None)))
        if heads != self._heads:
            self._heads, moves = heads, True
            self._head.styles.height = heads
        if wanted != self._wanted:
            self._wanted = wanted
            if not self._lifted:  # else it stands as it does until the picture is laid out
                self._board.styles.height = wanted
            moves = True
        return moves

    @property
    def _height_at_bottom(self) -> int:
        """Lines for the picture where the question stands at the bottom."""
        if not self._lifted or not isinstance(self._wanted, int):
            return self.pane.size.height + self._memory.outer_size.height * self._memory.display
        formula = self._formula.outer_size.height if self._formula.display else 0
        return self.query_one("#ask-body").size.height - formula - self._wanted

    def _lift(self, lines: int, room: int) -> None:
        """Has the question stand so many lines higher than at the bottom: below a picture that needs none of them."""
        self._lifted = lines
        self.pane.styles.height = room - lines if lines else "1fr"
        self._board.styles.height = "1fr" if lines else self._wanted

    def _fit(self) -> None:
        if not self.is_mounted:
            return
        size = self.pane.size
        if self.state.view.in_picture and size.height:
            height = self._height_at_bottom
            alone, below = not self.asking.picture.answers.outputs, int(self.state.view.steps)
            self.state = self.asking.fit(self.room(height, alone=alone, below=below))
            lines = self._free_below()
            if lines or self._lifted:
                self._lift(lines, height - self.asking.picture.lines_of_memory)
        self._show_laid_out(self.state)

    def _free_below(self) -> int:
        """How many lines below the picture nothing needs; 0 where they are few, or it scrolls."""
        scene = self.state.picture.scene
        stacks = [stack for stack in (scene.inputs, scene.outputs) if stack.figures] if scene is not None else []
        free = min((stack.below for stack in stacks), default=0) - KEPT_BELOW
        return free if free >= LEAST_LIFTED else 0

    def fit_window(self) -> None:
        self._share(self.state)
        super().fit_window()

    @on(FormulaLine.Resized)
    def _on_formula_resized(self) -> None:
        self._fit()  # a formula that has just come has its lines only now

    # ---- what a user does

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        state = self.state
        open_, form = state.open, state.form
        letters = state.entry.options if form is Form.CHOICE else ()
        marks = open_ and (form.is_marked or form is Form.LIST)
        can = {
            "choose": open_
            and parameters[:1] in [(option.id,) for option in (*letters, state.entry.none) if option is not None],
            "mark": marks,
            "play": state.view.steps and not marks and not state.entry.begun,
            "move": state.view.moves,
            "other_side": state.view.moves,
            "erase": open_ and form.is_typed,
            "step": state.view.steps,
            "hint": open_ and state.feedback.hints < 4,
            "skip": open_,
            "memory": self.asking.can_show_memory,
            "another": not open_ and form is not Form.DOOR,
        }
        return can.get(action, True)

    def on_mouse_down(self) -> None:
        self._stop()

    def _stop(self) -> None:
        """Stops what plays: another key or a click is for what is seen now."""
        if self._plays:
            self.present(self.asking.stop())

    def on_key(self, event: events.Key) -> None:
        if event.key != "space":
            self._stop()
        state, key = self.state, event.character
        # No number begins with one of them, so they step until one is begun.
        steps = state.view.steps and key in STEP_KEYS and not state.entry.begun
        if state.open and state.form.is_typed and key is not None and key in KEYS and not steps:
            event.stop()
            event.prevent_default()
            self.present(self.asking.press(key))

    def action_answer(self) -> None:
        self.present(self.asking.answer())

    def action_choose(self, letter: str) -> None:
        self.present(self.asking.choose(letter))

    def action_mark(self) -> None:
        self.present(self.asking.mark())

    def action_move(self, rows: int, columns: int) -> None:
        self.present(self.asking.move(rows, columns))

    def action_other_side(self) -> None:
        self.present(self.asking.other_side())

    def action_erase(self) -> None:
        self.present(self.asking.erase())

    def action_step(self, by: int) -> None:
        self.present(self.asking.step(by))

    def action_play(self) -> None:
        """Plays as the explorer does, or stops; where motion is off, takes a step."""
        states = (getattr(screen, "state", None) for screen in self.app.screen_stack)
        players = (state.picture.player for state in states if isinstance(state, State))
        seconds, still = next(players, Player()).seconds, self.app.animation_level == "none"
        self.present(self.asking.play(time.monotonic(), seconds, still=still))

    def action_page(self, way: int) -> None:
        """Shows more of what is asked, or where all of that is seen more of the picture."""
        if not self._board.scroll_on(way * max(1, self._board.size.height - 2)) and self.state.view.in_picture:
            self.present(self.asking.page(way))

    def action_hint(self) -> None:
        self.present(self.asking.hint())

    def action_memory(self) -> None:
        """Shows or hides linear memory below the picture."""
        self.present(self.asking.turn_memory())
        self.call_after_refresh(self._fit)

    @on(MemoryPart.Stepped)
    def _on_stepped(self, event: MemoryPart.Stepped) -> None:
        self.present(self.asking.go(event.step))

    @on(MemoryPart.Played)
    def _on_played(self) -> None:
        self.action_play()

    def action_skip(self) -> None:
        self.present(self.asking.skip())

    def action_another(self) -> None:
        self.present(self.asking.another())

    def action_explore(self) -> None:
        """Closes with the element that is looked at, for the explorer; practice goes there with its desc."""
        self.asking.look_up()
        self.close(self.state.picture.cursor or Cursor(Place(False, 0), ()))

    def action_help(self) -> None:
        """Tells what is done here, and what each sign means."""
        from ..dialogs.learn_help import LearnHelp

        self._stop()
        self.app.push_screen(LearnHelp(self, self._footer, "lesson" if self.state.lesson else "question"))

    def action_leave(self) -> None:
        self.close(None)

    @on(TensorStack.Pointed)
    def _on_pointed(self, event: TensorStack.Pointed) -> None:
        self.present(self.asking.point(event.cursor, marks=event.clicked))

    @on(MemoryStrip.Pointed)
    def _on_memory_pointed(self, event: MemoryStrip.Pointed) -> None:
        self.present(self.asking.point(event.cursor, marks=True))

    @on(AnswerBoard.Pressed)
    def _on_pressed(self, event: AnswerBoard.Pressed) -> None:
        acts: dict[str, Callable[[str], AskState]] = {
            "choose": self.asking.choose,
            "slot": lambda slot: self.asking.go_to_slot(int(slot)),
            "key": self._press_key,
        }
        if event.name == "key" and event.value == "answer":
            self.action_answer()
        else:
            self.present(acts[event.name](event.value))

    def _press_key(self, key: str) -> AskState:
        return self.asking.erase() if key == "erase" else self.asking.press(key)


class Questions:
    """Opens questions over the explorer, and goes back to one that was left to be explored."""

    def __init__(self, explorer: Screen[Any]) -> None:
        self._explorer = explorer
        self._left: dict[object, Asking] = {}
        self._last: Asking | None = None  # about an experiment of the session
        self._done: list[Experiment] = []  # whose own task was answered

    def ask(
        self,
        experiment: Experiment,
        session: Session,
        *,
        turned: bool,
        explored: Callable[[Cursor], None],
        answered: Callable[[], None],
        has_told: Callable[[Cursor], bool],
    ) -> None:
        """Asks about an experiment of a session, its own task first, or says that there is nothing to ask.

        `explored` gets the element that somebody wants to explore; the question waits until it is asked for again.
        `answered` is called once somebody leaves who has answered or skipped anything. `has_told` says whether an
        element of what the example asks was seen before: an answer counts as looked up then.
        """
        if self._last is not None and self._last.has_answers and not self._is_answered(self._last.home):
            self._done.append(self._last.home)
        asking = self._left.pop("one", None)
        if asking is None or asking.home is not experiment:
            progress = progress_of(self._explorer)
            seed = len(progress.answers)
            try:
                own = None if self._is_answered(experiment) else own_question(experiment, seed)
                lesson = lesson_in(session)
                steps = lesson.steps if lesson is not None else ()
                step = next((other for other in steps if other.experiment is experiment), None)
                if own is not None and step is not None and step.task is not None:
                    own = replace(own, task=replace(own.task, id=step.task.id))
                named = lesson.name if lesson is not None else ""
                asking = Asking(experiment, progress, time.time, seed=seed, turned=turned, own=own, named=named)
                if own is not None and any(map(has_told, places_of(own))):
                    asking.look_up()
            except DmlvizError as error:
                self._explorer.notify(str(error), severity="warning", markup=False)
                return
        asked = self._last = asking

        def looked(cursor: Cursor) -> None:
            if asked.experiment is experiment:  # what is asked "what if" has other elements
                explored(cursor)

        self._open_screen(asking, "one", told("explore.question"), looked, answered)

    def _is_answered(self, experiment: Experiment) -> bool:
        """True if the experiment's own task was answered."""
        return any(done is experiment for done in self._done)

    def practise(self, types: Sequence[str], explored: Callable[[Experiment], None]) -> None:
        """Asks about ever new descs of operators, by type; it waits while `explored` gets one to be explored."""
        asking = self._left.pop(tuple(types), None)
        if asking is None:
            progress = progress_of(self._explorer)
            bases = [fresh(kind) for kind in types]
            practice = Practice(bases, len(progress.answers), progress.answers)
            asking = Asking(bases[0], progress, time.time, practice=practice)
        practising = asking
        self._open_screen(practising, tuple(types), told("explore.practice"), lambda _: explored(practising.experiment))

    def _open_screen(
        self,
        asking: Asking,
        key: object,
        farewell: str,
        explored: Callable[[Cursor], None],
        answered: Callable[[], None] = lambda: None,
    ) -> None:
        """Opens a question; one that is left to be explored is kept by its `key`, with a farewell."""

        def closed(cursor: Cursor | None) -> None:
            if asking.has_answers:
                answered()
            if cursor is not None:
                self._left[key] = asking
                explored(cursor)
                self._explorer.notify(farewell, markup=False)

        self._explorer.app.push_screen(QuestionScreen(asking), closed)


def told(key: str) -> str:
    """The sentence that comes up over the explorer."""
    return sentence(key)


def progress_of(explorer: Screen[Any]) -> Progress:
    """The app's progress; where it keeps none, an empty one that nothing keeps."""
    progress: Progress = getattr(explorer.app, "progress", None) or Progress()
    return progress
