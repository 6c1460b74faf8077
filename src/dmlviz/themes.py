"""The four themes: dark and light, for many colours and for terminals of 16.

Accent and status colours keep a CIEDE2000 distance of 15 from the identity colours that they stand beside. `identity`
names the palette that fills cells, see `scene.colour.palette`.

Text has four weights, strongest first:

- bold `foreground`: the question, the values in cells, a title, what has the focus, what is broken;
- `foreground`: names, sentences, a formula, fields;
- `ruler`: what is looked up beside something else, such as axes, counts and the numbers of a formula's index;
- `hint`: what may be left unread, such as keys and remarks.

All are read on every ground: `background` below the picture, `surface` of panels and dialogs, `panel` of fields, the
header and the footer. `scrollbar` is seen on all of them.
"""

from __future__ import annotations

from textual.theme import Theme


def _scrollbars(bar: str, touched: str, ground: str) -> dict[str, str]:
    """The variables of scroll bars, where a style sheet doesn't say what they lie on."""
    grounds = "scrollbar-background", "scrollbar-background-hover", "scrollbar-background-active"
    return {
        "scrollbar": bar,
        "scrollbar-hover": touched,
        "scrollbar-active": touched,
        **dict.fromkeys((*grounds, "scrollbar-corner-color"), ground),
    }


DARK = Theme(
    name="dmlviz-dark",
    primary="#2b3a55",
    secondary="#5f87d7",
    accent="#5bd6a8",
    warning="#ffcc00",
    error="#ff7b93",
    success="#5bd6a8",
    foreground="#e8edf2",
    background="#0f1216",
    surface="#171b21",
    panel="#232a33",
    dark=True,
    variables={
        "identity": "xterm",
        "ruler": "#bec6cf",
        "hint": "#9ba5b0",
        **_scrollbars("#6f7b89", "#5bd6a8", "#171b21"),
    },
)
LIGHT = Theme(
    name="dmlviz-light",
    primary="#bcd0f2",
    secondary="#3a62b0",
    accent="#00623f",
    warning="#665c00",
    error="#b80050",
    success="#00623f",
    foreground="#14181d",
    background="#ffffff",
    surface="#f1f3f6",
    panel="#dfe4ea",
    dark=False,
    variables={
        "identity": "xterm",
        "ruler": "#3b424a",
        "hint": "#4f575f",
        **_scrollbars("#79828b", "#00623f", "#f1f3f6"),
    },
)

# Colours of a 16-colour terminal as Rich takes them to be; each stands for itself when it is rounded to one of them.
# Panels are told from the picture by their ground, and fields in them have the picture's.
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
    surface="#0000aa",
    panel="#000000",
    dark=True,
    variables={
        "identity": "ansi-dark",
        "ruler": "#ffffff",
        "hint": "#aaaaaa",
        **_scrollbars("#aaaaaa", "#55ffff", "#0000aa"),
    },
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
    surface="#55ffff",
    panel="#ffffff",
    dark=False,
    variables={
        "identity": "ansi-light",
        "ruler": "#000000",
        "hint": "#555555",
        **_scrollbars("#555555", "#0000aa", "#55ffff"),
    },
)
THEMES = (DARK, LIGHT, DARK_16, LIGHT_16)


def theme_for(dark: bool, color_system: str | None) -> Theme:
    """The theme for a terminal; `color_system` is Rich's name for what it can show, None for no colours."""
    if color_system in ("standard", "windows"):
        return DARK_16 if dark else LIGHT_16
    return DARK if dark else LIGHT
