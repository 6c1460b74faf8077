"""The gallery: recent sessions, files and the course of examples, each with a picture of what it holds."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from ...scene.drawing.side_by_side import GAP, page
from ...scene.elements.known import NOTHING
from ...scene.layout.arrange import arrange
from ...scene.layout.zoom import Zoom
from ...scene.look import Look
from ...scene.view_state import view_state_of
from ...session.course import START_HERE, Card, listed
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.notes import asked_first, printable, question_of, split_notes
from ...widgets.lib.browse_list import BrowseList
from ...widgets.lib.inks import Inks, inks_of
from ...widgets.lib.text_editor import LineInput
from ...widgets.panels.reason_text import verdict
from ...workspace.explorer.covering import is_covered
from ..background_job import BackgroundJob, sentence
from ..downloads import NO_FILES
from .dialog import Dialog
from .file_names import path_of
from .file_opening import LISTED, Opened, open_file, summary

RECENT = "Recent sessions"
DOING = "enter opens · ^a adds to the session"
DOING_WIDE = "enter or double click opens · ctrl+a adds it to the session"
COMPLETES = "enter opens · tab completes"
NO_EXAMPLE = "Only an example can be added to the session; enter opens what is chosen."
LIST = (36, 60)
"""The least and the most columns of the list; between them it has two fifths of the window."""
LATE = 0.08
"""Seconds that a choice rests before its picture is drawn."""
MOST_AT_ONCE = 200_000
"""Bytes of a session file that is read without a thread."""
MOST_FILES = 200
NAMED = 28
"""Columns of a folder's name; what it ends with tells more than how it begins."""


class Entry(Struct, frozen=True):
    """Something to open."""

    group: str
    name: str
    title: str = ""
    path: Path | None = None
    """A session file or, with `is_folder`, a folder to look into."""
    card: Card | None = None
    """The example that it is."""
    step: int = 0
    """Which step of the course it is, from 1; 0 for none."""
    is_folder: bool = False

    @property
    def example(self) -> str | None:
        """The example's name; None for a file."""
        return self.card.example.name if self.card is not None else None

    @property
    def label(self) -> str:
        """The name in a list: of a path only its end, since all of them begin alike."""
        last = self.name.removesuffix("/").rpartition("/")[2]
        return plain(last + ("/" if self.is_folder else ""), 80)

    @property
    def takes_long(self) -> bool:
        """True if the screen shouldn't wait while it is read: a large file, or one to import."""
        try:
            return self.path is not None and (self.path.suffix != ".json" or self.path.stat().st_size > MOST_AT_ONCE)
        except (OSError, ValueError):
            return False

    def opened(self) -> Opened:
        """The document that its file or example holds. Raises DmlvizError where it can't be read."""
        if self.path is not None:
            return open_file(self.path)
        assert self.card is not None
        return Opened(Document(self.card.example.session(), example=self.example))


class Added(Struct, frozen=True):
    """An example that is to be added to the session."""

    card: Card

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        return self.card.example.session().experiments


def listed_examples(text: str = "") -> list[Entry]:
    """All examples group by group, the course first; with a `text` those that hold each of its words."""
    return [
        Entry(card.group, card.example.name, card.title, card=card, step=step * (card.group == START_HERE))
        for step, card in enumerate(listed(text), 1)
    ]


def files_in(text: str) -> Iterator[Entry]:
    """Folders, and files that can be opened, whose path begins with `text`; none where the folder can't be read."""
    head, _, begins = text.rpartition("/")
    before = f"{head}/" if "/" in text else ""
    try:
        folder = path_of(f"{head}/" if head or text.startswith("/") else ".")
        whole = folder.absolute()  # the folder that one is in may have gone
        inside = sorted(os.scandir(folder), key=lambda entry: (not _is_folder(entry), entry.name.lower()))
    except (DmlvizError, OSError, ValueError):
        return
    where = plain(str(whole), 4000)
    group = f"In {where if len(where) <= NAMED else f'…{where[1 - NAMED :]}'}"
    if not begins:
        yield Entry(group, f"{before}../", "the folder above", folder / "..", is_folder=True)
    view = [
        entry
        for entry in inside
        if entry.name.lower().startswith(begins.lower())
        and (begins.startswith(".") or not entry.name.startswith("."))
        and (_is_folder(entry) or entry.name.endswith(LISTED))
    ]
    for entry in view[:MOST_FILES]:
        is_folder = _is_folder(entry)
        name = f"{before}{entry.name}{'/' if is_folder else ''}"
        yield Entry(group, name, "a folder" if is_folder else "", folder / entry.name, is_folder=is_folder)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """True for a folder; False also where nobody may ask."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def is_path(text: str) -> bool:
    """True if `text` is meant for a file's name, and not for words to find an example by."""
    return "/" in text or text.startswith(("~", ".")) or text.endswith(LISTED)


