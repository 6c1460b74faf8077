"""The course map as two lists: lessons with a mark for each step, and levels."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text
from textual.binding import Binding
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ...workspace.lessons.lesson import Item
from ..lib.inks import Inks, inks_of
from .answer_board import marks_of


class CourseList(OptionList):
    """Lessons or levels; enter or a click opens one."""

    BINDINGS = [
        Binding("enter", "select", "open", key_display="enter", id="course.open"),
        Binding("down", "cursor_down", "move", key_display="arrows", id="course.move"),
    ]

    def __init__(self, title: str, legend: str = "", *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, compact=True)
        self.border_title = f"[bold $foreground]{title}[/]  {legend}"
        self.items: Sequence[Item] = ()

    @property
    def item(self) -> Item | None:
        return self.items[self.highlighted] if self.highlighted is not None and self.items else None

    def show(self, items: Sequence[Item]) -> None:
        at, self.items = self.highlighted, items
        inks = inks_of(self.app.theme_variables)
        self.clear_options()
        for item in items:
            is_apart = self.screen.has_class("-airy") and bool(item.marks) and item is not items[-1]
            self.add_options([Option(_prompt(item, inks)), *[None][:is_apart]])
        self.highlighted = min(at or 0, len(items) - 1)

    def on_resize(self) -> None:
        self.show(self.items)
        self.call_after_refresh(self.scroll_to_highlight)  # what is told of an item takes a line more or less


def _prompt(item: Item, inks: Inks) -> Group | Table:
    accent, told = inks.accent.hex, inks.ruler.hex
    if inks.has_marks:  # a bar in the colour of text may be behind them
        accent = told = ""
    title = Text(f"{item.sign} {item.title}", no_wrap=True, overflow="ellipsis")
    table = Table.grid(expand=True, padding=(0, 1, 0, 0), pad_edge=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(no_wrap=True)
    first = Text(f"   {marks_of(item.marks)}", accent) if item.marks else title
    table.add_row(first, Text(item.status, accent if item.is_done else told))
    return Group(title, table) if item.marks else table
