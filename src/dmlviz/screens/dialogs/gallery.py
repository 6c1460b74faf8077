"""The gallery: recent sessions and the course of examples, each with a picture of what it holds, or a file by name."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from msgspec import Struct
from rich.console import Console, Group, RenderableType
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.suggester import Suggester
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
from ...session.notes import printable, question_of, split_notes
from ...widgets.lib.browse_list import BrowseList
from ...widgets.lib.inks import Inks, inks_of
from ...widgets.panels.reasons_panel import verdict
from ...workspace.explorer.covering import is_covered
from ..background_job import BackgroundJob, sentence
from ..downloads import NO_FILES
from .dialog import Dialog
from .file_names import path_of
from .file_opening import LISTED, Opened, first_trouble, open_file, summary

RECENT, NAMED = "Recent sessions", "A file"
DOING = "enter opens · ^a adds to the session"
NO_EXAMPLE = "Only an example can be added to the session; enter opens what is chosen."
NONE_FOUND = "No example has that in its title, name, rules or notes; a session file ends in .json."
LATE = 0.08
"""Seconds that a choice rests before its picture is drawn."""
MOST_LINES = 3
"""Of a sentence or of the notes in a preview."""


class Entry(Struct, frozen=True):
    """Something to open: an example's `card`, or the file at a `path`."""

    group: str
    name: str
    title: str
    path: Path | None = None
    card: Card | None = None

    def opened(self) -> Opened:
        """The document that its file or example holds. Raises DmlvizError where it can't be read."""
        if self.card is not None:
            return Opened(Document(self.card.example.session(), example=self.card.example.name))
        return open_file(path_of(str(self.path)))


def listed_examples(text: str = "") -> list[Entry]:
    """All examples group by group, the course first; with a `text` those that hold each of its words."""
    entries = []
    for step, card in enumerate(listed(text), 1):
        title = f"{step:>2} {card.title}" if card.group == START_HERE else f"   {card.title}"
        entries.append(Entry(card.group, card.example.name, title, card=card))
    return entries


def is_path(text: str) -> bool:
    """True if `text` is meant for a file's name, and not for words to find an example by."""
    return "/" in text or text.startswith(("~", ".")) or text.endswith(LISTED) or os.path.isfile(text)