class Gallery(Dialog[Document | Added | None]):
    """Typing narrows the list or names a file; the document that was chosen, an example to be added, or None."""

    NARROW = 110  # below, an example in the list has no line for its question
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="open.cancel"),
        Binding("down", "list(1)", "Next", show=False, id="open.next"),
        Binding("up", "list(-1)", "Previous", show=False, id="open.previous"),
        Binding("pagedown", "list(10)", "Further", show=False, id="open.further"),
        Binding("pageup", "list(-10)", "Back", show=False, id="open.back"),
        # Before the field, in which it would go to the line's beginning.
        Binding("ctrl+a", "add", "Add to the session", show=False, priority=True, id="open.add"),
        Binding("tab", "complete", "Complete", show=False, priority=True, id="open.complete"),
    ]

    def __init__(
        self,
        recent: list[Path],
        may_leave: Callable[[], Awaitable[bool]] | None = None,
        *,
        files: bool = True,
    ) -> None:
        """`may_leave` asks what becomes of what opening would lose; True where it may be opened.

        Without `files`, there are the examples alone.
        """
        super().__init__()
        self._may_leave = may_leave
        self._is_asking = False
        self._files = files
        self._recent = recent
        self._width = 0  # of the window that the list was made for
        self._entries: list[Entry | None] = []
        self._drawing, self._opening = BackgroundJob(self), BackgroundJob(self)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog gallery"):
            yield Label("Open a session file or an example" if self._files else "Open an example", classes="question")
            either = ", or a file such as ./lesson.json" if self._files else ""
            yield LineInput(placeholder=f"a word of its title, rule or notes{either}", id="name")
            yield Label("", classes="trouble")
            with Horizontal(classes="both"):
                yield BrowseList(id="entries")
                yield Static(id="preview")
            with Horizontal(classes="foot"):
                yield Label(DOING, classes="hint", id="doing")
                if self._files:
                    yield Button("Files here", id="browse", compact=True, action="screen.look_into('./')")
                yield Button("Add", id="add", compact=True, action="screen.add")
                yield Button("Open", id="open", compact=True, action="screen.open")
                yield Button("Cancel", id="cancel", compact=True, action="screen.dismiss(None)")

    def on_mount(self) -> None:
        self._fill_list("")

    def on_resize(self) -> None:
        if self._width and self._width != self.app.size.width:
            chosen = self.query_one(OptionList).highlighted
            self._fill_list(self.query_one(Input).value.strip())
            self.query_one(OptionList).highlighted = chosen  # the same entries, in other lines
        self._draw_soon()

    def on_unmount(self) -> None:
        self._drawing.forget()
        self._opening.forget()

    # ---- the list

    def _entries_for(self, text: str) -> list[Entry]:
        if is_path(text):
            return list(files_in(text)) if self._files else []
        words = text.lower().split()
        recent = [Entry(RECENT, path.name, str(path.parent), path) for path in self._recent if os.path.exists(path)]
        meant = [entry for entry in recent if all(word in f"{entry.name} {entry.title}".lower() for word in words)]
        return meant + listed_examples(text)

    def _fill_list(self, text: str) -> None:
        self._width = self.app.size.width
        inks = inks_of(self.app.theme_variables, "surface")
        shelf_list = self.query_one(OptionList)
        least, most = LIST
        width = max(least, min(most, 2 * self._width // 5))
        shelf_list.styles.width = width
        entries = self._entries_for(text)
        options: list[Option] = []
        self._entries = []
        group = ""
        for entry in entries:
            if entry.group != group:
                group = entry.group
                options.append(Option(self._heading(entries, group, inks), disabled=True))
                self._entries.append(None)
            options.append(Option(row(entry, width - ROOM, inks, asks=not self.is_narrow)))
            self._entries.append(entry)
        shelf_list.clear_options()
        shelf_list.add_options(options)
        first = self._row_at_first(text)
        if first is not None:
            shelf_list.highlighted = first
            if first <= 2:
                shelf_list.scroll_home(animate=False)
        self._say_keys()
        self._draw_soon()

    def _say_keys(self) -> None:
        is_named = is_path(self.query_one(Input).value.strip())
        self.query_one("#doing", Label).update(COMPLETES if is_named else DOING if self.is_narrow else DOING_WIDE)

    def _heading(self, entries: list[Entry], group: str, inks: Inks) -> Text:
        """A group's title; the course's with how many steps it has."""
        if group == START_HERE:
            heading = Text(group, style=f"bold {inks.accent.hex}", no_wrap=True)
            return heading.append(f"  {sum(entry.step > 0 for entry in entries)} steps", f"not bold {inks.muted.hex}")
        above = "\n" if entries[0].group != group and not self.is_narrow else ""
        return Text(above, no_wrap=True, overflow="ellipsis").append(group, f"bold {inks.muted.hex}")

    def _row_at_first(self, text: str) -> int | None:
        """Which row is chosen at first: what answers best to a text; else the latest session, or the first step."""
        entries = {i: entry for i, entry in enumerate(self._entries) if entry is not None}
        if not entries:
            return None
        first, *others = entries
        if is_path(text):
            return others[0] if entries[first].name.endswith("../") and others else first
        if entries[first].path is None and text:
            name = text.lower()
            return min(entries, key=lambda i: (entries[i].name != name, not entries[i].name.startswith(name), i))
        return first

    @property
    def entry(self) -> Entry | None:
        """The entry that is chosen in the list; None where there is none."""
        at = self.query_one(OptionList).highlighted
        return self._entries[at] if at is not None and at < len(self._entries) else None

    def action_list(self, by: int) -> None:
        """Moves the choice by so many entries; a step of one goes around the end."""
        shelf_list = self.query_one(OptionList)
        at = [i for i, entry in enumerate(self._entries) if entry is not None]
        if at:
            here = at.index(shelf_list.highlighted) if shelf_list.highlighted in at else 0
            to = (here + by) % len(at) if abs(by) == 1 else min(max(here + by, 0), len(at) - 1)
            shelf_list.highlighted = at[to]

    def action_complete(self) -> None:
        """Puts what the paths in the list have in common into the field; elsewhere tab goes to the next field."""
        field, text = self.query_one(Input), self.query_one(Input).value
        names = [entry.name for entry in self._entries if entry is not None and not entry.name.endswith("../")]
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
    def _narrow_list(self, event: Input.Changed) -> None:
        event.stop()
        self.say_trouble("")
        self._fill_list(event.value.strip())

    # ---- opening

    @on(Input.Submitted)
    def _open_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Opens the file that is named, or what is chosen in the list."""
        text = self.query_one(Input).value.strip()
        if not self._files and is_path(text):
            self.say_trouble(NO_FILES)
        elif self._files and (is_path(text) or (text and os.path.isfile(text))):
            try:
                path = path_of(text)
            except DmlvizError as error:
                self.say_trouble(str(error))
                return
            if self.entry is not None and not os.path.isfile(path):
                self._open_entry(self.entry)
            else:
                self._open_entry(Entry("", text, path=path))
        elif self.entry is not None:
            self._open_entry(self.entry)
        else:
            self.say_trouble("No example has that in its title, name, rules or notes; a session file ends in .json.")

    @on(OptionList.OptionSelected)
    def _open_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        entry = self._entries[event.option_index] if event.option_index < len(self._entries) else None
        if entry is not None:
            self._open_entry(entry)

    def action_add(self) -> None:
        """Adds the chosen example to the session; nothing is lost by that, so nothing is asked."""
        entry = self.entry
        if entry is not None and entry.card is not None:
            self.dismiss(Added(entry.card))
        else:
            self.say_trouble(NO_EXAMPLE)

    def action_look_into(self, folder: str) -> None:
        """Lists a folder."""
        field = self.query_one(Input)
        field.value = folder
        field.cursor_position = len(folder)
        field.focus()

    def _open_entry(self, entry: Entry) -> None:
        """Closes with what an entry holds, reading in a thread what takes long; lists a folder."""
        if entry.path is not None and not self._files:
            self.say_trouble(NO_FILES)
            return
        if entry.is_folder:
            self.action_look_into(entry.name)
            return
        if entry.takes_long:
            self.query_one("#doing", Label).update("reading … esc stops it")
            self._opening.ask(("open", entry), entry.opened)
            return
        try:
            self._close_with(entry.opened())
        except DmlvizError as error:
            self.say_trouble(str(error))

    def _close_with(self, opened: Opened) -> None:
        """Closes with a document; asks first where that would lose changes, and stays if they are kept."""
        if self._may_leave is None:
            self._hand_over(opened)
        elif not self._is_asking:
            self._is_asking = True
            self._ask_and_close(opened, self._may_leave)

    @work
    async def _ask_and_close(self, opened: Opened, may_leave: Callable[[], Awaitable[bool]]) -> None:
        try:
            if await may_leave():
                self._hand_over(opened)
        finally:
            self._is_asking = False

    def _hand_over(self, opened: Opened) -> None:
        if opened.imported is not None:
            self.notify(f"imported {summary(opened.imported)}. i says what was made of each place.", markup=False)
        self.dismiss(opened.document)

    @on(BackgroundJob.Done)
    def _close_or_preview(self, event: BackgroundJob.Done) -> None:
        event.stop()
        assert isinstance(event.key, tuple)
        what, entry = event.key
        refused = sentence(event.outcome)
        if what == "open":
            self._say_keys()
            if refused is not None:
                self.say_trouble(refused)
            elif isinstance(event.outcome, Opened):
                self._close_with(event.outcome)
        elif entry == self.entry:
            self._show_preview(
                event.outcome.document.session if isinstance(event.outcome, Opened) else str(refused), entry.card
            )

    # ---- the preview

    @on(OptionList.OptionHighlighted)
    def _preview_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._draw_soon()

    def _draw_soon(self) -> None:
        self.once_it_rests(LATE, self._read_for_preview)

    def _read_for_preview(self) -> None:
        """Has the chosen entry read for the preview, in a thread; of a folder says what enter does."""
        panel = self.query_one("#preview", Static)
        entry = self.entry
        inks = inks_of(self.app.theme_variables, "background")
        if entry is None or entry.is_folder:
            panel.update(Text("enter looks into the folder" if entry is not None else "", inks.muted.hex))
            return
        if entry.takes_long:
            panel.update(Text("reading …", inks.muted.hex))
        self._drawing.ask(("draw", entry), entry.opened)

    def _show_preview(self, session: Session | str, card: Card | None) -> None:
        """Shows the preview of a session, or why it can't be opened."""
        panel = self.query_one("#preview", Static)
        inks = inks_of(self.app.theme_variables, "background")
        if isinstance(session, str):
            panel.update(Text(session, style=f"bold {inks.error.hex}"))
            return
        width, height = panel.content_size
        panel.update(preview(session, max(10, width), max(6, height), inks, card))


ROOM = 4
"""Columns of the list that its scrollbar has, the space before it, and the mark of what is chosen."""
SHORT = 20
"""Lines of a preview below which notes give way to the picture, as long as there is a question."""
INDENT = 4
"""Columns before an entry's title, with the number of a step."""


def row(entry: Entry, width: int, inks: Inks, *, asks: bool = False) -> Text:
    """An entry in lines of `width` columns: what it is called, and at the right what the command line knows it by.

    A step has, where it `asks`, its question below; else a rule's id stands there.
    """
    card, less = entry.card, (inks.muted if inks.is_fine else inks.text).hex
    if card is None:
        text = Text.assemble((f" {entry.label}", "bold"), no_wrap=True, overflow="ellipsis")
        if entry.title:
            text.append(f"  {plain(entry.title, 80)}", less)
        return text
    room = width - INDENT
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(f"{entry.step or '':>3} ", less)
    *above, title = textwrap.wrap(card.title, room)
    for line in above:
        text.append(f"{line}\n{'':{INDENT}}", f"bold {inks.text.hex}")
    text.append(title, f"bold {inks.text.hex}")
    rule = [] if entry.step else [*card.rules[:1]]
    if len(title) + 2 + len(card.example.name) <= room:
        text.append(f"{card.example.name:>{room - len(title)}}", less)
        below = rule
    else:
        both = " · ".join([*rule, card.example.name])
        below = [both] if len(both) <= room else rule or textwrap.wrap(both, room)
    if entry.step and asks:
        below += textwrap.wrap(asked_first(card.question), room)
    for line in below:
        text.append(f"\n{'':{INDENT}}{line}", less)
    return text


def preview(session: Session, width: int, height: int, inks: Inks, card: Card | None = None) -> RenderableType:
    """A session on `width` columns and `height` lines: title, verdict, notes, picture; `card` is its example."""
    experiment = session.experiments[0]
    words = [
        line
        for text in _preview_words(session, experiment, inks, card)
        for line in _first_lines(_wrapped(text, width), 2 + height // 20)
    ]
    room = height - len(words) - 1
    marks = str.maketrans("", "", "*`#")  # a few lines of it, and no Markdown
    text = split_notes(experiment.notes)[0]
    notes = _wrapped(Text(" ".join(printable(text).translate(marks).split()), inks.text.hex), width)
    # A question tells enough of what there is to see where there is no room for more.
    few = min(0 if height < SHORT and question_of(experiment.notes) else 2, len(notes))
    look = Look(written=NOTHING) if card is not None and is_covered(card.example.name, experiment) else Look()
    drawn = _preview_picture(experiment, width, room - few - 1, inks, look)
    if few and question_of(experiment.notes) and len(drawn) >= room - few - 1:
        few, drawn = 0, _preview_picture(experiment, width, room - 1, inks, look)  # it needs the room of the notes
    few_notes = _first_lines(notes, max(few, min(6, room - len(drawn) - 1)))
    return Group(*words, Text(""), *few_notes, *([Text("")] if few_notes else []), *drawn)


def _preview_words(session: Session, experiment: Experiment, inks: Inks, card: Card | None) -> Iterator[Text]:
    count = len(session.experiments)
    title = plain(session.title or experiment.name, 120)
    yield Text(title, style=f"bold {inks.text.hex}", no_wrap=True, overflow="ellipsis")
    report = experiment.check()
    below = f"{operator_of(experiment.desc).name} at {experiment.feature_level}"
    below += f", the first of {count} experiments" if count > 1 else ""
    yield Text(below + (f" · dmlviz {card.example.name}" if card is not None else ""), style=inks.muted.hex)
    if report.ok is not False:
        yield Text(*verdict(report, inks))
        for unchecked in report.not_checked[:1]:
            yield Text.assemble(("? ", f"bold {inks.warning.hex}"), (plain(unchecked.message), inks.text.hex))
        for check in report.failures[:1]:
            yield Text.assemble(("! ", f"bold {inks.warning.hex}"), (check.message, inks.text.hex))
    else:
        cause, *others = report.broken
        more = f" and {len(others)} more" if others else ""
        head = (f"✘ {cause.first.id}{more}: ", f"bold {inks.error.hex}")
        yield Text.assemble(head, (plain(cause.message), inks.text.hex))
    if question := question_of(experiment.notes):
        yield Text.assemble(("? ", f"bold {inks.accent.hex}"), (question, f"bold {inks.text.hex}"))


def _preview_picture(experiment: Experiment, width: int, height: int, inks: Inks, look: Look) -> list[Text]:
    """The picture on the lines that are left; what is asked about it, `look` leaves out."""
    view = view_state_of(experiment)
    ink = f"bold {inks.accent.hex}" if view.is_preview else inks.warning.hex
    caption = [Text(plain(view.caption), ink, no_wrap=True, overflow="ellipsis")] if view.caption else []
    height -= len(caption)
    if view.trace is None or height < 3:
        return caption
    room = width - GAP
    scene = arrange(view.trace, room, height)
    if not scene.layout.fits:  # all of it in colours and letters tells more than a part of it in values
        small = arrange(view.trace, room, height, Zoom.BLOCKS)
        scene = small if small.layout.fits else scene
    scene = scene.packed()
    lines = []
    for line in page(scene, scene.share, room - scene.share, height, look):
        text = Text(no_wrap=True, overflow="crop")
        for span in line:
            text.append(span.text, inks.style(span.style))
        lines.append(text)
    return caption + lines


def _first_lines(lines: list[Text], count: int) -> list[Text]:
    """The first lines; the last of them says where there are more."""
    first = lines[:count]
    if first and len(lines) > count:
        first[-1].rstrip()
        first[-1].append(" …")
        first[-1].no_wrap, first[-1].overflow = True, "ellipsis"
    return first


def _wrapped(text: Text, width: int) -> list[Text]:
    return list(text.wrap(Console(width=width), width)) if text.plain else []
