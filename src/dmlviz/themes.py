"""The four themes: dark and light, for many colours and for terminals of 16.

Accent and status colours keep a CIEDE2000 distance of 15 from the identity colours that they stand beside. `identity`
names the palette that fills cells, see `scene.colour.palette`.
"""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="dmlviz-dark",
    primary="#2b3a55",
    secondary="#5f87d7",
    accent="#5bd6a8",
    warning="#ffe94d",
    error="#ff7b93",
    success="#5bd6a8",
    foreground="#e8edf2",
    background="#0f1216",
    surface="#171b21",
    panel="#232a33",
    dark=True,
    variables={"identity": "xterm"},
)
LIGHT = Theme(
    name="dmlviz-light",
    primary="#bcd0f2",
    secondary="#3a62b0",
    accent="#00614a",
    warning="#7a4a00",
    error="#b80050",
    success="#00614a",
    foreground="#14181d",
    background="#ffffff",
    surface="#f1f3f6",
    panel="#dfe4ea",
    dark=False,
    variables={"identity": "xterm"},
)

# Colours of a 16-colour terminal as Rich takes them to be; each stands for itself when it is rounded to one of them.
DARK_16 = Theme(
    name="dmlviz-dark-16",
    primary="#555555",
    secondary="#5555ff",
    accent="#55ffff",
    warning="#ffff55",
    error="#ff55ff",
    success="#55ffff",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#0000aa",
    dark=True,
    variables={"identity": "ansi-dark"},
)
LIGHT_16 = Theme(
    name="dmlviz-light-16",
    primary="#aaaaaa",
    secondary="#0000aa",
    accent="#0000aa",
    warning="#aa00aa",
    error="#aa0000",
    success="#0000aa",
    foreground="#000000",
    background="#ffffff",
    surface="#ffffff",
    panel="#55ffff",
    dark=False,
    variables={"identity": "ansi-light"},
)
THEMES = (DARK, LIGHT, DARK_16, LIGHT_16)


def theme_for(dark: bool, color_system: str | None) -> Theme:
    """The theme for a terminal, by what Rich calls its colour system."""
    if color_system in ("standard", "windows"):
        return DARK_16 if dark else LIGHT_16
    return DARK if dark else LIGHT
