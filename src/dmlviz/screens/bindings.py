"""The keys of the main screen, and which of them are letters and digits."""

from __future__ import annotations

from textual.binding import Binding, BindingType

LETTER_ACTIONS = frozenset(
    {
        *("play", "step", "slower", "unit", "bookmark", "to_bookmark"),
        *("undo_letter", "leave_letter", "type_value", "copy", "export", "token", "import"),
        *("fix", "run", "help_keys", "notes", "colours", "levels", "memory", "zoom", "details"),
    }
)
"""What letters and digits do; they never fire while a field has the focus."""

BINDINGS: list[BindingType] = [
    Binding("space", "play", "play", id="steps.play"),
    Binding("comma", "step(-1)", "back", key_display=",", id="steps.back"),
    Binding("full_stop", "step(1)", "step", key_display=".", id="steps.forward"),
    Binding("less_than_sign", "slower(1)", "slower", key_display="<", id="steps.slower"),
    Binding("greater_than_sign", "slower(-1)", "faster", key_display=">", id="steps.faster"),
    Binding("s", "unit(1)", "unit", id="steps.unit"),
    Binding("S", "unit(-1)", "Unit before", show=False, id="steps.unit-back"),
    Binding("b", "bookmark", "bookmark", id="steps.bookmark"),
    Binding("left_square_bracket", "to_bookmark(-1)", "Previous bookmark", show=False, id="steps.bookmark-back"),
    Binding("right_square_bracket", "to_bookmark(1)", "Next bookmark", show=False, id="steps.bookmark-next"),
    Binding("home", "first", "First step", show=False, id="steps.first"),
    Binding("end", "last", "Last step", show=False, id="steps.last"),
    Binding("f", "fix(-1)", "fix", id="fix.first"),
    *(Binding(str(n), f"fix({n - 1})", f"Fix {n}", show=False, id=f"fix.{n}") for n in range(1, 10)),
    Binding("f3", "next_broken", "broken rule", id="rules.next"),
    Binding("o", "details", "Rules that hold", show=False, id="rules.all"),
    Binding("r,f5", "run", "run", id="kernel.run"),
    Binding("z", "zoom(1)", "zoom", id="view.zoom"),
    Binding("Z", "zoom(-1)", "Zoom back", show=False, id="view.zoom-back"),
    Binding("u", "undo_letter", "undo", show=False, id="edit.undo-letter"),
    Binding("ctrl+z", "undo", "Undo", show=False, priority=True, id="edit.undo"),
    Binding("ctrl+y", "redo", "Redo", show=False, priority=True, id="edit.redo"),
    Binding("e,f4", "type_value", "value", id="cell.type"),
    Binding("ctrl+g", "go_to", "go to", priority=True, id="cell.go-to"),
    Binding("v", "levels", "levels", id="view.levels"),
    Binding("m", "memory", "memory", id="view.memory"),
    Binding("question_mark", "help_keys", "keys", key_display="?", id="app.keys"),
    Binding("p", "colours", "Colour key", show=False, id="view.colours"),
    Binding("f2", "swap", "form", id="view.swap"),
    Binding("f6", "next_pane", "pane", priority=True, id="view.pane"),
    Binding("ctrl+left", "experiment(-1)", "Previous experiment", show=False, priority=True, id="session.previous"),
    Binding("ctrl+right", "experiment(1)", "next", show=False, priority=True, id="session.next"),
    Binding("ctrl+n", "new", "New", show=False, priority=True, id="session.new"),
    Binding("ctrl+o", "open", "open", priority=True, id="session.open"),
    Binding("ctrl+s", "save", "save", priority=True, id="session.save"),
    Binding("f12", "save_as", "Save as", show=False, priority=True, id="session.save-as"),
    Binding("ctrl+e", "experiments", "experiments", priority=True, id="session.experiments"),
    Binding("n", "notes", "notes", id="session.notes"),
    Binding("c", "copy", "copy", id="session.copy"),
    Binding("x", "export", "export", id="session.export"),
    Binding("i", "import", "import", id="session.import"),
    Binding("y", "token", "token", id="session.token"),
    Binding("f1", "help", "Help", show=False, priority=True, id="app.help"),
    Binding("q", "leave_letter", "Quit", show=False, id="app.quit-letter"),
    Binding("ctrl+q", "leave", "quit", priority=True, id="app.quit"),
]
