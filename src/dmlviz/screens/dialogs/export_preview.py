"""The export: every target with its source text, to be copied or saved."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from pygments.token import Token
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, ScrollableContainer, Vertical
from textual.content import Content
from textual.highlight import HighlightTheme, highlight
from textual.widgets import Label, OptionList, Static

from ...errors import DmlvizError, InvalidDescError, plain, reason_of
from ...exporters.lib import exporting
from ...exporters.lib.exporting import Target
from ...exporters.lib.writing import Export, paths, stem_of, write
from ...session.document import Document
from ...session.experiments import Session
from ...session.notes import printable
from ...widgets.lib.browse_list import BrowseList
from ..background_job import REFUSALS, in_thread, sentence
from ..downloads import downloads_of
from .asking import AskName, AskReplace
from .copy_text import copied, length_in_words
from .dialog import Dialog

LATE = 0.08
"""Seconds that a choice rests before it is made."""
TOKEN = re.compile(r"(\bdml1:[\w-]{16})[\w-]*(?:\n[\w-]+$)*", re.MULTILINE)
"""A token, by which what is exported is read back, in as many lines as it has; its beginning."""
GOES_ON = "↪ "
WIDE = 150
"""Columns from which each target has its sentence in the list."""
MOST_LINES, MOST_COLUMNS = 1_000, 1_000
"""Of a text that is looked at; what is left out is counted."""


class SourceTheme(HighlightTheme):
    """The few colours of source text, all of which are read well."""

    STYLES = {
        Token.Comment: "$hint",
        Token.Keyword: "bold $keyword",
        Token.Literal.String: "$accent",
        Token.Literal.String.Doc: "$hint",
    }


def coloured(text: str, language: str, width: int) -> Content:
    """A text as it is looked at: no control characters, little of a token, long lines wrapped, very long ones cut.

    Takes long.
    """
    text = TOKEN.sub(r"\1…", text)
    lines = printable(text.expandtabs(4)).rstrip("\n").split("\n")
    seen = [line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}…" for line in lines[:MOST_LINES]]
    source = highlight("\n".join(seen), language=language, theme=SourceTheme)
    held = Content("\n").join([_wrapped(line, width) for line in source.split("\n", allow_blank=True)])
    more = len(lines) - len(seen)
    return Content.assemble(held, (f"\n… {more:,} more lines, which the file has", "$hint")) if more else held


def _wrapped(line: Content, width: int) -> Content:
    if line.cell_length <= width:
        return line
    indent = min(len(line.plain) - len(line.plain.lstrip()), width // 2)
    first, *others = line[indent:].wrap(max(width - indent - len(GOES_ON), 1))
    return Content("\n" + " " * indent).join([line[:indent] + first, *(Content(GOES_ON) + each for each in others)])


class ExportPreview(Dialog[None]):
    """Shows what a document's session or experiment is in each target's words. The document isn't changed."""

    KIND = "export"
    BINDINGS = [
        Binding("f2", "scope", "All", id="export.scope"),
        Binding("f4", "snippet", "Slide", id="export.snippet"),
        Binding("ctrl+c", "copy", "Copy", id="export.copy"),
        Binding("ctrl+s", "save", "Save", id="export.save"),
        Binding("escape", "dismiss", "Close", id="export.close"),
        Binding("pagedown", "scroll_text('page_down')", show=False, priority=True),
        Binding("pageup", "scroll_text('page_up')", show=False, priority=True),
    ]

    def __init__(self, doc: Document) -> None:
        super().__init__()
        settled = [one.settled(keeps_missing=True) for one in doc.session.experiments]  # as a file of it would be
        self._session, self._path = replace(doc.session, experiments=tuple(settled)), doc.path
        self._experiment = self._session.experiments[doc.number]
        self._targets: dict[str, Target] = {name: exporting.target_of(name) for name in exporting.targets()}
        self._target, self._whole, self._brief = next(iter(self._targets)), False, False
        self._export: Export | None = None
        """What is shown; None where the target refuses, and while it is made."""

    def compose(self) -> ComposeResult:
        source = ScrollableContainer(Static(id="text", markup=False), id="source", can_focus=True)
        yield self.frame(
            "Export",
            Horizontal(
                BrowseList(id="targets", markup=False),
                Vertical(Static(id="about", markup=False), source),
                classes="both",
            ),
            Static(id="beside", markup=False),
        )

    def on_resize(self) -> None:
        listed, is_wide = self.query_one(OptionList), self.size.width >= WIDE
        self.query_one("#about").display = not is_wide
        listed.styles.width, listed.styles.margin = (38, (0, 1, 0, 0)) if is_wide else (11, 0)
        chosen = listed.highlighted or 0
        listed.clear_options()
        for name, target in self._targets.items():
            about = Content(f"\n{printable(target.ABOUT)}\n")
            listed.add_option(Content.styled(name, "bold") + about if is_wide else name)
        listed.highlighted = chosen

    # ---- what is chosen

    @on(OptionList.OptionHighlighted)
    def _choose_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        self._target = list(self._targets)[event.option_index]
        self._choose()

    def action_scope(self) -> None:
        self._whole = not self._whole
        self._choose()

    def action_snippet(self) -> None:
        self._brief = not self._brief
        self._choose()

    @property
    def _is_whole(self) -> bool:
        """False for a snippet, which is of one experiment whatever is chosen."""
        return self._whole and not self._brief

    def _choose(self) -> None:
        one = f"experiment {plain(self._experiment.name, 40)}"
        words = f"the whole session, {len(self._session.experiments)} in all" if self._is_whole else one
        self.query_one(".question", Label).update(f"Export {'for a slide ' * self._brief}{words}")
        self.tell("about", printable(self._targets[self._target].ABOUT))
        self._show(Content.styled(f"making {self._target} … esc stops it", "$hint"))
        self._have_it_made()

    def _show(self, text: Content, export: Export | None = None) -> None:
        self._export, below = export, ""
        if export is not None:
            held = export.content
            size = length_in_words(held) if isinstance(held, str) else f"{len(held):,} bytes"
            below = ", ".join([f"{plain(self._file_name, 60)}  {size}", *(plain(file, 60) for file in export.files)])
        self.tell("text", text)
        self.query_one("#source").scroll_home(animate=False)
        self.tell("beside", below)

    def action_scroll_text(self, way: str) -> None:
        getattr(self.query_one("#source"), f"action_{way}")()

    # ---- making it

    def _maker(self, stem: str) -> Callable[[], Export]:
        make = exporting.snippet if self._brief else exporting.export
        return partial(make, self._exported, self._target, stem=stem)

    @property
    def _exported(self) -> Session:
        return self._session if self._is_whole else replace(self._session, experiments=(self._experiment,))

    @property
    def _file_name(self) -> str:
        """A name for the export's file: with the target's where another target, or a session, has its suffix too."""
        target, suffix = self._target, self._targets[self._target].SUFFIX
        taken = [".json", *(each.SUFFIX for each in self._targets.values())]
        own = f"-{target}" * (taken.count(suffix) > 1) + "-slide" * self._brief
        return f"{exporting.stem_for(self._exported, self._path)}{own}{suffix}"

    @work(exclusive=True, group="making")
    async def _have_it_made(self) -> None:
        await asyncio.sleep(LATE)
        name = self._file_name
        make, language = self._maker(stem_of(name)), self._targets[self._target].SUFFIX[1:]
        width = self.query_one("#text").size.width

        def job() -> tuple[Content, Export]:
            export = make()
            if isinstance(export.content, str):
                return coloured(export.content, language, width), export
            what = f"{plain(name)} is a binary file: {len(export.data):,} bytes."
            return Content.assemble((what, "bold"), "\n\nctrl+s saves it."), export

        try:
            self._show(*await in_thread(job))
        except REFUSALS as error:
            is_broken = isinstance(error, InvalidDescError)
            advice = "\n\nIn the explorer, F3 goes to the field and f fixes it." if is_broken else ""
            self._show(Content.assemble(("✘ ", "bold $error"), sentence(error), (advice, "bold")))

    # ---- what is done with it

    @property
    def _what(self) -> str:
        return f"the {self._target} export"

    def action_copy(self) -> None:
        if self._export is None:
            return
        text, beside, what = self._export.content, len(self._export.files), self._what
        hint = f" It reads {beside} .npy next to it." if beside else ""
        if not isinstance(text, str):
            self.notify(f"{what} is no text: ctrl+s saves it.", markup=False)
        elif not copied(self, what, text, f"{hint} ctrl+s makes a file of it."):
            self.action_save()

    @on(OptionList.OptionSelected)
    @work(exclusive=True)
    async def action_save(self) -> None:
        """Asks for a file until it is written, or the question is cancelled; in a tab it is a download."""
        if self._export is None:
            return
        what = self._what
        if (downloads := downloads_of(self.app)) is not None:
            sent = await downloads.send(self._file_name, self._export.data, self._export.files)
            self.notify(
                f"your browser has {sent}, {what}" if sent else f"The browser didn't take {what}.", markup=False
            )
            return
        name = str((self._path.parent if self._path is not None else Path()) / self._file_name)
        while (path := await self.app.push_screen_wait(AskName(f"Write {what} to", name))) is not None:
            name = str(path)
            try:
                said = await self._write(what, path)
            except DmlvizError as error:
                self.notify(str(error), severity="error", markup=False)
            except (OSError, ValueError, MemoryError) as error:
                said = f"{plain(name)} can't be written: {reason_of(error)}."
                self.notify(said, severity="error", markup=False)
            else:
                if said:
                    self.notify(said, markup=False)
                    return

    async def _write(self, what: str, path: Path) -> str:
        """Writes the export to a file; gives what to tell, "" where files there aren't to be replaced."""
        self.tell("beside", f"writing {what} … esc stops it")
        export = await in_thread(self._maker(stem_of(path)))  # arrays are named after the file
        there = [plain(file.name, 50) for file in paths(export, path) if file.exists()]
        if there and not await self.app.push_screen_wait(AskReplace(f"{', '.join(there[:2])} is there already.")):
            return ""
        await in_thread(partial(write, export, path))
        self.tell("beside", "")
        beside = f", and {len(export.files)} .npy next to it" if export.files else ""
        return f"wrote {what} to {plain(str(path))}{beside}"
