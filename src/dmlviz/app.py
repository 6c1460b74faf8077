"""The Textual app: themes, the command palette, and the first screen."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from pathlib import Path

from rich.console import RenderableType
from rich.theme import Theme as RichTheme
from textual import events
from textual.app import App, SystemCommand
from textual.screen import Screen
from textual.theme import Theme

from . import recent
from .errors import DmlvizError, plain, quote
from .recent import Opened, Recent
from .recovery import Keeper
from .screens.ask import AskUnsaved
from .screens.explorer import Explorer
from .session import Session
from .settings import Settings, Store, default_file

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
    """The explorer on a session.

    With `remembers`, settings, recent sessions and what a crash would lose are kept in the user's own folders.
    """

    TITLE = "dmlviz"
    CSS_PATH = "screens/explorer.tcss"  # a default screen's own style sheet is not read

    def __init__(
        self, session: Session, path: Path | None = None, *, remembers: bool = False, opened: Opened | None = None
    ) -> None:
        super().__init__()
        self._first = session, path
        self._said = [opened.said] if opened is not None and opened.said else []
        self._example = opened.example if opened is not None else None
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self._store = Store(default_file()) if remembers else None
        self._recent = Recent(recent.default_file()) if remembers else None
        self._keeper = Keeper(self._tell_from_thread) if remembers else None
        self._letters: frozenset[str] = frozenset()
        self._use_settings()
        self.console.push_theme(
            RichTheme({"markdown.code": "bold", "markdown.code_block": "bold"})
        )  # no colours of its own

    # ---- what is remembered

    @property
    def settings(self) -> Settings:
        return self._store.settings if self._store is not None else Settings()

    def remember(self, name: str, value: object) -> None:
        """Keeps a setting for the next launch; says so where that can't be done."""
        if self._store is not None:
            try:
                self._store.remember(name, value)
            except DmlvizError as error:
                self.notify(str(error), severity="warning", markup=False)

    def _use_settings(self) -> None:
        if self._store is None:
            return
        settings = self._store.settings
        if settings.theme in self.available_themes:
            self.theme = settings.theme
        else:
            known = ", ".join(sorted(self.available_themes))
            self._said.append(f"theme is {quote(settings.theme)}, expected one of {known}.")
        if not settings.animation:
            self.animation_level = "none"
        if settings.keys:
            from .screens.keymap import checked

            keymap, self._letters, said = checked(settings.keys)
            self.set_keymap(keymap)
            self._said += said
        self._said = [*self._store.said, *self._said]

    def _tell_from_thread(self, sentence: str) -> None:
        self.call_from_thread(self.notify, sentence, severity="warning", markup=False)

    def on_explorer_preferred(self, event: Explorer.Preferred) -> None:
        self.remember(event.name, event.value)

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Ends the program as the user wants it: nothing is left to be offered at the next launch."""
        if self._keeper is not None:
            self._keeper.close(clean=True)
        super().exit(result, return_code, message)

    def close_keeper(self) -> None:
        """After an exit that nobody asked for, what was edited waits for the next launch."""
        if self._keeper is not None:
            self._keeper.close(clean=False)

    # ---- start and end

    def get_default_screen(self) -> Screen[None]:
        explorer = Explorer(*self._first)
        explorer.document.example = self._example
        explorer.letters, explorer.keeper, explorer.recent = self._letters, self._keeper, self._recent
        explorer.seconds = self.settings.seconds
        return explorer

    def on_ready(self) -> None:
        # What start-up has made stays; freezing it keeps the collector's hitches out of the frames.
        gc.collect()
        gc.freeze()
        for sentence in self._said:
            self.notify(sentence, markup=False, timeout=8)
        explorer = self.screen
        if self._store is not None and isinstance(explorer, Explorer):
            self.theme_changed_signal.subscribe(self, lambda theme: self.remember("theme", theme.name))
            if self._recent is not None and self._recent.first_launch:
                explorer.query_one("#hint").add_class("on")
            explorer.offer_lost()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, (events.Key, events.MouseDown)):
            for hint in self.screen_stack[0].query("#hint.on") if self.screen_stack else ():
                hint.remove_class("on")  # the first key or click shows that it has been understood
        await super().on_event(event)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        titles = set()
        for command in super().get_system_commands(screen):
            titles.add(command.title)
            yield command
        if isinstance(screen, Explorer):
            from .screens.commands import commands
            from .screens.keys import shown_keys

            for each in commands(screen):
                if each.title not in titles:  # a letter and a key with ctrl do the same
                    titles.add(each.title)
                    yield SystemCommand(each.title, f"{each.about} ({shown_keys(each.key)})".strip(), each.run)
            yield SystemCommand(
                "Light or dark", "Change between the light and the dark theme", self.action_toggle_light
            )
            if self._store is not None:
                yield SystemCommand("Settings file", "Say where settings and keys can be edited", self._say_settings)

    def _say_settings(self) -> None:
        assert self._store is not None
        self.notify(f"settings and keys are in {plain(str(self._store.file))}", markup=False, timeout=10)

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
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name


def explore(session: Session, path: Path | None, opened: Opened | None = None) -> int:
    """Opens the explorer and returns the exit code."""
    app = DmlvizApp(session, path, remembers=True, opened=opened)
    try:
        app.run()
    finally:
        app.close_keeper()
    return app.return_code or 0
