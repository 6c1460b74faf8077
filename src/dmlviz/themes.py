"""The four themes: dark and light, for many colours and for terminals of 16.

Accent and status colours keep a CIEDE2000 distance of 15 from the identity colours beside them; `identity` names the
palette that fills cells. Text has four weights: bold `foreground`, `foreground`, `ruler` for what is looked up beside
something else, and `hint` for what may be left unread. All are read on `background` below the picture, `surface` of
panels and dialogs, and `panel` of fields, header and footer; `scrollbar` is seen on all of them.
"""

from __future__ import annotations

from typing import Any

from textual.theme import Theme


def _theme(name: str, identity: str, bar: str, ruler: str, hint: str, **colours: Any) -> Theme:
    """A theme in which the accent says success too, and a touched scroll bar; that lies on a surface by default."""
    grounds = "scrollbar-background", "scrollbar-background-hover", "scrollbar-background-active"
    variables = {
        "identity": identity,
        "ruler": ruler,
        "hint": hint,
        # Of 16 colours none is left that is read well on every ground and means nothing else.
        "keyword": colours["secondary" if identity == "xterm" else "foreground"],
        "scrollbar": bar,
        "scrollbar-hover": colours["accent"],
        "scrollbar-active": colours["accent"],
        **dict.fromkeys((*grounds, "scrollbar-corner-color"), colours["surface"]),
    }
    return Theme(name, success=colours["accent"], dark="dark" in name, variables=variables, **colours)


DARK = _theme(
    "dmlviz-dark",
    identity="xterm",
    bar="#6f7b89",
    ruler="#bec6cf",
    hint="#9ba5b0",
    primary="#2b3a55",
    secondary="#5f87d7",
    accent="#5bd6a8",
    warning="#ffcc00",
    error="#ff7b93",
    foreground="#e8edf2",
    background="#0f1216",
    surface="#171b21",
    panel="#232a33",
)
LIGHT = _theme(
    "dmlviz-light",
    identity="xterm",
    bar="#79828b",
    ruler="#3b424a",
    hint="#4f575f",
    primary="#bcd0f2",
    secondary="#3a62b0",
    accent="#00623f",
    warning="#665c00",
    error="#b80050",
    foreground="#14181d",
    background="#ffffff",
    surface="#f1f3f6",
    panel="#dfe4ea",
)

# Colours of a 16-colour terminal as Rich takes them to be; each stands for itself when it is rounded to one of them.
# Panels are told from the picture by their ground, and fields in them have the picture's.
DARK_16 = _theme(
    "dmlviz-dark-16",
    identity="ansi-dark",
    bar="#aaaaaa",
    ruler="#ffffff",
    hint="#aaaaaa",
    primary="#555555",
    secondary="#5555ff",
    accent="#55ffff",
    warning="#ffff55",
    error="#ff55ff",
    foreground="#ffffff",
    background="#000000",
    surface="#0000aa",
    panel="#000000",
)
LIGHT_16 = _theme(
    "dmlviz-light-16",
    identity="ansi-light",
    bar="#555555",
    ruler="#000000",
    hint="#555555",
    primary="#aaaaaa",
    secondary="#0000aa",
    accent="#0000aa",
    warning="#aa00aa",
    error="#aa0000",
    foreground="#000000",
    background="#ffffff",
    surface="#55ffff",
    panel="#ffffff",
)
THEMES = (DARK, LIGHT, DARK_16, LIGHT_16)


def theme_for(dark: bool, color_system: str | None) -> Theme:
    """The theme for a terminal; `color_system` is Rich's name for what it can show, None for no colours."""
    if color_system in ("standard", "windows"):
        return DARK_16 if dark else LIGHT_16
    return DARK if dark else LIGHT
