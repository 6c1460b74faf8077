"""The gallery: recent sessions, files and examples, each with a picture of what it holds."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from ...scene.drawing.side_by_side import GAP, page
from ...scene.layout.arrange import arrange
from ...scene.view_state import view_state_of
from ...session import examples
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.notes import printable
from ...widgets.browse_list import BrowseList
from ...widgets.inks import Inks, inks_of
from ...widgets.line_input import LineInput
from ...widgets.reason_text import verdict
from ..background_job import BackgroundJob, sentence
from ..downloads import NO_FILES
from .dialog import Dialog
from .file_names import path_of
from .file_opening import LISTED, Opened, open_file, summary

GROUPS = {
    "inline-": "From the pages' running text",
    "erratum-": "Where a page is wrong",
    "warning-": "Warnings and notes",
    "note-": "Warnings and notes",
    "rule-": "A broken rule each",
}
PAGES = "From the operators' pages"
DOING = "enter or double click opens · tab completes"
LATE = 0.08
"""Seconds that a choice rests before its picture is drawn."""
MOST_AT_ONCE = 200_000
"""Bytes of a session file that is read without a thread."""
MOST_FILES = 200
NAMED = 28
"""Columns of a folder's name; what it ends with tells more than how it begins."""


@dataclass(frozen=True)
class Entry:
    """Something to open."""

    group: str
    name: str
    title: str = ""
    path: Path | None = None
    """A session file or, with `is_folder`, a folder to look into."""
    example: str | None = None
    is_folder: bool = False

    @property
    def label(self) -> str:
        """The name in a list: of a path only its end, since all of them begin alike."""
        last = self.name.removesuffix("/").rpartition("/")[2]
        return plain(last + ("/" if self.is_folder else ""), 80)

    @property
    def takes_long(self) -> bool:
        """True if the screen shouldn't wait for it."""
        try:
            return self.path is not None and (self.path.suffix != ".json" or self.path.stat().st_size > MOST_AT_ONCE)
        except (OSError, ValueError):
            return False

    def opened(self) -> Opened:
        """Raises DmlvizError where it can't be read."""
        if self.path is not None:
            return open_file(self.path)
        made = Document(examples.example(str(self.example)).session())
        made.example = self.example
        return Opened(made)


def listed_examples() -> list[Entry]:
    """The examples, group by group."""
    made = []
    for each in examples.all_examples():
        group = next((title for prefix, title in GROUPS.items() if each.name.startswith(prefix)), PAGES)
        made.append(Entry(group, each.name, each.session().title, example=each.name))
    order = [PAGES, *dict.fromkeys(GROUPS.values())]
    return sorted(made, key=lambda each: order.index(each.group))


def files_in(text: str) -> Iterator[Entry]:
    """Folders, and files that can be opened, whose path begins with `text`."""
    head, _, begins = text.rpartition("/")
    before = f"{head}/" if "/" in text else ""
    try:
        folder = path_of(f"{head}/" if head or text.startswith("/") else ".")
        whole = folder.absolute()  # the folder that one is in may have gone
        found = sorted(os.scandir(folder), key=lambda entry: (not _is_folder(entry), entry.name.lower()))
    except (DmlvizError, OSError, ValueError):
        return
    where = plain(str(whole), 4000)
    group = f"In {where if len(where) <= NAMED else f'…{where[1 - NAMED :]}'}"
    if not begins:
        yield Entry(group, f"{before}../", "the folder above", folder / "..", is_folder=True)
    view = [
        entry
        for entry in found
        if entry.name.lower().startswith(begins.lower())
        and (begins.startswith(".") or not entry.name.startswith("."))
        and (_is_folder(entry) or entry.name.endswith(LISTED))
    ]
    for entry in view[:MOST_FILES]:
        is_folder = _is_folder(entry)
        name = f"{before}{entry.name}{'/' if is_folder else ''}"
        yield Entry(group, name, "a folder" if is_folder else "", folder / entry.name, is_folder=is_folder)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_path(text: str) -> bool:
    """True if `text` is meant for a file's name, and not for words to find an example by."""
    return "/" in text or text.startswith(("~", ".")) or text.endswith(LISTED)


