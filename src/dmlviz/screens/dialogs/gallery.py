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

RECENT, NAMED = "Recent sessions", "A file"
DOING = "enter opens · ^a adds to the session"
NO_EXAMPLE = "Only an example can be added to the session; enter opens what is chosen."
NONE_FOUND = "No example has that in its title, name, rules or notes; a session file ends in .json."
LATE = 0.08
"""Seconds that a choice rests before its picture is drawn."""
MOST_AT_ONCE = 200_000
"""Bytes of a session file that is read without a thread."""


class Entry(Struct, frozen=True):
    """Something to open: an example's `card`, or the file at a `path`."""

    group: str
    name: str
    title: str = ""
    path: Path | None = None
    card: Card | None = None
    step: int = 0
    """Which step of the course it is, from 1; 0 for none."""

    @property
    def example(self) -> str | None:
        """The example's name; None for a file."""
        return self.card.example.name if self.card is not None else None

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
            return open_file(path_of(str(self.path)))
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


def is_path(text: str) -> bool:
    """True if `text` is meant for a file's name, and not for words to find an example by."""
    return "/" in text or text.startswith(("~", ".")) or text.endswith(LISTED) or os.path.isfile(text)


class PathSuggester(Suggester):
    """Suggests the first folder or file that a path can go on with; one that can be opened."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        head, slash, begins = value.rpartition("/")
        if not slash:
            return None
        try:
            inside = sorted(os.scandir(path_of(head + slash)), key=lambda entry: entry.name)
            for entry in inside:
                if entry.name.startswith(begins) and (begins or not entry.name.startswith(".")):
                    if entry.is_dir():
                        return f"{head}/{entry.name}/"
                    if entry.name.endswith(LISTED):
                        return f"{head}/{entry.name}"
        except (DmlvizError, OSError, ValueError):
            pass  # enter says what is wrong
        return None


class Gallery(Dialog[Document | Added | None]):
    """Typing narrows the list or names a file; the document that was chosen, an example to be added, or None."""

    NARROW = 110  # below, an example in the list has one line
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="open.cancel"),
        Binding("down", "list('cursor_down')", "Next", show=False, id="open.next"),
        Binding("up", "list('cursor_up')", "Previous", show=False, id="open.previous"),
        Binding("pagedown", "list('page_down')", "Further", show=False, id="open.further"),
        Binding("pageup", "list('page_up')", "Back", show=False, id="open.back"),
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
        self._may_leave, self._files, self._recent = may_leave, files, recent
        self._entries: list[Entry | None] = []
        """What each row of the list is; None for a heading."""
        self._drawing, self._opening = BackgroundJob(self), BackgroundJob(self)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog gallery"):
            yield Label("Open a session file or an example" if self._files else "Open an example", classes="question")
            either = ", or a file such as ./lesson.json" if self._files else ""
            suggests = PathSuggester() if self._files else None
            yield LineInput(placeholder=f"a word of its title, rule or notes{either}", id="name", suggester=suggests)
            yield Label("", classes="trouble")
            with Horizontal(classes="both"):
                yield BrowseList(id="entries")
                yield Static(id="preview")
            with Horizontal(classes="foot"):
                yield Label(DOING, classes="hint", id="doing")
                yield Button("Add", id="add", compact=True, action="screen.add")
                yield Button("Open", id="open", compact=True, action="screen.open")
                yield Button("Cancel", id="cancel", compact=True, action="screen.dismiss(None)")

    def on_mount(self) -> None:
        self._fill_list("")

    def on_resize(self) -> None:
        chosen, listed = self.query_one(OptionList).highlighted, self.query_one(OptionList)
        self._fill_list(self.query_one(Input).value.strip())
        listed.highlighted = chosen if chosen is not None else listed.highlighted  # the same entries in other lines

    def on_unmount(self) -> None:
        self._drawing.forget()
        self._opening.forget()

    # ---- the list

    def _entries_for(self, text: str) -> list[Entry]:
        if is_path(text):
            return [Entry(NAMED, text, path=Path(text))] if self._files else []
        words = text.lower().split()
        recent = [Entry(RECENT, path.name, str(path.parent), path) for path in self._recent if os.path.exists(path)]
        meant = [entry for entry in recent if all(word in f"{entry.name} {entry.title}".lower() for word in words)]
        return meant + listed_examples(text)

    def _fill_list(self, text: str) -> None:
        inks, listed = inks_of(self.app.theme_variables, "surface"), self.query_one(OptionList)
        entries = self._entries_for(text)
        options, self._entries = list[Option](), []
        for entry in entries:
            before = next(filter(None, reversed(self._entries)), None)
            if before is None or before.group != entry.group:
                steps = sum(each.step > 0 for each in entries)
                count = f"  {steps} steps" if entry.group == START_HERE else ""
                heading = Text.assemble((entry.group, "bold"), count, style=inks.muted.hex)
                options.append(Option(heading, disabled=True))
                self._entries.append(None)
            options.append(Option(row(entry, inks, brief=self.is_narrow)))
            self._entries.append(entry)
        listed.clear_options()
        listed.add_options(options)
        # An example that is called so, or begins so; else the latest session, or the first step.
        name, rows = text.lower(), [(i, entry.name) for i, entry in enumerate(self._entries) if entry is not None]
        best = min(rows, key=lambda row: (row[1] != name, not row[1].startswith(name), row[0]), default=None)
        if best is not None:
            listed.highlighted = best[0]
            if best[0] <= 2:
                listed.scroll_home(animate=False)
        self._draw_soon()

    @property
    def entry(self) -> Entry | None:
        """The entry that is chosen in the list; None where there is none."""
        at = self.query_one(OptionList).highlighted
        return self._entries[at] if at is not None and at < len(self._entries) else None

    def action_list(self, move: str) -> None:
        """Moves the choice as the list's own action of that name does."""
        getattr(self.query_one(OptionList), f"action_{move}")()

    def action_complete(self) -> None:
        """Takes what is suggested in the field; elsewhere tab goes to the next one."""
        field = self.query_one(Input)
        before = field.value
        if self.focused is field:
            field.action_cursor_right()
        if field.value == before:
            self.focus_next()

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
        """Closes with what is chosen in the list, reading in a thread what takes long."""
        entry = self.entry
        if entry is None:
            is_file = is_path(self.query_one(Input).value.strip())
            self.say_trouble(NO_FILES if is_file else NONE_FOUND)
        elif entry.path is not None and not self._files:
            self.say_trouble(NO_FILES)
        elif entry.takes_long:
            self.query_one("#doing", Label).update("reading … esc stops it")
            self._opening.ask(("open", entry), entry.opened)
        else:
            try:
                self._close_with(entry.opened())
            except DmlvizError as error:
                self.say_trouble(str(error))

    def action_add(self) -> None:
        """Adds the chosen example to the session; nothing is lost by that, so nothing is asked."""
        entry = self.entry
        if entry is not None and entry.card is not None:
            self.dismiss(Added(entry.card))
        else:
            self.say_trouble(NO_EXAMPLE)

    def _close_with(self, opened: Opened) -> None:
        """Closes with a document; asks first where that would lose changes, and stays if they are kept."""
        if self._may_leave is None:
            self._hand_over(opened)
        else:
            self._ask_and_close(opened, self._may_leave)

    @work
    async def _ask_and_close(self, opened: Opened, may_leave: Callable[[], Awaitable[bool]]) -> None:
        if self.is_top and await may_leave():  # else it is asked already
            self._hand_over(opened)

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
            self.query_one("#doing", Label).update(DOING)
            if refused is not None:
                self.say_trouble(refused)
            elif isinstance(event.outcome, Opened):
                self._close_with(event.outcome)
        elif entry == self.entry:
            opened = event.outcome
            self._show_preview(opened.document.session if isinstance(opened, Opened) else str(refused), entry.card)

    # ---- the preview

    @on(OptionList.OptionHighlighted)
    def _preview_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._draw_soon()

    def _draw_soon(self) -> None:
        self.once_it_rests(LATE, self._read_for_preview)

    def _read_for_preview(self) -> None:
        """Has the chosen entry read for the preview, in a thread."""
        panel, entry, inks = self.query_one("#preview", Static), self.entry, inks_of(self.app.theme_variables)
        if entry is None or (entry.group == NAMED and not os.path.exists(os.path.expanduser(entry.name))):
            panel.update(Text("tab takes what is suggested" if entry is not None else "", inks.muted.hex))
            return
        if entry.takes_long:
            panel.update(Text("reading …", inks.muted.hex))
        self._drawing.ask(("draw", entry), entry.opened)

    def _show_preview(self, session: Session | str, card: Card | None) -> None:
        """Shows the preview of a session, or why it can't be opened."""
        panel, inks = self.query_one("#preview", Static), inks_of(self.app.theme_variables, "background")
        if isinstance(session, str):
            panel.update(Text(session, style=f"bold {inks.error.hex}"))
            return
        width, height = panel.content_size
        panel.update(preview(session, max(10, width), max(6, height), inks, card))


