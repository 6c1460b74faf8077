"""The gallery: recent sessions and the course of examples, each with a picture of what it holds, or a file by name."""

from __future__ import annotations

import asyncio
import os
from glob import iglob
from itertools import chain, islice
from pathlib import Path
from textwrap import fill

from msgspec import Struct
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive
from textual.suggester import SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from ...errors import plain
from ...operators.registry import operator_of
from ...scene.drawing.side_by_side import GAP, page
from ...scene.elements.known import NOTHING
from ...scene.layout.arrange import arrange
from ...scene.layout.zoom import Zoom
from ...scene.look import Look
from ...scene.view_state import view_state_of
from ...session.course import START_HERE, Card, listed
from ...session.document import Document
from ...session.experiments import Session
from ...session.notes import asked_first, question_of, split_notes
from ...tracing import Trace
from ...widgets.lib.browse_list import BrowseList
from ...widgets.lib.inks import Inks, inks_of
from ...widgets.lib.painted import text_of
from ...widgets.panels.reasons_panel import verdict
from ...workspace.explorer.workspace import is_covered
from ..background_job import REFUSALS, in_thread, sentence
from ..downloads import NO_FILES
from .dialog import Dialog
from .file_opening import LISTED, first_trouble, open_file, path_of

NO_EXAMPLE = "Only an example can be added to the session; enter opens the chosen file."
NONE_FOUND = "No example has that in its title, name, rules or notes; a session file ends in .json."
INDENT = "   "
LATE = 0.08
"""Seconds that a choice rests before its file is read."""
MOST_LOOKED_AT = 5000
"""Files among which are looked for those that can be opened."""


class Entry(Struct, frozen=True):
    """Something to open: an example's `card`, or the file at a `path`."""

    group: str
    name: str
    title: str
    path: Path | None = None
    card: Card | None = None

    def prompt(self, width: int) -> Content:
        """Its line in the list, and where there is a width for it, below what an example asks."""
        if self.card is None or not width:
            return Content(plain(self.title, 120))
        operator = f"{self.card.operators[0]} · " if self.group == START_HERE else ""
        asks = fill(operator + asked_first(self.card.question), width, initial_indent=INDENT, subsequent_indent=INDENT)
        return Content.assemble(self.title, "\n", (asks, "$hint"))

    def opened(self) -> Document:
        """The document that its file or example holds. Raises DmlvizError where it can't be read."""
        if self.card is not None:
            return Document(self.card.example.session(), example=self.card.example.name)
        return open_file(path_of(str(self.path)))


def listed_examples(text: str = "") -> list[Entry]:
    entries = []
    for step, card in enumerate(listed(text), 1):
        title = f"{step:>2} {card.title}" if card.group == START_HERE else INDENT + card.title
        entries.append(Entry(card.group, card.example.name, title, card=card))
    return entries


def is_path(text: str) -> bool:
    """True if `text` is meant for a file's name, and not for words to find an example by."""
    return "/" in text or text.startswith(("~", ".")) or text.endswith(LISTED) or os.path.isfile(text)


def files_here() -> list[str]:
    """Names of files that can be opened, of the current folder and of those in it; of very many only some."""
    return sorted(name for name in islice(chain(iglob("./*"), iglob("./*/*")), MOST_LOOKED_AT) if name.endswith(LISTED))