class PathSuggester(Suggester):
    """Suggests the first folder or file that a path can go on with; one that can be opened."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        head, slash, begins = value.rpartition("/")
        try:
            inside = sorted(os.scandir(path_of(head + slash)), key=lambda entry: entry.name) if slash else []
        except (DmlvizError, OSError):
            return None  # enter says what is wrong
        for entry in inside:
            is_hidden = entry.name.startswith(".") and not begins
            if entry.name.startswith(begins) and not is_hidden and (entry.is_dir() or entry.name.endswith(LISTED)):
                return f"{head}/{entry.name}{'/' * entry.is_dir()}"
        return None


class Gallery(Dialog[Document | Card | None]):
    """Typing narrows the list or names a file; the document that was chosen, an example to be added, or None."""

    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="open.cancel"),
        Binding("down", "list('cursor_down')", "Next", show=False, id="open.next"),
        Binding("up", "list('cursor_up')", "Previous", show=False, id="open.previous"),
        Binding("pagedown", "list('page_down')", "Further", show=False, id="open.further"),
        Binding("pageup", "list('page_up')", "Back", show=False, id="open.back"),
        # Before the field, in which it would go to the line's beginning.
        Binding("ctrl+a", "add", "Add to the session", show=False, priority=True, id="open.add"),
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
        self._may_leave, self._files, self._recent = may_leave, files, recent
        self._entries: list[Entry | None] = []
        """What each row of the list is; None for a heading."""
        self._reading = BackgroundJob(self)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog gallery"):
            yield Label("Open a session file or an example" if self._files else "Open an example", classes="question")
            either = ", or a file such as ./lesson.json" if self._files else ""
            suggests = PathSuggester() if self._files else None
            yield Input(placeholder=f"a word of its title, rule or notes{either}", id="name", suggester=suggests)
            yield Label("", classes="trouble")
            with Horizontal(classes="both"):
                yield BrowseList(id="entries", markup=False)
                yield Static(id="preview")
            with Horizontal(classes="foot"):
                yield Label(DOING, classes="hint", id="doing")
                yield Button("Add", id="add", compact=True, action="screen.add")
                yield Button("Open", id="open", compact=True, action="screen.open")
                yield Button("Cancel", id="cancel", compact=True, action="screen.dismiss(None)")

    def on_mount(self) -> None:
        self._fill_list("")

    def on_unmount(self) -> None:
        self._reading.forget()

    # ---- the list

    def _entries_for(self, text: str) -> list[Entry]:
        if is_path(text):
            return [Entry(NAMED, text, text, Path(text))] if self._files else []
        there = [path for path in self._recent if os.path.exists(path)]
        recent = [Entry(RECENT, path.name, f"   {path.name}  {path.parent}", path) for path in there]
        words = text.lower().split()
        return [each for each in recent if all(word in each.title.lower() for word in words)] + listed_examples(text)

    def _fill_list(self, text: str) -> None:
        listed = self.query_one(OptionList)
        listed.clear_options()
        self._entries, group, name = [], "", text.lower()
        for entry in self._entries_for(text):
            if entry.group != group:
                group = entry.group
                self._entries.append(None)
                listed.add_option(Option(group, disabled=True))
            self._entries.append(entry)
            listed.add_option(Option(plain(entry.title, 120)))
        # An example that is called so, or begins so; else the latest session, or the first step.
        rows = [(i, entry.name) for i, entry in enumerate(self._entries) if entry is not None]
        best = min(rows, key=lambda row: (row[1] != name, not row[1].startswith(name), row[0]), default=None)
        if best is not None:
            listed.highlighted = best[0]
        self.once_it_rests(LATE, self._read_for_preview)

    @property
    def entry(self) -> Entry | None:
        """The entry that is chosen in the list; None where there is none."""
        at = self.query_one(OptionList).highlighted
        return self._entries[at] if at is not None and at < len(self._entries) else None

    def action_list(self, move: str) -> None:
        """Moves the choice as the list's own action of that name does."""
        getattr(self.query_one(OptionList), f"action_{move}")()

    @on(Input.Changed)
    def _narrow_list(self, event: Input.Changed) -> None:
        event.stop()
        self.say_trouble("")
        self._fill_list(event.value.strip())

    # ---- opening

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _open_submitted(self, event: Input.Submitted | OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def action_open(self) -> None:
        """Closes with what is chosen in the list; a file is read in a thread."""
        entry = self.entry
        if entry is None or (entry.path is not None and not self._files):
            is_file = is_path(self.query_one(Input).value.strip())
            self.say_trouble(NO_FILES if is_file else NONE_FOUND)
        elif entry.card is not None:
            self._close_with(entry.opened())
        else:
            self.query_one("#doing", Label).update("reading … esc stops it")
            self._reading.ask(("open", entry), entry.opened)

    def action_add(self) -> None:
        """Adds the chosen example to the session; nothing is lost by that, so nothing is asked."""
        entry = self.entry
        if entry is not None and entry.card is not None:
            self.dismiss(entry.card)
        else:
            self.say_trouble(NO_EXAMPLE)

    @work
    async def _close_with(self, opened: Opened) -> None:
        """Closes with a document; asks first where that would lose changes, and stays if they are kept."""
        if self.is_top and (self._may_leave is None or await self._may_leave()):
            if opened.imported is not None:
                self.notify(f"imported {summary(opened.imported)}. i says what was made of each place.", markup=False)
            self.dismiss(opened.document)

    @on(BackgroundJob.Done)
    def _close_or_preview(self, event: BackgroundJob.Done) -> None:
        event.stop()
        assert isinstance(event.key, tuple)
        (what, entry), opened, refused = event.key, event.outcome, sentence(event.outcome)
        if what == "open":
            self.query_one("#doing", Label).update(DOING)
            if isinstance(opened, Opened):
                self._close_with(opened)
            else:
                self.say_trouble(str(refused))
        elif entry == self.entry:
            self._show_preview(opened.document.session if isinstance(opened, Opened) else str(refused), entry.card)

    # ---- the preview

    @on(OptionList.OptionHighlighted)
    def _preview_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.once_it_rests(LATE, self._read_for_preview)

    def _read_for_preview(self) -> None:
        """Has the chosen entry read for the preview, in a thread."""
        entry, panel = self.entry, self.query_one("#preview", Static)
        if entry is None or (entry.path is not None and not os.path.exists(os.path.expanduser(entry.path))):
            panel.update("" if entry is None else "→ takes what is suggested")
        else:
            self._reading.ask(("draw", entry), entry.opened)

    def _show_preview(self, session: Session | str, card: Card | None) -> None:
        """Shows the preview of a session, or why it can't be opened."""
        panel, inks = self.query_one("#preview", Static), inks_of(self.app.theme_variables, "background")
        width, height = panel.content_size
        if isinstance(session, str):
            panel.update(Text(session, style=f"bold {inks.error.hex}"))
        else:
            panel.update(preview(session, max(10, width), max(6, height), inks, card))


def preview(session: Session, width: int, height: int, inks: Inks, card: Card | None = None) -> RenderableType:
    """A session on `width` columns and `height` lines: title, verdict, notes, picture; `card` is its example."""
    one = session.experiments[0]
    words = [line for text in _preview_words(session, one, inks, card) for line in _first_lines(text, width)]
    look = Look(written=NOTHING) if card is not None and is_covered(card.example.name, one) else Look()
    return Group(*words, Text(""), *_preview_picture(one, width, height - len(words) - 1, inks, look))


def _preview_words(session: Session, one: Experiment, inks: Inks, card: Card | None) -> Iterator[Text]:
    report, count, text = one.check(), len(session.experiments), inks.text.hex
    yield Text(plain(session.title or one.name, 120), f"bold {text}")
    below = f"{operator_of(one.desc).name} at {one.feature_level}"
    below += f", the first of {count} experiments" if count > 1 else ""
    yield Text(below + (f" · dmlviz {card.example.name}" if card is not None else ""), inks.muted.hex)
    yield Text(*verdict(report, inks))
    yield Text(plain(first_trouble(report)), text)
    notes, _ = split_notes(one.notes)
    marks = str.maketrans("", "", "*`#")  # a few lines of it, and no Markdown
    yield Text(" ".join(printable(notes).translate(marks).split()), text)
    yield Text(question_of(one.notes), f"bold {inks.accent.hex}")


def _preview_picture(one: Experiment, width: int, height: int, inks: Inks, look: Look) -> list[Text]:
    """The picture on the lines that are left; what is asked about it, `look` leaves out."""
    view = view_state_of(one)
    caption = [Text(plain(view.caption), f"bold {inks.accent.hex}", no_wrap=True)] if view.caption else []
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


def _first_lines(text: Text, width: int) -> list[Text]:
    """The first lines of a text, without any for an empty one; the last of them says where there are more."""
    lines = list(text.wrap(Console(width=width), width)) if text.plain else []
    if len(lines) > MOST_LINES:
        lines = lines[:MOST_LINES]
        lines[-1].truncate(width - 1)
        lines[-1].append("…")
    return lines