SHORT = 20
"""Lines of a preview below which notes give way to the picture, as long as there is a question."""
MOST_LINES = 3
"""Of a sentence or of the notes in a preview."""


def row(entry: Entry, inks: Inks, *, brief: bool = False) -> Text:
    """An entry: its title alone where it is `brief`.

    Else what the command line knows it by stands below, with what a step asks, or the rule that is shown.
    """
    less = (inks.muted if inks.is_fine else inks.text).hex
    text = Text(no_wrap=True, overflow="ellipsis")
    if entry.card is None:
        return text.append(f" {plain(entry.name, 80)}", "bold").append(f"  {plain(entry.title, 80)}", less)
    text.append(f"{entry.step or '':>3} ", less).append(entry.title, f"bold {inks.text.hex}")
    told = asked_first(entry.card.question) if entry.step else "".join(entry.card.rules[:1])
    below = " · ".join(filter(None, (entry.name, told)))
    return text if brief else text.append(f"\n    {below}", less)


def preview(session: Session, width: int, height: int, inks: Inks, card: Card | None = None) -> RenderableType:
    """A session on `width` columns and `height` lines: title, verdict, notes, picture; `card` is its example."""
    one = session.experiments[0]
    told = _preview_words(session, one, inks, card)
    words = [line for text in told for line in _first_lines(text, width)]
    notes, question = split_notes(one.notes)
    marks = str.maketrans("", "", "*`#")  # a few lines of it, and no Markdown
    few: list[Text] = []
    if notes and not (question and height < SHORT):
        few = [*_first_lines(Text(" ".join(printable(notes).translate(marks).split()), inks.text.hex), width), Text("")]
    look = Look(written=NOTHING) if card is not None and is_covered(card.example.name, one) else Look()
    drawn = _preview_picture(one, width, height - len(words) - 1 - len(few), inks, look)
    return Group(*words, Text(""), *few, *drawn)


def _preview_words(session: Session, one: Experiment, inks: Inks, card: Card | None) -> Iterator[Text]:
    count = len(session.experiments)
    title = plain(session.title or one.name, 120)
    yield Text(title, style=f"bold {inks.text.hex}", no_wrap=True, overflow="ellipsis")
    report = one.check()
    below = f"{operator_of(one.desc).name} at {one.feature_level}"
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
    if question := question_of(one.notes):
        yield Text.assemble(("? ", f"bold {inks.accent.hex}"), (question, f"bold {inks.text.hex}"))


def _preview_picture(one: Experiment, width: int, height: int, inks: Inks, look: Look) -> list[Text]:
    """The picture on the lines that are left; what is asked about it, `look` leaves out."""
    view = view_state_of(one)
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


def _first_lines(text: Text, width: int) -> list[Text]:
    """The first lines of a text; the last of them says where there are more."""
    lines = list(text.wrap(Console(width=width), width)) if text.plain else []
    first = lines[:MOST_LINES]
    if len(lines) > MOST_LINES:
        first[-1].rstrip()
        first[-1].append(" …")
        first[-1].no_wrap, first[-1].overflow = True, "ellipsis"
    return first