class Preview(Widget):
    """Words, and below them a trace's picture, as far as there is room: without a trace, the words alone."""

    shows = reactive[tuple[Text, Trace | None, Look]]((Text(), None, Look()), always_update=True)

    def render(self) -> Text:
        words, trace, look = self.shows
        width, height = self.size.width - GAP, self.size.height
        most = max(1, height if trace is None else height * 3 // 5)
        lines = list(words.wrap(self.app.console, width))
        if len(lines) > most:
            last = (lines := lines[:most])[-1]
            last.rstrip()
            if len(last) > width - 2:
                last.right_crop(len(last) - last.plain.rfind(" "))
            last.append(" …")
        text, room = Text("\n").join(lines), height - len(lines) - 1
        if trace is None or room < 3:
            return text
        inks, scene = inks_of(self.app.theme_variables, "background"), arrange(trace, width, room)
        if not scene.layout.fits:  # all of it in colours and letters tells more than a part of it in values
            scene = arrange(trace, width, room, Zoom.BLOCKS)
        scene = scene.packed()
        return Text("\n\n").join([text, text_of(page(scene, scene.share, width - scene.share, room, look), inks)])


class Gallery(Dialog[Document | Card | None]):
    """Typing narrows the list or names a file; the document that was chosen, an example to be added, or None."""

    KIND = "gallery"
    BINDINGS = [
        Binding("down", "list('cursor_down')", "Next", show=False, id="open.next"),
        Binding("up", "list('cursor_up')", "Previous", show=False, id="open.previous"),
        Binding("pagedown", "list('page_down')", "Further", show=False, id="open.further"),
        Binding("pageup", "list('page_up')", "Back", show=False, id="open.back"),
        # Before the field, in which it would go to the line's beginning.
        Binding("ctrl+a", "add", "Add to session", priority=True, id="open.add"),
        Binding("enter", "open", "Open", id="open.open"),
        Binding("escape", "dismiss(None)", "Cancel", id="open.cancel"),
    ]

    def __init__(self, recent: list[Path], *, files: bool = True) -> None:
        """Without `files`, there are the examples alone."""
        super().__init__()
        self._files, self._recent = files, recent
        self._entries: list[Entry] = []
        """What is listed: an option's id is the number of its entry; a heading has none."""

    def compose(self) -> ComposeResult:
        either = ", or a file such as ./lesson.json" if self._files else ""
        suggester = SuggestFromList(files_here()) if self._files else None
        yield self.frame(
            "Open a session file or an example" if self._files else "Open an example",
            Input(placeholder=f"a word of its title, rule or notes{either}", id="name", suggester=suggester),
            Horizontal(BrowseList(id="entries", markup=False), Preview(id="preview"), classes="both"),
        )

    def on_resize(self) -> None:
        chosen = self.query_one(OptionList).highlighted
        self._fill_list(self.query_one(Input).value.strip())
        if chosen is not None:
            self.query_one(OptionList).highlighted = chosen

    # ---- the list

    def _entries_for(self, text: str) -> list[Entry]:
        if is_path(text):
            return [Entry("A file", text, text, Path(text))] if self._files else []
        there = [path for path in self._recent if os.path.exists(path)]
        recent = [Entry("Recent sessions", path.name, f"{INDENT}{path.name}  {path.parent}", path) for path in there]
        words = text.lower().split()
        return [each for each in recent if all(word in each.title.lower() for word in words)] + listed_examples(text)

    def _fill_list(self, text: str) -> None:
        listed, options = self.query_one(OptionList).clear_options(), list[Option]()
        self._entries, group, name = self._entries_for(text), "", text.lower()
        is_roomy = self.size.width >= self.HORIZONTAL_BREAKPOINTS[-1][0]
        width = min(2 * self.size.width // 5, 58) - 5 if is_roomy else 0  # as wide as dialog.tcss has it
        for i, entry in enumerate(self._entries):
            if entry.group != group:
                options.append(Option("\n" * bool(group) + entry.group, disabled=True))
                group = entry.group
            options.append(Option(entry.prompt(width), id=str(i)))
        listed.add_options(options)  # all at once: each that is added by itself measures those before it
        # An example that is called so, or begins so; else the latest session, or the first step.
        if self._entries:
            best = min(self._entries, key=lambda one: (one.name != name, not one.name.startswith(name)))
            listed.highlighted = listed.get_option_index(str(self._entries.index(best)))
        self._preview_highlighted()

    @property
    def entry(self) -> Entry | None:
        option = self.query_one(OptionList).highlighted_option
        return self._entries[int(option.id)] if option is not None and option.id else None

    def action_list(self, move: str) -> None:
        getattr(self.query_one(OptionList), f"action_{move}")()

    @on(Input.Changed)
    def _narrow_list(self, event: Input.Changed) -> None:
        self._fill_list(event.value.strip())

    # ---- opening

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    @work(exclusive=True)
    async def action_open(self) -> None:
        entry = self.entry
        if entry is None or (entry.path is not None and not self._files):
            self.say_trouble(NO_FILES if is_path(self.query_one(Input).value.strip()) else NONE_FOUND)
            return
        self._show_words(Text("reading … esc stops it"))
        try:
            self.dismiss(await in_thread(entry.opened))
        except REFUSALS as error:
            self._show_words(Text())
            self.say_trouble(sentence(error))

    def action_add(self) -> None:
        """Adds the chosen example to the session; nothing is lost by that, so nothing is asked."""
        entry = self.entry
        if entry is not None and entry.card is not None:
            self.dismiss(entry.card)
        else:
            self.say_trouble(NO_EXAMPLE)

    # ---- the preview

    @on(OptionList.OptionHighlighted)
    @work(exclusive=True, group="preview")
    async def _preview_highlighted(self) -> None:
        """Shows the chosen entry; what a file holds, once the choice rests."""
        entry = self.entry
        is_read = entry is not None and entry.card is not None  # for the list
        await asyncio.sleep(0 if is_read else LATE)
        if entry is None or (entry.path is not None and not os.path.exists(os.path.expanduser(entry.path))):
            self._show_words(Text("" if entry is None else "→ accepts the suggestion"))
            return
        try:
            opened = entry.opened() if is_read else await in_thread(entry.opened)
        except REFUSALS as error:
            self._show_words(Text(sentence(error), "bold"))
        else:
            inks = inks_of(self.app.theme_variables, "background")
            self._show_words(*preview(opened.session, entry.card, inks))

    def show_in_colour(self) -> None:
        self._preview_highlighted()

    def _show_words(self, words: Text, trace: Trace | None = None, look: Look | None = None) -> None:
        for each in self.query(Preview):
            each.shows = words, trace, look or Look()


def preview(session: Session, card: Card | None, inks: Inks) -> tuple[Text, Trace | None, Look]:
    """The words on a session, and a picture without what a `card` asks."""
    one, count = session.experiments[0], len(session.experiments)
    view, is_asked = view_state_of(one), card is not None and is_covered(card.example.name, one)
    report, bold, accent = one.check(), f"bold {inks.text.hex}", f"bold {inks.accent.hex}"
    below = f"{operator_of(one.desc).name} at {one.feature_level}"
    below += f", the first of {count} experiments" if count > 1 else ""
    below += f" · dmlviz {card.example.name}" if card is not None else ""
    (mark, style), told = verdict(report, inks), split_notes(one.notes)[0].translate(str.maketrans("", "", "*`#"))
    lines = [
        (plain(session.title or one.name, 120), bold),
        (below, inks.muted.hex),
        (" · ".join(filter(None, (mark, plain(view.caption.partition(":")[0])))), style),
        (plain(first_trouble(report)), inks.text.hex),
        (question_of(one.notes), accent),
        (plain(" ".join(told.split()), 2000), inks.text.hex),
    ]
    words = Text("\n").join([Text(text, style) for text, style in lines if text])
    return words, view.trace, Look(written=NOTHING) if is_asked else Look()
