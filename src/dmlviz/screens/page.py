"""What screens over the whole terminal share: the room that they need, how they close, a course's help, a picture."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, ClassVar, ParamSpec

from textual import on
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.screen import Screen, ScreenResultType
from textual.timer import Timer

from ..widgets.bars.footer_line import StateFooter
from ..widgets.picture.picture_pane import PicturePane
from ..widgets.picture.tensor_stack import TensorStack
from ..widgets.picture.transport import Transport
from ..workspace.shown.picture import Desk, Room
from ..workspace.shown.state import State

Given = ParamSpec("Given")
FRAME, SHARE = 1 / 12, 0.22
"""Seconds from one frame of a picture that plays to the next, and how much of a core all of them take at most."""
LOW = 32
"""Lines of a screen below which nothing stands between the parts of a picture."""
SMALLEST = (60, 18)
"""Columns and lines that a screen needs."""
TOO_SMALL = f"dmlviz needs {SMALLEST[0]} columns and {SMALLEST[1]} lines.\nMake the terminal larger; nothing is lost."
"""What stands over all else with the class `too-small`."""


class Page(Screen[ScreenResultType]):
    """A screen that shows `TOO_SMALL` in a terminal below `SMALLEST`."""

    AUTO_FOCUS = ""

    def on_resize(self) -> None:
        width, height = self.app.size
        self.set_class(width < SMALLEST[0] or height < SMALLEST[1], "tiny")

    def close(self, answer: ScreenResultType) -> None:
        """Closes with an answer, unless another screen stands over this one."""
        if self.app.screen_stack[-1] is self:
            self.dismiss(answer)


class CoursePage(Page[ScreenResultType]):
    """A page whose signs, words and keys are told by `?`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "help", "help", key_display="?", id="app.keys", priority=True)
    ]
    TOPIC = ""
    """What help calls it: lesson, question, level, map or end."""
    footer: StateFooter

    def action_help(self) -> None:
        from .dialogs.help import learn_help

        self.app.push_screen(learn_help(self, self.footer, self.TOPIC))


def arrows(id_: str, call: str) -> Iterator[Binding]:
    """The arrow keys, by which a desk does `call`; the footer has one entry for them, known by `id_`."""
    yield Binding("left", f"do('{call}', (0, -1))", "move", key_display="arrows", id=id_)
    for key, by in (("right", (0, 1)), ("up", (-1, 0)), ("down", (1, 0))):
        yield Binding(key, f"do('{call}', {by})", "move", show=False)


class PicturePage(Page[ScreenResultType]):
    """Draws a desk's `state`: a key or a click calls one method of the desk, then one watcher tells every panel."""

    pane: PicturePane
    state: reactive[Any] = reactive(None, init=False, always_update=True, repaint=False)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.set_reactive(PicturePage.state, desk.state)
        self._clock: Timer | None = None  # while steps play
        self._drawn = self._spent = 0.0  # when the last frame began, and this thread's processor time then

    def on_mount(self) -> None:
        """Plays as the explorer below it does."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self.present(self.state))
        self.desk.still = self.app.animation_level == "none"
        states = (getattr(screen, "state", None) for screen in self.app.screen_stack)
        players = (state.picture.player for state in states if isinstance(state, State))
        self.desk.seconds = next((player.seconds for player in players), self.desk.seconds)
        self.fit_window()

    # ---- a state on its way out

    def watch_state(self, state: Any) -> None:
        """Tells every panel, says what the desk has to say, and has a clock tick for as long as steps play.

        What waited for a frame may come when the page has been left, and its panels have no screen any more.
        """
        if self not in self.app.screen_stack:
            return
        for notice in self.desk.notices():
            self.notify(notice, severity="warning", markup=False)
        playing = state.picture.player.playing
        if playing and self._clock is None:
            self._clock = self.set_interval(FRAME, self._tick)
        elif not playing and self._clock is not None:
            self._clock.stop()
            self._clock = None
        self.present(state)
        self.tell_able(state)

    def tell_able(self, state: Any) -> None:
        self.refresh_bindings()

    def present(self, state: Any) -> None:
        raise NotImplementedError

    def _fit(self) -> None:
        """Has the picture laid out for the room that it has now."""
        raise NotImplementedError

    @on(TensorStack.Resized)
    def _on_stack_resized(self) -> None:
        self._fit()

    def room(self, height: int, *, alone: bool = False) -> Room:
        """The picture's room of so many lines; without a lane where the inputs are `alone`."""
        pane = self.pane
        columns, lane = (pane.size.width, 0) if alone else (pane.columns, pane.spare)
        return Room(columns, height, self.app.size.height < LOW, lane)

    def on_resize(self) -> None:
        self.fit_window()

    def fit_window(self) -> None:
        """Sets the classes for the screen's size, presents the state, and has the picture laid out anew."""
        self.set_class(self.app.size.height < LOW, "low")
        self.present(self.state)
        self.call_after_refresh(self._fit)

    # ---- a key on its way in

    def action_do(self, name: str, given: tuple[Any, ...] = ()) -> None:
        """Has the desk do what a key or a click is for, `picture.move` or `hint`, and shows what came of it."""
        self.act(attrgetter(name)(self.desk), *given)

    def act(self, call: Callable[Given, object], *given: Given.args, **named: Given.kwargs) -> None:
        call(*given, **named)
        self.state = self.desk.state

    def doing(self, call: Callable[Given, object]) -> Callable[Given, None]:
        """A method of the desk after which what came of it is shown."""

        def done(*given: Given.args, **named: Given.kwargs) -> None:
            self.act(call, *given, **named)

        return done

    @on(Transport.Pressed)
    def _on_pressed(self, event: Transport.Pressed) -> None:
        self.action_do(event.name, event.given)

    @on(TensorStack.Pointed)
    def _on_pointed(self, event: TensorStack.Pointed) -> None:
        self.point(event)

    def point(self, event: TensorStack.Pointed) -> None:
        self.action_do("picture.point", (event.cursor,))

    def _tick(self) -> None:
        now, spent = time.monotonic(), time.thread_time()
        if SHARE * (now - self._drawn) < min(spent - self._spent, 0.1):
            return  # the last frame was dear: large pictures are drawn less often, yet twice a second
        self._drawn, self._spent = now, spent
        if self.desk.tick():
            self.state = self.desk.state

    def stop(self) -> None:
        """Stops what plays: another key or a click is for what is seen now."""
        if self.state.picture.player.playing:
            self.action_do("picture.stop")

    def on_mouse_down(self) -> None:
        self.stop()
