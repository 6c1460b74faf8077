"""What the wall and the speaker's screen have in common: their keys, and the time that passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.actions import parse
from textual.binding import Binding, BindingType
from textual.screen import Screen

from ...widgets.lib.textual_private import bindings_of
from ...workspace.wall.presented_item import LETTERS
from ...workspace.wall.presenting import Presenting
from ...workspace.wall.wall_state import WallState
from ..smallest import mark_tiny

TICK = 0.05
"""Seconds after which the other screen is looked at, and a step that plays goes on: a hand is slower than that."""


class PresentingScreen(Screen[None]):
    """Each key goes to one method of `Presenting`."""

    CSS_PATH = "present.tcss"
    AUTO_FOCUS = ""
    has_palette = False
    """`?` lists the keys, and Textual's own commands aren't for a room."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown,n", "act('forward')", "on: question, steps, answer, next experiment", id="present.forward"),
        Binding("pageup,N", "act('back')", "back, the same way", id="present.back"),
        Binding("r", "act('reveal')", "reveal: the answer, and the hands", id="present.reveal"),
        *(
            Binding(
                letter, f"count('{letter}')", "hands for an answer: type them, then enter", id=f"present.hands-{letter}"
            )
            for letter in LETTERS
        ),
        Binding("v", "act('second_vote')", "count the second vote, or the first again", id="present.second-vote"),
        Binding("p", "act('play')", "play the steps, or stop", id="present.play"),
        Binding("full_stop", "step(1)", "a step on", id="present.step"),
        Binding("comma", "step(-1)", "a step back", id="present.step-back"),
        Binding("m", "act('memory')", "linear memory, or none", id="present.memory"),
        Binding("h", "act('hide')", "hide the output, or show it", id="present.hide"),
        Binding("k", "act('black')", "black, until any of page up, page down and k", id="present.black"),
        Binding("g", "act('begin_go')", "go to an experiment: its number, then enter", id="present.go-to"),
        Binding("T", "act('turn_timer')", "two minutes to talk, or no timer", id="present.timer"),
        Binding("Z", "act('clean')", "twice: begin anew, without hands, at time 0", id="present.clean"),
        Binding("enter", "act('enter')", "take the number", id="present.enter"),
        Binding("backspace", "act('erase')", "take a digit back", id="present.erase"),
        Binding("question_mark", "keys", "these keys", id="present.keys"),
        Binding("escape", "leave(True)", "give up what is typed, or leave", id="present.escape"),
        Binding("q", "leave(False)", "leave; it goes on here the next time", id="present.leave"),
    ]

    def __init__(self, presenting: Presenting) -> None:
        super().__init__()
        self.presenting = presenting

    def on_mount(self) -> None:
        self.presenting.wall.still = self.app.animation_level == "none"
        self.app.theme_changed_signal.subscribe(self, lambda _: self.show_now())
        self.set_interval(TICK, self._tick)
        self.on_resize()

    def show_now(self) -> None:
        """Shows how the presentation stands."""
        raise NotImplementedError

    def _tick(self) -> None:
        if self.presenting.tick() is not None:
            self.show_now()

    def on_resize(self) -> None:
        mark_tiny(self)
        self.show_now()

    def on_key(self, event: events.Key) -> None:
        digit = event.character
        if self.presenting.is_typing and digit is not None and digit in "0123456789":
            event.stop()
            event.prevent_default()
            self.presenting.digit(digit)
            self.show_now()

    def action_act(self, name: str) -> None:
        """Calls the method of `Presenting` that is called `name`, and shows what came of it."""
        act: Callable[[], WallState] = getattr(self.presenting, name)
        act()
        self.show_now()

    def action_step(self, by: int) -> None:
        self.presenting.step(by)
        self.show_now()

    def action_count(self, letter: str) -> None:
        self.presenting.count_hands(letter)
        self.show_now()

    def action_keys(self) -> None:
        """Lists the keys of this screen."""
        from .key_list import KeyList

        kinds = reversed(type(self).__mro__)
        order = [
            binding.id for kind in kinds for binding in vars(kind).get("BINDINGS", ()) if isinstance(binding, Binding)
        ]
        own = [one for one in bindings_of(self) if one.id in order and self.check_action(*parse(one.action)[1:])]
        self.app.push_screen(KeyList(sorted(own, key=lambda binding: order.index(binding.id))))

    def action_leave(self, gives_up: bool) -> None:
        """Leaves; with `gives_up`, where a number is being typed, gives up that alone."""
        if gives_up and self.presenting.is_typing:
            self.presenting.cancel()
            self.show_now()
        elif self.app.screen_stack[-1] is self:
            self.dismiss(None)
