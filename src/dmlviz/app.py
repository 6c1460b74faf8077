"""The Textual app: themes, the command palette, and the first screen."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.theme import Theme as RichTheme
from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.screen import Screen

from .scene.vision import Vision
from .screens.ask import AskUnsaved
from .screens.explorer import Explorer
from .session import Session
from .themes import THEMES, theme_for

if TYPE_CHECKING:
    from .screens.colours import VisionTable


class DmlvizApp(App[None]):
    """The explorer on a session."""

    TITLE = "dmlviz"
    CSS_PATH = "screens/explorer.tcss"  # a default screen's own style sheet is not read

    def __init__(self, session: Session, path: Path | None = None) -> None:
        super().__init__()
        self._first = session, path
        self.vision = Vision.NORMAL
        self.color_system: str | None = "truecolor"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(True, self.color_system).name
        # Only those stay whose colours were held against the identity colours.
        for name in set(self.available_themes) - {theme.name for theme in THEMES}:
            self.unregister_theme(name)
        self.console.push_theme(
            RichTheme({"markdown.code": "bold", "markdown.code_block": "bold"})
        )  # no colours of its own

    def suit(self, color_system: str | None) -> None:
        """Takes the theme for what the terminal can show, by Rich's name for it."""
        self.color_system = color_system
        self.theme = theme_for(self.current_theme.dark, color_system).name

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        if self.vision is Vision.NORMAL:
            return filters
        from .widgets.seen_filter import SeenAs

        return [*filters, SeenAs(self.vision)]

    def see(self, vision: Vision) -> None:
        """Shows everything as another eye sees it."""
        self.vision = vision
        self.refresh_css(animate=False)

    def on_vision_table_chosen(self, event: VisionTable.Chosen) -> None:
        self.see(event.vision)

    def get_default_screen(self) -> Screen[None]:
        return Explorer(*self._first)

    def on_ready(self) -> None:
        # What start-up has made stays; freezing it keeps the collector's hitches out of the frames.
        gc.collect()
        gc.freeze()

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
            yield SystemCommand("Step unit", "Step by element, run, slice or whole", lambda: screen.action_unit(1))
            yield SystemCommand("Bookmark", "Set or clear one at this step", screen.action_bookmark)
            yield SystemCommand("Next bookmark", "Go to its step", lambda: screen.action_to_bookmark(1))
            yield SystemCommand("Previous bookmark", "Go to its step", lambda: screen.action_to_bookmark(-1))
            yield SystemCommand("Next broken rule", "Go to the field that a rule names", screen.action_next_broken)
            yield SystemCommand("Feature levels", "What each takes, and where the desc stands", screen.action_levels)
            yield SystemCommand("Go to a coordinate", "An element by its index, or a step", screen.action_go_to)
            yield SystemCommand("Type a value", "Into the cell under the cursor", screen.action_type_value)
            yield SystemCommand("Undo", "Take the last edit back", screen.action_undo)
            yield SystemCommand("Redo", "Make it again", screen.action_redo)
            yield SystemCommand("Slower", "Let a pass take longer", lambda: screen.action_slower(1))
            yield SystemCommand("Faster", "Let a pass take less time", lambda: screen.action_slower(-1))
            yield SystemCommand("Next experiment", "Show the session's next", lambda: screen.action_experiment(1))
            yield SystemCommand("Previous experiment", "Show the one before", lambda: screen.action_experiment(-1))
            yield SystemCommand("Colour key", "What colours and marks stand for, to any eye", screen.action_colours)
            yield SystemCommand(
                "Light or dark", "Change between the light and the dark theme", self.action_toggle_light
            )

    async def action_quit(self) -> None:
        """Ends the program; the explorer asks first where something would be lost."""
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
        self.theme = theme_for(not self.current_theme.dark, self.color_system).name


def explore(session: Session, path: Path | None) -> int:
    """Opens the explorer and returns the exit code."""
    app = DmlvizApp(session, path)
    app.suit(app.console.color_system)
    app.run()
    return app.return_code or 0
