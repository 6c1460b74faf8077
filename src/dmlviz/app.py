"""The Textual app: themes, the command palette, and the first screen."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from collections.abc import Callable, Iterable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.theme import Theme as RichTheme
from textual import events, on
from textual.app import SystemCommand
from textual.driver import Driver
from textual.message import Message
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input
from textual.worker import WorkerFailed

from .errors import DmlvizError, FaultError, plain, quote
from .scene.layout.zoom import Zoom
from .scene.steps.order import Unit
from .scene.steps.player import Player
from .screens.explorer.explorer import Explorer
from .screens.input_order import InputOrder
from .session.document import Document
from .session.experiments import Session
from .session.recent_files import Recent
from .session.recovery import Keeper
from .session.settings import Settings, Store, default_file
from .session.whole_files import digest_of, state_folder
from .themes import DARK, LIGHT, THEMES, theme_for
from .widgets.fields.field import field_of
from .widgets.lib.textual_private import HookedApp, end_by_fault, focus_anew
from .workspace.explorer.workspace import Workspace

if TYPE_CHECKING:
    from .screens.downloads import Downloads
    from .teaching.progress.progress import Progress


PATIENCE = 5.0
"""Seconds that a screen has to be made, for a program that is asked to end before."""
MARKS = "-marks"
"""The class of the app where the focus is bold, reversed or marked: NO_COLOR, and 16 colours."""
TOLD_BY_COLOUR = ("accent", "success", "warning", "error", "keyword")
"""Variables that are grey without colours, and greyer than text; bold, a sign or a bar stands in their place."""
MOST_PASTED = 100_000
"""Characters of one paste; each key in a line of a megabyte would take seconds."""
MOST_IN_LINE = 10_000
"""Characters of one paste into a field of one line, whichever has the focus."""
RESTED = 1.0
"""Seconds after the first frame in which the explorer has the machine to itself."""


class DmlvizApp(HookedApp[None]):
    """The explorer on a session.

    With `remembers`, settings, recent sessions and what a crash would lose are kept in the user's own folders. With
    `compares`, what an edit moved is marked for a second once no other edit follows. With `warms`, the kernel that the
    first run will need is made ready after the first frame.
    Without `files`, those of this machine are neither opened nor saved: what leaves is downloaded by a browser.
    """

    TITLE = "dmlviz"
    ALLOW_SELECT = False  # dragging is for the steps' bar; Textual fails on a widget that goes while it is pressed
    CSS_PATH = "screens/explorer/explorer.tcss"  # a default screen's own style sheet is not read

    def __init__(
        self,
        session: Session,
        path: Path | None = None,
        *,
        remembers: bool = False,
        compares: bool = False,
        warms: bool = False,
        opened: Document | None = None,
        files: bool = True,
        learns: str | None = None,
        welcomes: bool = False,
        presents: Callable[..., object] | None = None,
    ) -> None:
        """`learns` opens the course map first, and the lesson of that id over it; "" for the map alone.

        `welcomes` offers three ways to begin, unless an earlier launch did. `presents` opens a presentation first; the
        program ends with it.
        """
        super().__init__()
        self.downloads: Downloads | None = None
        if not files:
            from .screens.downloads import Downloads

            self.downloads = Downloads(self)
        self._order = InputOrder(self)
        self._compares, self._learns, self._presents = compares, learns, presents
        self._warms = warms and learns is None and presents is None
        self._welcomes = welcomes and learns is None
        self._document = opened or Document(session, path, digest_of(path) if path is not None else None)
        self.notices = [self._document.notice] if self._document.notice else []
        """What is said once the explorer is shown."""
        self.fault: Exception | None = None
        """The fault of the program's own that has ended it."""
        self.color_system: str | None = "truecolor"
        for theme in THEMES:
            self.register_theme(theme)
        self._begin_with_theme(DARK)
        # Only those stay whose colours were held against the identity colours.
        for name in set(self.available_themes) - {theme.name for theme in THEMES}:
            self.unregister_theme(name)
        self._store = Store(default_file()) if remembers else None
        self._recent = Recent() if remembers else None
        self._keeper = Keeper(self._notify_from_thread) if remembers else None
        self._keymap_chosen: dict[str, str] = {}
        self._typed: frozenset[str] = frozenset()
        self._use_settings()
        plain_code = {"markdown.code": "bold", "markdown.code_block": "bold"}  # no colours of its own
        self.console.push_theme(RichTheme(plain_code))

    def _begin_with_theme(self, theme: Theme) -> None:
        """Sets the theme that is there from the first frame; set later, every style sheet is read once more."""
        if theme.name == self.theme:
            return
        self.set_reactive(HookedApp.theme, theme.name)
        classes = {name: False for name in self.classes if name.startswith("-theme-")}
        classes |= {f"-theme-{theme.name}": True, "-dark-mode": theme.dark, "-light-mode": not theme.dark}
        self.update_classes(classes, update=False)
        self.stylesheet.set_variables(self.get_css_variables())
        self.watch_theme()

    @property
    def _has_few_colours(self) -> bool:
        """True without colours, or on a terminal of 16."""
        return self.no_color or self.current_theme.variables.get("identity", "xterm") != "xterm"

    def get_css_variables(self) -> dict[str, str]:
        """The theme's variables, and `focus`: "marks" where there are few colours, else "colour".

        Where there are no colours at all, what would be told by one is as strong as text.
        """
        variables = super().get_css_variables()
        if self.no_color:
            told = dict.fromkeys(TOLD_BY_COLOUR, variables["foreground"]) | {"identity": "greys"}
            variables.update(told)
            self.theme_variables.update(told)
        variables["focus"] = self.theme_variables["focus"] = "marks" if self._has_few_colours else "colour"
        return variables

    def watch_theme(self) -> None:
        """Tells the style sheets by a class whether the focus is seen by marks."""
        self.update_classes({MARKS: self._has_few_colours}, update=False)  # all is styled anew in any case

    def suit(self, color_system: str | None) -> None:
        """Takes the theme that suits what a terminal can show; `color_system` is Rich's name for that."""
        self.color_system = color_system
        self._begin_with_theme(theme_for(self.current_theme.dark, color_system))

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        if driver.__module__ != "textual.drivers.linux_driver":
            return driver  # a browser's tab, or Windows
        from .screens.terminal_driver import TerminalDriver

        return TerminalDriver

    # ---- what is remembered

    @property
    def settings(self) -> Settings:
        """The user's settings; the defaults where nothing is remembered."""
        return self._store.settings if self._store is not None else Settings()

    def remember(self, name: str, value: object) -> None:
        """Keeps a setting for the next launch; notifies where that can't be done, does nothing unless `remembers`."""
        if self._store is not None:
            try:
                self._store.remember(name, value)
            except DmlvizError as error:
                self.notify(str(error), severity="warning", markup=False)

    @cached_property
    def progress(self) -> Progress:
        """What was answered: in the user's own file, or in memory where nothing is remembered."""
        from .teaching.progress import progress

        kept = self._store is not None and self._store.settings.progress
        answers = progress.Progress(progress.default_file() if kept else None)
        for sentence in answers.problems:
            self.notify(sentence, severity="warning", markup=False)
        return answers

    def _use_settings(self) -> None:
        """Sets theme, animation and keys as the user's settings say; what is wrong there becomes a notice."""
        if self._store is None:
            return
        settings = self._store.settings
        known = {DARK.name: DARK, LIGHT.name: LIGHT}
        if settings.theme in known:
            self._begin_with_theme(known[settings.theme])
        else:
            self.notices.append(f"theme is {quote(settings.theme)}, expected one of {', '.join(known)}.")
        if not settings.animation:
            self.animation_level = "none"
        if settings.keys:
            from .screens.explorer.user_keys import checked

            self._keymap_chosen, self._typed, sentences = checked(settings.keys)
            self.set_keymap(self._keymap_chosen)
            self.notices += sentences
        self.notices = [*self._store.sentences, *self.notices]

    def _notify_from_thread(self, sentence: str) -> None:
        # Without waiting for the screen's thread, which may wait for the one that calls.
        self.call_later(self.notify, sentence, severity="warning", markup=False)

    def exit(self, result: None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Ends the program as the user wants it: nothing is left to be offered at the next launch."""
        if self._keeper is not None:
            self._keeper.close(clean=True)
        self._call_once_mounted(partial(super().exit, result, return_code, message))

    def _call_once_mounted(self, end: Callable[[], None]) -> None:
        """Calls `end` when the screen that is being made is there: an app that ends makes no more of its parts."""
        if self.screen_stack and self.screen.is_mounted:
            end()
        else:
            self._ending = asyncio.create_task(self._call_when_mounted(end))

    async def _call_when_mounted(self, end: Callable[[], None]) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while not (self.screen_stack and self.screen.is_mounted):
                    await asyncio.sleep(0.01)
        end()

    def close_keeper(self) -> bool:
        """Keeps what was edited for the next launch, after an exit that nobody asked for; True if there is any."""
        return self._keeper is not None and self._keeper.close(clean=False)

    @property
    def unkept(self) -> str:
        """Why the latest edits don't wait for the next launch; "" where they do, or there are none."""
        return self._keeper.unkept if self._keeper is not None else ""

    def end_by_signal(self, number: int = 0) -> None:
        """Ends the program as a signal asks, or with its browser tab; what was edited waits for the next launch."""
        field = field_of(self.screen.focused) if self.screen_stack else None
        if field is not None:
            field.take()
        self.close_keeper()
        self._call_once_mounted(partial(super().exit, return_code=128 + number if number else 0))

    def end_by_fault(self, error: Exception) -> None:
        """Ends the program by a fault of its own, the first of several; `explore` raises it in the end."""
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error = error.error
        is_first, self.fault = self.fault is None, self.fault or error
        end_by_fault(self, error if is_first else None)

    # ---- start and end

    def get_default_screen(self) -> Screen[None]:
        settings = self.settings
        workspace = Workspace(
            self._document,
            player=Player(Unit(settings.unit), seconds=settings.seconds),
            zoom=Zoom(settings.zoom) if settings.zoom != "auto" else None,
            memory=settings.memory,
            keeper=self._keeper,
            recent=self._recent,
            prefer=self.remember,
        )
        explorer = Explorer(workspace, self._keymap_chosen, self._typed)
        explorer.compares = self._compares
        if self._presents is not None:
            explorer.visible = False  # the room sees no outputs before it is asked
        return explorer

    def on_explorer_shown(self) -> None:
        # What start-up has made stays; freezing it keeps the collector's hitches out of the frames.
        gc.collect()
        gc.freeze()
        gc.enable()
        for sentence in self.notices:
            self.notify(sentence, markup=False, timeout=8)
        explorer, presents = self.screen, self._presents
        if not isinstance(explorer, Explorer):
            return
        if self._store is not None:
            kept = partial(self.remember, "theme")
            self.theme_changed_signal.subscribe(self, lambda theme: kept(theme_for(theme.dark, "truecolor").name))
            if presents is None:
                explorer.offer_lost(welcomes=self._welcomes)
        if self._learns is not None:
            explorer.action_learn(self._learns)
        if presents is not None:
            presents(explorer, self._document.session, closed=self.exit)
        if self._warms:
            explorer.set_timer(RESTED, explorer.workspace.get_ready)

    def watch_app_focus(self, focus: bool) -> None:
        """Gives the focus to what a screen begins with where nothing had it: a browser's tab begins without any."""
        if focus:
            focus_anew(self.screen)

    def takes_input(self, message: Message) -> bool:
        """True for a key, mouse event or paste, which `InputOrder` hands on in its order; False for other messages."""
        if not isinstance(message, (events.InputEvent, events.Paste)):
            return False
        self._order.put(message)
        return True

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Paste):
            found, most = len(event.text), MOST_IN_LINE if isinstance(self.focused, Input) else MOST_PASTED
            if found > most:
                said = f"The pasted text has {found:,} characters, expected {most:,} at most."
                self.notify(said, severity="warning", markup=False)
                return
        await super().on_event(event)

    @on(events.DeliveryComplete)
    @on(events.DeliveryFailed)
    def _on_sent(self, event: events.DeliveryComplete | events.DeliveryFailed) -> None:
        if self.downloads is not None:
            self.downloads.done(event.key, isinstance(event, events.DeliveryComplete))

    def action_command_palette(self) -> None:
        """Opens the palette, unless one is open or a screen of the stack has none."""
        from .widgets.lib.textual_private import Palette

        if all(
            getattr(screen, "has_palette", True) and not isinstance(screen, Palette) for screen in self.screen_stack
        ):
            self.push_screen(Palette())

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The explorer's commands that can act, one of each title, and Textual's own that it has no words for."""
        offers = {offer.title: offer for offer in (screen.offers() if isinstance(screen, Explorer) else ())}
        for command in super().get_system_commands(screen):
            if command.title not in (*offers, "Theme", "Keys"):
                yield command
        yield from offers.values()
        if isinstance(screen, Explorer) and self._store is not None:
            said = f"settings and keys are in {plain(str(self._store.file))}"
            tell = partial(self.notify, said, markup=False, timeout=10)
            yield SystemCommand("Settings file", "Say where settings and keys can be edited", tell)

    async def action_quit(self) -> None:
        """Ends the program; the explorer asks first where something would be lost."""
        from .screens.dialogs.asking import AskUnsaved

        explorer = next((screen for screen in self.screen_stack if isinstance(screen, Explorer)), None)
        if not all(getattr(screen, "may_quit", lambda: True)() for screen in self.screen_stack):
            return
        if explorer is None or not explorer.workspace.document.dirty:
            self.exit()
        elif not isinstance(self.screen, AskUnsaved):
            explorer.action_leave()  # its question lies over what is open, and nothing of that is lost

    def action_toggle_light(self) -> None:
        self.theme = theme_for(not self.current_theme.dark, self.color_system).name


def explore(opened: Document, *, files: bool, presents: Callable[..., object] | None = None, **how: Any) -> int:
    """Opens the explorer and returns the exit code; without `files`, it neither opens nor saves this machine's.

    For `presents` and `how` see `DmlvizApp`. Raises FaultError where a fault of the program's own has ended it.
    """
    at_home = _has_home()
    app = DmlvizApp(
        opened.session,
        remembers=files and at_home,
        compares=True,
        warms=files,
        opened=opened,
        files=files,
        presents=presents,
        **how,
    )
    if files and not at_home:
        app.notices.append("Settings and unsaved work aren't kept: no home folder is known, expected HOME to name one.")
    app.suit(app.console.color_system)
    try:
        app.run()
    finally:
        waits = app.close_keeper()
    if (app.return_code or app.fault) and app.unkept:
        with contextlib.suppress(OSError):  # the terminal may have gone
            print(f"the latest unsaved changes are not kept: {app.unkept}.", file=sys.stderr)
    if isinstance(app.fault, MemoryError):
        raise app.fault
    if app.fault is not None:
        raise FaultError("what wasn't saved is offered at the next launch" if waits else "") from app.fault
    return app.return_code or 0


def _has_home() -> bool:
    """True if the user's own folders are known; a user id without a name may have none."""
    try:
        default_file()
        state_folder()
    except RuntimeError:
        return False
    return True
