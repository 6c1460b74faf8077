"""HTML from plain text: tags whose attributes and contents are escaped, whatever a session holds."""

from __future__ import annotations

import html
import json
from typing import Any

from ..session.notes import printable

VOID = ("meta", "input", "br")
"""Elements that have no end tag."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Text as HTML, `Markup` as it is; what no page may hold is replaced."""
    return text if isinstance(text, Markup) else Markup(html.escape(printable(text)))


def tag(name: str, /, *contents: str, **attributes: str | int | bool | None) -> Markup:
    """An element. False and None leave an attribute out, True gives it no value; `class_` stands for `class`."""
    parts = [name]
    for key, value in attributes.items():
        shown = key.rstrip("_").replace("_", "-")
        if value is True:
            parts.append(shown)
        elif value is not None and value is not False:
            parts.append(f'{shown}="{escaped(str(value))}"')
    opened = f"<{' '.join(parts)}>"
    if name in VOID:
        return Markup(opened)
    return Markup(f"{opened}{''.join(map(escaped, contents))}</{name}>")


def json_script(content: Any, name: str = "data") -> Markup:
    """Data for a script of the page, of the class `name`: no text in it can end the element or open another."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json" class="{name}">{text}</script>')
