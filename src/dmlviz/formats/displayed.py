"""Objects that notebooks and `rich.print` show as tables and pictures; what they show is made elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_MAKERS: dict[str, Callable[[object], str]] = {}
"""What makes HTML and text of an object, by those names; set once the public API is there."""


def show_by(html: Callable[[object], str], text: Callable[[object], str]) -> None:
    """Sets what makes the HTML and the plain text of every `Displayed` object."""
    _MAKERS.update(html=html, text=text)


class Displayed:
    """Has a picture in notebooks, and a text where `rich` prints it."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """What Jupyter shows; None where nothing makes it."""
        return _MAKERS["html"](self) if "html" in _MAKERS else None

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        """What `rich.print` shows: plain text, in which nothing is markup; the repr where nothing makes a text."""
        text = _MAKERS["text"](self).rstrip("\n") if "text" in _MAKERS else repr(self)
        yield console.render_str(text, markup=False, emoji=False, highlight=False)
