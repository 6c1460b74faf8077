"""Objects that notebooks and `rich.print` show as tables and pictures; what they show is made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_MAKER: list[Callable[[], Any]] = []


def show_by(maker: Callable[[], Any]) -> None:
    """Sets what gives the module whose `html_of` and `text_of` show every `Displayed` object."""
    _MAKER[:] = [maker]


class Displayed:
    """Has a picture in notebooks, and a text where `rich` prints it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """What Jupyter shows."""
        return str(_MAKER[0]().html_of(self))

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """What `rich.print` shows: plain text, in which nothing is markup."""
        yield console.render_str(_MAKER[0]().text_of(self).rstrip("\n"), markup=False, emoji=False, highlight=False)
