"""Objects that notebooks and `rich.print` show as tables and pictures; what they show is made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar


class Displayed:
    __slots__ = ()
    shown_by: ClassVar[Callable[[], Any]]
    """What gives the module whose `html_of` and `text_of` show it."""

    def _repr_html_(self) -> str:
        return str(Displayed.shown_by().html_of(self))

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """What `rich.print` shows: plain text, in which nothing is markup."""
        text = Displayed.shown_by().text_of(self).rstrip("\n")
        yield console.render_str(text, markup=False, emoji=False, highlight=False)