class Gallery(Dialog[Document | None]):
    """Typing narrows the list or names a file; the document that was chosen, or None."""

    CSS_PATH = "dialog.tcss"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="open.cancel"),
        Binding("down", "list(1)", "Next", show=False, id="open.next"),
        Binding("up", "list(-1)", "Previous", show=False, id="open.previous"),
        Binding("pagedown", "list(10)", "Further", show=False, id="open.further"),
        Binding("pageup", "list(-10)", "Back", show=False, id="open.back"),
        Binding("tab", "complete", "Complete", show=False, priority=True, id="open.complete"),
    ]

    def __init__(
        self, recent: list[Path], may_leave: Callable[[], Awaitable[bool]] | None = None, *, files: bool = True
    ) -> None:
        """`may_leave` asks what becomes of what opening would lose; True where it may be opened.

        Without `files`, there are the examples alone.
        """
        super().__init__()
        self._may_leave = may_leave
        self._is_asking = False
        self._files = files
        self._recent = recent
        self._entries: list[Entry | None] = []
        self._timer: Timer | None = None
        self._drawing, self._opening = BackgroundJob(self), BackgroundJob(self)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog gallery"):
            yield Label("Open a session file or an example" if self._files else "Open an example", classes="question")
            either = ", or a file such as ./lesson.json" if self._files else ""
            yield LineInput(placeholder=f"a word to find an example by{either}", id="name")
            yield Label("", classes="trouble")
            with Horizontal(classes="both"):
                yield BrowseList(id="entries")
                yield Static(id="preview")
            with Horizontal(classes="foot"):
                yield Label(DOING, classes="hint", id="doing")
                if self._files:
                    yield Button("Files here", id="browse", compact=True)
                yield Button("Open", id="open", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        self._fill("")

    def on_resize(self) -> None:
        self.set_class(self.size.width < 110, "narrow")
        self._soon()

    def on_unmount(self) -> None:
        self._drawing.forget()
        self._opening.forget()

    # ---- the list

    def _found(self, text: str) -> list[Entry]:
        if is_path(text):
            return list(files_in(text)) if self._files else []
        words = text.lower().split()
        recent = [
            Entry("Recent sessions", path.name, str(path.parent), path) for path in self._recent if os.path.exists(path)
        ]
        return [
            each
            for each in (*recent, *listed_examples())
            if all(w in f"{each.name} {each.title}".lower() for w in words)
        ]

    def _fill(self, text: str) -> None:
        inks = inks_of(self.app.theme_variables, "surface")
        shelf_list = self.query_one(OptionList)
        options: list[Option] = []
        self._entries = []
        group = ""
        for each in self._found(text):
            if each.group != group:
                group = each.group
                options.append(Option(Text(group, style=inks.muted.hex, no_wrap=True), disabled=True))
                self._entries.append(None)
            line = Text.assemble((f"  {each.label}", "bold"), no_wrap=True, overflow="ellipsis")
            if each.title and each.path is not None:
                line.append(f"  {plain(each.title, 80)}", inks.muted.hex)
            options.append(Option(line))
            self._entries.append(each)
        shelf_list.clear_options()
        shelf_list.add_options(options)
        if len(options) > 1:
            after = self._entries[1]
            above = after is not None and after.name.endswith("../") and len(options) > 2
            first = 2 if above else 1
            shelf_list.highlighted = first
            shelf_list.scroll_home(animate=False)
        self._soon()

    @property
    def entry(self) -> Entry | None:
        """What is chosen in the list."""
        at = self.query_one(OptionList).highlighted
        return self._entries[at] if at is not None and at < len(self._entries) else None

    def action_list(self, by: int) -> None:
        shelf_list = self.query_one(OptionList)
        at = [i for i, each in enumerate(self._entries) if each is not None]
        if at:
            here = at.index(shelf_list.highlighted) if shelf_list.highlighted in at else 0
            to = (here + by) % len(at) if abs(by) == 1 else min(max(here + by, 0), len(at) - 1)
            shelf_list.highlighted = at[to]

    def action_complete(self) -> None:
        """Puts what the paths in the list have in common into the field; elsewhere tab goes to the next field."""
        field, text = self.query_one(Input), self.query_one(Input).value
        names = [each.name for each in self._entries if each is not None and not each.name.endswith("../")]
        if self.focused is not field or not is_path(text) or not names:
            self.focus_next()
            return
        common = names[0]
        while not all(name.startswith(common) for name in names):
            common = common[:-1]
        if len(common) <= len(text) and self.entry is not None:
            common = self.entry.name  # nothing more in common: the one that is chosen
        field.value = common
        field.cursor_position = len(common)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._trouble("")
        self._fill(event.value.strip())

    def _trouble(self, sentence: str) -> None:
        label = self.query_one(".trouble", Label)
        label.update(Text(sentence))
        label.set_class(bool(sentence), "on")

    # ---- opening

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._choose(event.value.strip())

    def _choose(self, text: str) -> None:
        if not self._files and is_path(text):
            self._trouble(NO_FILES)
        elif self._files and (is_path(text) or (text and os.path.isfile(text))):
            try:
                path = path_of(text)
            except DmlvizError as error:
                self._trouble(str(error))
                return
            if self.entry is not None and not os.path.isfile(path):
                self._open(self.entry)
            else:
                self._open(Entry("", text, path=path))
        elif self.entry is not None:
            self._open(self.entry)
        else:
            self._trouble("No example has that in its name or title; a session file's name ends in .json.")

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        entry = self._entries[event.option_index] if event.option_index < len(self._entries) else None
        if entry is not None:
            self._open(entry)

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "cancel":
            self.dismiss(None)
        elif event.button.id == "browse":
            self._look_into("./")
        else:
            self._choose(self.query_one(Input).value.strip())

    def _look_into(self, folder: str) -> None:
        field = self.query_one(Input)
        field.value = folder
        field.cursor_position = len(folder)
        field.focus()

    def _open(self, entry: Entry) -> None:
        if entry.path is not None and not self._files:
            self._trouble(NO_FILES)
            return
        if entry.is_folder:
            self._look_into(entry.name)
            return
        if entry.takes_long:
            self.query_one("#doing", Label).update("reading … esc stops it")
            self._opening.ask(("open", entry), entry.opened)
            return
        try:
            self._close_with(entry.opened())
        except DmlvizError as error:
            self._trouble(str(error))

    def _close_with(self, opened: Opened) -> None:
        """Hands over what was chosen; where that would lose something, asks first, and stays if it is to be kept."""
        if self._may_leave is None:
            self._hand_over(opened)
        elif not self._is_asking:
            self._is_asking = True
            self._ask(opened, self._may_leave)

    @work
    async def _ask(self, opened: Opened, may_leave: Callable[[], Awaitable[bool]]) -> None:
        try:
            if await may_leave():
                self._hand_over(opened)
        finally:
            self._is_asking = False

    def _hand_over(self, opened: Opened) -> None:
        if opened.found is not None:
            self.notify(f"imported {summary(opened.found)}. i says what was made of each place.", markup=False)
        self.dismiss(opened.document)

    @on(BackgroundJob.Done)
    def _done(self, event: BackgroundJob.Done) -> None:
        event.stop()
        assert isinstance(event.key, tuple)
        what, entry = event.key
        refused = sentence(event.found)
        if what == "open":
            self.query_one("#doing", Label).update(DOING)
            if refused is not None:
                self._trouble(refused)
            elif isinstance(event.found, Opened):
                self._close_with(event.found)
        elif entry == self.entry:
            self._show(event.found.document.session if isinstance(event.found, Opened) else str(refused))

    # ---- the preview

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._soon()

    def _soon(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(LATE, self._draw)

    def _draw(self) -> None:
        panel = self.query_one("#preview", Static)
        entry = self.entry
        inks = inks_of(self.app.theme_variables, "background")
        if entry is None or entry.is_folder:
            panel.update(Text("enter looks into the folder" if entry is not None else "", inks.muted.hex))
            return
        if entry.takes_long:
            panel.update(Text("reading …", inks.muted.hex))
            self._drawing.ask(("draw", entry), entry.opened)
            return
        try:
            self._show(entry.opened().document.session)
        except DmlvizError as error:
            self._show(str(error))

    def _show(self, found: Session | str) -> None:
        """Shows what a session holds, or why it can't be opened."""
        panel = self.query_one("#preview", Static)
        inks = inks_of(self.app.theme_variables, "background")
        if isinstance(found, str):
            panel.update(Text(found, style=f"bold {inks.error.hex}"))
            return
        width, height = panel.content_size
        panel.update(preview(found, max(10, width), max(6, height), inks))


def preview(session: Session, width: int, height: int, inks: Inks) -> RenderableType:
    """What a session holds, on `width` columns and `height` lines: title, verdict, notes and picture."""
    experiment = session.experiments[0]
    words = [
        line for text in _words(session, experiment, inks) for line in _first(_wrapped(text, width), 2 + height // 20)
    ]
    room = height - len(words) - 1
    marks = str.maketrans("", "", "*`#")  # a few lines of it, and no Markdown
    notes = _wrapped(Text(" ".join(printable(experiment.notes).translate(marks).split()), inks.text.hex), width)
    few = min(2, len(notes))
    drawn = _picture(experiment, width, room - few - 1, inks)
    said = _first(notes, max(few, min(6, room - len(drawn) - 1)))
    return Group(*words, Text(""), *said, *([Text("")] if said else []), *drawn)


def _words(session: Session, experiment: Experiment, inks: Inks) -> Iterator[Text]:
    count = len(session.experiments)
    title = plain(session.title or experiment.name, 120)
    yield Text(title, style=f"bold {inks.text.hex}", no_wrap=True, overflow="ellipsis")
    report = experiment.check()
    about = f"{operator_of(experiment.desc).name} at {experiment.feature_level}"
    yield Text(about + (f", the first of {count} experiments" if count > 1 else ""), style=inks.muted.hex)
    if report.ok:
        yield Text(*verdict(report, inks))
        for each in report.not_checked[:1]:
            yield Text.assemble(("? ", f"bold {inks.warning.hex}"), (plain(each.message), inks.text.hex))
        for check in report.failures[:1]:
            yield Text.assemble(("! ", f"bold {inks.warning.hex}"), (check.message, inks.text.hex))
        return
    broken = report.errors[0]
    more = f" and {len(report.errors) - 1} more" if len(report.errors) > 1 else ""
    yield Text.assemble((f"✘ {broken.id}{more}: ", f"bold {inks.error.hex}"), (plain(broken.message), inks.text.hex))


def _picture(experiment: Experiment, width: int, height: int, inks: Inks) -> list[Text]:
    view = view_state_of(experiment)
    caption = [Text(plain(view.caption), inks.warning.hex, no_wrap=True, overflow="ellipsis")] if view.caption else []
    height -= len(caption)
    if view.trace is None or height < 3:
        return caption
    room = width - GAP
    scene = arrange(view.trace, room, height).packed()
    made = []
    for line in page(scene, scene.share, room - scene.share, height):
        text = Text(no_wrap=True, overflow="crop")
        for span in line:
            text.append(span.text, inks.style(span.style))
        made.append(text)
    return caption + made


def _first(lines: list[Text], count: int) -> list[Text]:
    """The first lines; the last of them says where there are more."""
    made = lines[:count]
    if made and len(lines) > count:
        made[-1].rstrip()
        made[-1].append(" …")
        made[-1].no_wrap, made[-1].overflow = True, "ellipsis"
    return made


def _wrapped(text: Text, width: int) -> list[Text]:
    return list(text.wrap(Console(width=width), width)) if text.plain else []
