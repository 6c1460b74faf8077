"""Make a task of the experiment on the screen: its JSON, with what is wrong with it while it is typed."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Label, OptionList, TextArea
from textual.widgets.option_list import Option
from textual.widgets.text_area import Selection

from ...errors import DmlvizError, plain
from ...session.experiments import Experiment, Session
from ...teaching.lessons.lessons import Lesson
from ...widgets.lib.text_editor import TextEditor
from ...workspace.authoring.authoring import Offer, TaskDraft
from .dialog import Dialog

GIVES_UP = "What you wrote isn't a task yet: ctrl+s makes the task, esc once more gives it up."
RESTS = 0.2
"""Seconds without a key after which what is typed is read."""


class MakeTask(Dialog[Session | None]):
    """Gives the session with the task, or without it, or None where nothing is to change."""

    KIND = "task"
    AUTO_FOCUS = "#offers"
    BINDINGS = [
        Binding("f2", "preview", "Preview", priority=True, id="task.preview"),
        Binding("ctrl+s", "make", "Make it", priority=True, id="task.make"),
        Binding("escape", "close", "Close", priority=True, id="task.close"),
    ]

    def __init__(self, draft: TaskDraft, name: str, preview: Callable[[Lesson, Experiment], None]) -> None:
        """`preview` shows a lesson of one step, which an experiment has, as a student sees it."""
        super().__init__()
        self.draft, self._called, self._preview = draft, name, preview
        self._before, self._gives_up = draft.text, False

    def compose(self) -> ComposeResult:
        editor = TextEditor(self.draft.text, id="json", show_line_numbers=True, tab_behavior="focus")
        yield self.frame(
            f"Make a task of {plain(self._called, 50)}",
            Horizontal(OptionList(id="offers"), editor, classes="both"),
            Label("", id="said", classes="hint", markup=False),
        )

    def on_mount(self) -> None:
        self._show()

    # ---- what is shown

    def _show(self) -> None:
        offers = self.query_one(OptionList)
        at = offers.highlighted or 0
        self._kinds, self._rules = {one.id: one for one in self.draft.kinds}, {r.id: r for r in self.draft.rules}
        heading = [Option("Misconceptions that differ", disabled=True)] if self._rules else []
        offers.clear_options()
        offers.add_options([*map(_option, self._kinds.values()), *heading, *map(_option, self._rules.values())])
        offers.highlighted = min(at, offers.option_count - 1)
        self.say_trouble("\n".join(self.draft.faults[:2]))

    @on(OptionList.OptionHighlighted)
    def _say_offer(self, event: OptionList.OptionHighlighted) -> None:
        offer = self._kinds.get(str(event.option_id)) or self._rules.get(str(event.option_id))
        self.query_one("#said", Label).update(offer.text if offer is not None else "")

    # ---- what an author does

    @on(OptionList.OptionSelected)
    def _take_offer(self, event: OptionList.OptionSelected) -> None:
        """Begins a task of a kind, or says what it needs; puts words for a misconception in, or takes them out."""
        self._read()
        id_ = str(event.option_id)
        if id_ in self._rules:
            self._write(text := self.draft.with_rule(id_))
            words = re.compile(rf'"{id_}": "((?:[^"\\]|\\.)*)"').search(text, text.find('"wrong"'))
            if words is not None:  # which what is typed next replaces
                row, line = text.count("\n", 0, words.start()), text.rfind("\n", 0, words.start()) + 1
                editor = self.query_one(TextArea)
                editor.selection = Selection(*((row, at - line) for at in words.span(1)))
                editor.focus()
        elif self._kinds[id_].can:
            self._write(self.draft.begun(id_))
        else:
            self.say_trouble(f"{id_} can't be asked here: it {self._kinds[id_].text}.")

    def _write(self, text: str) -> None:
        editor = self.query_one(TextArea)
        editor.replace(text, (0, 0), editor.document.end)
        self._read()

    @on(TextArea.Changed)
    def _take_typed(self) -> None:
        self._gives_up = False
        self._read_soon()

    @work(exclusive=True)
    async def _read_soon(self) -> None:
        await asyncio.sleep(RESTS)
        self._read()

    def _read(self) -> None:
        text = self.query_one(TextArea).text
        if text != self.draft.text:
            self.draft.read(text)
            self._show()

    def _try(self, act: Callable[[], object]) -> None:
        self._read()
        try:
            act()
        except DmlvizError as error:
            self.say_trouble(str(error))

    def action_make(self) -> None:
        self._try(lambda: self.dismiss(self.draft.finished()))

    def action_preview(self) -> None:
        self._try(lambda: self._preview(*self.draft.preview()))

    def action_close(self) -> None:
        if self.may_quit():
            self.dismiss(None)

    def may_quit(self) -> bool:
        may = self._gives_up or self.query_one(TextArea).text == self._before
        self._gives_up = True
        self.say_trouble("" if may else GIVES_UP)
        if not may and not self.is_top:
            self.notify(GIVES_UP, markup=False)
        return may


def _option(offer: Offer) -> Option:
    return Option(Content(f"{offer.id:9}{offer.text}"), id=offer.id)
