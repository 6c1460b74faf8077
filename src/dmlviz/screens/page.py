"""What screens over the whole terminal share: the room that they need, how they close, and the help of a course."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen, ScreenResultType

from ..widgets.bars.footer_line import StateFooter

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
        """Tells what is done here, and what each sign means."""
        from .dialogs.help import learn_help

        self.app.push_screen(learn_help(self, self.footer, self.TOPIC))
