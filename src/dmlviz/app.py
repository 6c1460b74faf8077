"""The Textual app: themes, the command palette, and the first screen."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from pathlib import Path

from rich.theme import Theme as RichTheme
from textual.app import App, SystemCommand
from textual.screen import Screen
from textual.theme import Theme

from .screens.explorer import Explorer
from .session import Session

DARK = Theme(
    name="dmlviz-dark",
    primary="#2b3a55",
    secondary="#5f87d7",
    accent="#5bd6a8",
    warning="#ffd479",
    error="#ff7b93",
    success="#5bd6a8",
    foreground="#e8edf2",
    background="#0f1216",
    surface="#171b21",
    panel="#232a33",
    dark=True,
)
LIGHT = Theme(
    name="dmlviz-light",
    primary="#bcd0f2",
    secondary="#3a62b0",
    accent="#00614a",
    warning="#7a4a00",
    error="#b0003a",
    success="#00614a",
    foreground="#14181d",
    background="#ffffff",
    surface="#f1f3f6",
    panel="#dfe4ea",
    dark=False,
)


class DmlvizApp(App[None]):
    """The explorer on a session."""

    TITLE = "dmlviz"
    CSS_PATH = "screens/explorer.tcss"  # a default screen's own style sheet is not read

    def __init__(self, session: Session, path: Path | None = None) -> None:
        super().__init__()
        self._first = session, path
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self._begin_with(DARK)
        self.console.push_theme(
            RichTheme({"markdown.code": "bold", "markdown.code_block": "bold"})
        )  # no colours of its own

    def _begin_with(self, theme: Theme) -> None:
        """Sets the theme that is there from the first frame; set later, every style sheet is read once more."""
        self.set_reactive(App.theme, theme.name)
        others = {name: False for name in self.classes if name.startswith("-theme-")}
        self.update_classes(
            {**others, f"-theme-{theme.name}": True, "-dark-mode": theme.dark, "-light-mode": not theme.dark},
            update=False,
        )
        self.stylesheet.set_variables(self.get_css_variables())

    def get_default_screen(self) -> Screen[None]:
        return Explorer(*self._first)

    def on_ready(self) -> None:
        # What start-up has made stays; freezing it keeps the collector's hitches out of the frames.
        gc.collect()
        gc.freeze()
        gc.enable()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        if isinstance(screen, Explorer):
            yield SystemCommand("Open", "Open a session file or an example", screen.action_open)
            yield SystemCommand("Save", "Write the session to its file", screen.action_save)
            yield SystemCommand("Save as", "Write the session to another file", screen.action_save_as)
            yield SystemCommand("Run", "Run and time the compiled kernel", screen.action_run)
            yield SystemCommand("Play", "Play or stop the steps", screen.action_play)
            yield SystemCommand("First step", "Show the picture before anything is written", screen.action_first)
            yield SystemCommand("Last step", "Show the whole output", screen.action_last)
            yield SystemCommand("Next broken rule", "Go to the field that a rule names", screen.action_next_broken)
            yield SystemCommand("Undo", "Take the last edit back", screen.action_undo)
            yield SystemCommand("Redo", "Make it again", screen.action_redo)
            yield SystemCommand("Slower", "Let a pass take longer", lambda: screen.action_slower(1))
            yield SystemCommand("Faster", "Let a pass take less time", lambda: screen.action_slower(-1))
            yield SystemCommand("Next experiment", "Show the session's next", lambda: screen.action_experiment(1))
            yield SystemCommand("Previous experiment", "Show the one before", lambda: screen.action_experiment(-1))
            yield SystemCommand(
                "Light or dark", "Change between the light and the dark theme", self.action_toggle_light
            )

    async def action_quit(self) -> None:
        """Ends the program; the explorer asks first where something would be lost."""
        from .screens.ask import AskUnsaved

        explorer = next((screen for screen in self.screen_stack if isinstance(screen, Explorer)), None)
        if explorer is None or not explorer.dirty:
            self.exit()
        elif self.screen is explorer:
            explorer.action_leave()
        elif not isinstance(self.screen, AskUnsaved):
            self.screen.dismiss(None)  # what lies over the explorer gives way to its question
            self.call_later(explorer.action_leave)

    def action_show_help_panel(self) -> None:
        """The key sheet, in place of Textual's own panel, which would take the picture's room."""
        if isinstance(self.screen, Explorer):
            self.screen.action_help_keys()

    def action_toggle_light(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name


def explore(session: Session, path: Path | None) -> int:
    """Opens the explorer and returns the exit code."""
    app = DmlvizApp(session, path)
    app.run()
    return app.return_code or 0
