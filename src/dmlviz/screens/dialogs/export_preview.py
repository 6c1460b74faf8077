"""The export: every target with its source text, to be copied or saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pygments.token import Token
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.highlight import HighlightTheme, highlight
from textual.widgets import Button, Label, OptionList, Static

from ...errors import InvalidDescError, plain
from ...exporters.lib import exporting
from ...exporters.lib.exporting import Target
from ...exporters.lib.writing import Export, paths, stem_of, write
from ...recording.export_targets import IS, RECORDINGS
from ...session.document import Document
from ...session.experiments import Session
from ...session.notes import printable
from ...widgets.lib.browse_list import BrowseList
from ..background_job import BackgroundJob, sentence
from ..downloads import downloads_of
from .ask_name import write_asked
from .asking import AskReplace
from .copy_text import copied, length_in_words
from .dialog import Dialog
from .file_names import path_of
from .working import wait_for_job

LATE = 0.08
"""Seconds that a choice rests before it is made."""
MOST_LINES, MOST_COLUMNS = 1_000, 1_000
"""Of a text that is looked at; what is left out is counted."""
STOPPED = "stopped: nothing was written"


class Key(NamedTuple):
    """What can be chosen: a target, the whole session or one experiment, and all of it or a snippet."""

    target: str
    whole: bool
    brief: bool


class Preview(NamedTuple):
    """What came of it: an export, or why the target refuses with what to do instead; and how that is shown."""

    export: Export | None
    shown: Content


class SourceTheme(HighlightTheme):
    """The few colours of source text."""

    STYLES = {
        Token.Comment: "$hint",
        Token.Comment.Preproc: "bold $keyword",
        Token.Keyword: "bold $keyword",
        Token.Operator.Word: "bold $keyword",
        Token.Literal.String: "$accent",
        Token.Literal.String.Doc: "$hint",
        Token.Name.Function: "bold",
        Token.Name.Class: "bold",
        Token.Name.Tag: "bold",
    }


def coloured(text: str, language: str) -> Content:
    """A text as it is looked at: no control characters, and not all of what is very long. Takes long."""
    lines = printable(text.expandtabs(4)).rstrip("\n").split("\n")
    seen = [line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}…" for line in lines[:MOST_LINES]]
    held = highlight("\n".join(seen), language=language, theme=SourceTheme)
    more = len(lines) - len(seen)
    return Content.assemble(held, (f"\n… {more:,} more lines, which the file has", "$hint")) if more else held


class ExportPreview(Dialog[None]):
    """Shows what a document's session or experiment is in each target's words. The document isn't changed."""

    BINDINGS = [
        Binding("escape", "dismiss", "Close", id="export.close"),
        Binding("ctrl+c", "copy", "Copy", id="export.copy"),
        Binding("ctrl+s", "save", "Save", id="export.save"),
        Binding("f2", "scope", "Whole session or one experiment", id="export.scope"),
        Binding("f4", "snippet", "The lines of a slide, or all", id="export.snippet"),
        Binding("pagedown", "page(1)", "Further", show=False, priority=True, id="export.further"),
        Binding("pageup", "page(-1)", "Back", show=False, priority=True, id="export.back"),
    ]

    def __init__(self, doc: Document) -> None:
        super().__init__()
        self._session, self._path, self._experiment = doc.session, doc.path, doc.experiment
        self._targets: dict[str, Target] = {name: exporting.target_of(name) for name in exporting.targets()}
        self._targets |= RECORDINGS
        self._key = Key(next(iter(self._targets)), whole=False, brief=False)
        self._previews: dict[Key, Preview] = {}
        self._background = BackgroundJob(self)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog export"):
            with Horizontal(classes="foot"):
                yield Label("Export", classes="question")
                yield Label("", id="scope-name", markup=False)
                if len(self._session.experiments) > 1:
                    yield Button(
                        f"All {len(self._session.experiments)} experiments (F2)",
                        id="scope",
                        compact=True,
                        action="screen.scope",
                    )
            with Horizontal(classes="both"):
                yield BrowseList(*self._targets, id="targets", markup=False)
                with Vertical():
                    yield Static(id="about", markup=False)
                    with VerticalScroll(id="source", can_focus=True):
                        yield Static(id="text")
            yield Static(id="beside", markup=False)
            with Horizontal(classes="foot"):
                yield Label("↑ ↓ choose · pgup pgdn scroll", classes="hint")
                yield Button("For a slide (F4)", id="snippet", compact=True, action="screen.snippet")
                yield Button("Copy (^c)", id="copy", compact=True, action="screen.copy")
                yield Button("Save (^s)", id="save", compact=True, action="screen.save")
                yield Button("Close (esc)", id="close", compact=True, action="screen.dismiss")

    def on_mount(self) -> None:
        listed = self.query_one(OptionList)
        listed.highlighted = 0
        listed.focus()

    def on_unmount(self) -> None:
        self._background.forget()

    # ---- what is chosen, and how it is shown

    @on(OptionList.OptionHighlighted)
    def _choose_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._choose(self._key._replace(target=list(self._targets)[event.option_index]))

    def action_scope(self) -> None:
        """Switches between the whole session and its one experiment; does nothing where it has only one."""
        if len(self._session.experiments) > 1:
            self._choose(self._key._replace(whole=not self._key.whole))

    def action_snippet(self) -> None:
        """Switches between the few lines of a slide and all that a target says."""
        self._choose(self._key._replace(brief=not self._key.brief))

    def action_page(self, by: int) -> None:
        view = self.query_one("#source")
        view.scroll_relative(y=by * max(1, view.size.height - 2), animate=False)

    def _choose(self, key: Key) -> None:
        """Shows what a choice makes; has it made once the choice rests."""
        self._key, count = key, len(self._session.experiments)
        one = f"experiment {plain(self._experiment.name, 40)}"
        words = f"the whole session, {count} experiments" if key.whole and not key.brief else one
        self.query_one("#scope-name", Label).update(words)
        for button in self.query("#scope").results(Button):
            button.label = "This one alone (F2)" if key.whole else f"All {count} experiments (F2)"
            button.display = not key.brief
        self.query_one("#snippet", Button).label = "All of it (F4)" if key.brief else "For a slide (F4)"
        self.query_one("#about", Static).update(printable(self._targets[key.target].ABOUT))
        if key in self._previews:
            self._background.forget()
            self._show(self._previews[key])
        else:
            self._show(Preview(None, Content.styled(f"making {key.target} … esc stops it", "$hint")))
            self.once_it_rests(LATE, self._have_it_made)

    def _show(self, preview: Preview) -> None:
        """Shows a text from its beginning, and below it what saving writes."""
        self.query_one("#text", Static).update(preview.shown)
        self.query_one("#source").scroll_home(animate=False)
        self.query_one("#beside", Static).update(self._files_line(preview.export) if preview.export else "")

    def _files_line(self, export: Export) -> str:
        """What saving writes: the file, its size, and the arrays beside it."""
        held, beside = export.content, ", ".join(plain(file, 60) for file in export.files) or "no files"
        size = length_in_words(held) if isinstance(held, str) else f"{len(held):,} bytes"
        return f"{plain(self._file_name, 60)}  {size}, {beside} beside it"

    # ---- making it

    @property
    def _chosen_session(self) -> Session:
        """The session that is exported; a snippet is of one experiment whatever is chosen."""
        is_whole = self._key.whole and not self._key.brief
        return self._session if is_whole else replace(self._session, experiments=(self._experiment,))

    def _maker(self, stem: str) -> Callable[[], Export]:
        """What makes the chosen export; recordings have no snippet, and stay as they are."""
        target, brief = self._key.target, self._key.brief
        if target in RECORDINGS:
            return partial(RECORDINGS[target].export, self._chosen_session, stem)
        return partial(exporting.snippet if brief else exporting.export, self._chosen_session, target, stem=stem)

    @property
    def _file_name(self) -> str:
        """A name for the export's file, never that of the session's own file."""
        target, suffix = self._key.target, self._targets[self._key.target].SUFFIX
        if target in RECORDINGS:
            return f"{exporting.stem_for(self._chosen_session, self._path)}{suffix}"
        path = Path(exporting.suggested(self._chosen_session, target, self._path))
        if self._key.brief:
            return f"{path.stem}-slide{suffix}"
        is_own = self._path is not None and path.name == self._path.name
        return f"{path.stem}-{target}{suffix}" if is_own else path.name

    def _have_it_made(self) -> None:
        target, name = self._key.target, self._file_name
        make, language = self._maker(stem_of(name)), self._targets[target].SUFFIX[1:]

        def job() -> Preview:
            export = make()
            if isinstance(export.content, str):
                return Preview(export, coloured(export.content, language))
            what = f"{plain(name)} is {IS.get(target, 'a binary file')}: {len(export.data):,} bytes."
            return Preview(export, Content.assemble((what, "bold"), "\n\nctrl+s saves it."))

        if self._key not in self._previews:
            self._background.ask(self._key, job)

    @on(BackgroundJob.Done)
    def _keep_preview(self, event: BackgroundJob.Done) -> None:
        event.stop()
        assert isinstance(event.key, Key)
        preview, refused = event.outcome, sentence(event.outcome)
        if refused is not None:
            is_broken = isinstance(event.outcome, InvalidDescError)
            advice = "\n\nBeside the picture, F3 goes to the field and f mends it." if is_broken else ""
            preview = Preview(None, Content.assemble(("✘ ", "bold $error"), refused, (advice, "bold")))
        assert isinstance(preview, Preview)
        self._previews[event.key] = preview
        if event.key == self._key:
            self._show(preview)

    # ---- what is done with it

    def _ready_export(self) -> Export | None:
        """The chosen export; None, with a notice, where it is refused or not made yet."""
        preview = self._previews.get(self._key)
        if preview is None:
            self.notify("It is being made still.", markup=False)
        elif preview.export is None:
            self.notify("There is nothing to copy or save: the target refuses.", severity="warning", markup=False)
        return preview.export if preview is not None else None

    def action_copy(self) -> None:
        export = self._ready_export()
        if export is None:
            return
        what, beside = f"the {self._key.target} export", len(export.files)
        hint = (
            f" It reads {beside} .npy beside it: ctrl+s saves those too." if beside else " ctrl+s makes a file of it."
        )
        if not isinstance(export.content, str):
            self.notify(f"{what} is no text: ctrl+s saves it.", markup=False)
        elif not copied(self, what, export.content, hint):
            self.action_save()

    @on(OptionList.OptionSelected)
    def _save_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_save()

    @work(exclusive=True)
    async def action_save(self) -> None:
        export, what = self._ready_export(), f"the {self._key.target} export"
        if export is None:
            return
        if (downloads := downloads_of(self.app)) is not None:
            if sent := await downloads.send(self._file_name, export.data, export.files):
                self.notify(f"your browser has {sent}, {what}", markup=False)
            else:
                self.notify("The browser didn't take the export, expected it to be saved.", severity="error")
            return
        name = str((self._path.parent if self._path is not None else Path()) / self._file_name)
        await write_asked(self, f"Write {what} to", name, partial(self._write, export, what))

    async def _write(self, made: Export, what: str, name: str) -> str:
        """Writes the export to the named file; gives what to tell, "" where files there aren't to be replaced."""
        path = path_of(name)
        export: Export | None = made
        if made.files and stem_of(path) != stem_of(self._file_name):  # arrays are named after the file
            export = await wait_for_job(self.app, f"making {what}", self._maker(stem_of(path)))
        if export is None:
            return STOPPED
        there = [plain(file.name, 50) for file in paths(export, path) if file.exists()]
        if there and not await self.app.push_screen_wait(AskReplace(", ".join(there[:2]))):
            return ""
        if await wait_for_job(self.app, f"writing {plain(name)}", partial(_write_files, export, path)) is None:
            return STOPPED
        beside = f", and {len(export.files)} .npy beside it" if export.files else ""
        return f"wrote {what} to {plain(name)}{beside}"


def _write_files(export: Export, path: Path) -> bool:
    """Writes the files; True always, since None says that it was stopped."""
    write(export, path)
    return True
