"""The export: every target with its source text, to be copied or saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import Struct
from pygments.token import Token
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.highlight import HighlightTheme, highlight
from textual.widgets import Button, Label, OptionList, Static
from textual.widgets.option_list import Option

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
from .copy_text import fits_clipboard, length_in_words, too_long_sentence
from .dialog import Dialog
from .file_names import path_of
from .working import wait_for_job

LATE = 0.08
"""Seconds that a choice rests before it is made."""
MOST_LINES, MOST_COLUMNS = 1_000, 1_000
"""Of a text that is looked at; what is left out is counted."""
STOPPED = "stopped: nothing was written"
Key = tuple[str, bool, bool]
"""A target, whether the whole session is exported, and whether it is a snippet."""


class Preview(Struct, frozen=True):
    """What came of a target: an export, or why it refuses with what to do instead; and how that is shown."""

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
    """A text as it is looked at: control characters as escapes, and not all of what is very long. Takes long."""
    lines = text.expandtabs(4).rstrip("\n").split("\n")
    seen = [line if len(line) <= MOST_COLUMNS else f"{line[:MOST_COLUMNS]}…" for line in lines[:MOST_LINES]]
    told = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in "\n".join(seen))
    held = highlight(told, language=language, theme=SourceTheme)
    more = len(lines) - len(seen)
    return Content.assemble(held, (f"\n… {more:,} more lines, which the file has", "$hint")) if more else held


class ExportPreview(Dialog[None]):
    """Shows what a document's session or experiment is in each target's words. The document isn't changed."""

    NARROW = 150
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
        self._session, self._path = doc.session, doc.path
        self._experiment = doc.experiment
        self._whole = self._brief = False
        self._targets: dict[str, Target] = {name: exporting.target_of(name) for name in exporting.targets()}
        self._targets |= RECORDINGS
        self._previews: dict[Key, Preview] = {}
        self._background = BackgroundJob(self)

    # ---- what is chosen

    @property
    def _target(self) -> str | None:
        at = self.query_one(OptionList).highlighted
        return list(self._targets)[at] if at is not None and self._targets else None

    @property
    def _preview(self) -> Preview | None:
        """What came of the chosen target; None where it isn't made yet."""
        return self._previews.get(self._key) if self._key is not None else None

    @property
    def _key(self) -> Key | None:
        return None if self._target is None else (self._target, self._whole, self._brief)

    @property
    def _chosen_session(self) -> Session:
        """The session that is exported; a snippet is of one experiment whatever is chosen."""
        is_whole = self._whole and not self._brief
        return self._session if is_whole else replace(self._session, experiments=(self._experiment,))

    def _maker(self, target: str, stem: str) -> Callable[[], Export]:
        """What makes the chosen export; recordings have no snippet, and stay as they are."""
        if target in RECORDINGS:
            return partial(RECORDINGS[target].export, self._chosen_session, stem)
        return partial(exporting.snippet if self._brief else exporting.export, self._chosen_session, target, stem=stem)

    def _file_name(self, target: str) -> str:
        """A name for the export's file, never that of the session's own file."""
        if target in RECORDINGS:
            name = f"{exporting.stem_for(self._chosen_session, self._path)}{RECORDINGS[target].SUFFIX}"
        else:
            name = exporting.suggested(self._chosen_session, target, self._path)
        if self._path is not None and name == self._path.name:
            name = f"{Path(name).stem}-{target}{self._targets[target].SUFFIX}"
        is_slide = self._brief and target not in RECORDINGS
        return f"{Path(name).stem}-slide{self._targets[target].SUFFIX}" if is_slide else name

    # ---- the screen

    def compose(self) -> ComposeResult:
        count = len(self._session.experiments)
        with Vertical(classes="dialog export"):
            with Horizontal(classes="head"):
                yield Label("Export", classes="question")
                yield Label("", id="scope-name", markup=False)
                if count > 1:
                    yield Button("", id="scope", compact=True, action="screen.scope")
            with Horizontal(classes="both"):
                yield BrowseList(id="targets")
                with Vertical(id="paper"):
                    yield Static(id="about", markup=False)
                    with VerticalScroll(id="source", can_focus=True):
                        yield Static(id="text")
            yield Static(id="beside")
            with Horizontal(classes="foot"):
                yield Label("↑ ↓ choose · pgup pgdn scroll", classes="hint")
                yield Button("", id="snippet", compact=True, action="screen.snippet")
                yield Button("Copy (^c)", id="copy", compact=True, action="screen.copy")
                yield Button("Save (^s)", id="save", compact=True, action="screen.save")
                yield Button("Close (esc)", id="close", compact=True, action="screen.dismiss")

    def on_mount(self) -> None:
        listed = self.query_one(OptionList)
        listed.add_options(Option(Content(name)) for name in self._targets)
        self._say_scope()
        listed.highlighted = 0 if self._targets else None
        listed.focus()
        if not self._targets:
            self._show(Content("There is no target to export to."))

    def _say_scope(self) -> None:
        count = len(self._session.experiments)
        one = f"experiment {plain(self._experiment.name, 40)}"
        words = f"the whole session, {count} experiments" if self._whole and not self._brief else one
        self.query_one("#scope-name", Label).update(words)
        if count > 1:
            other = "This one alone (F2)" if self._whole else f"All {count} experiments (F2)"
            self.query_one("#scope", Button).label = other
            self.query_one("#scope", Button).display = not self._brief
        self.query_one("#snippet", Button).label = "All of it (F4)" if self._brief else "For a slide (F4)"

    # ---- the source text

    @on(OptionList.OptionHighlighted)
    def _show_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show_or_make()

    def _show_or_make(self) -> None:
        """Shows the chosen export, or has it made once the choice rests."""
        target = self._target
        if target is None:
            return
        self.query_one("#about", Static).update(printable(self._targets[target].ABOUT))
        if self._preview is not None:
            self._background.forget()
            self._show_preview(self._preview)
            return
        self._show(Content.styled(f"making {target} … esc stops it", "$hint"))
        self.once_it_rests(LATE, self._make_export)

    def _make_export(self) -> None:
        target = self._target
        if target is not None and self._preview is None:
            self._background.ask(self._key, self._export_job(target, stem_of(self._file_name(target))))

    def _export_job(self, target: str, stem: str) -> Callable[[], Preview]:
        make, language, name = self._maker(target, stem), self._targets[target].SUFFIX[1:], self._file_name(target)

        def job() -> Preview:
            export = make()
            if isinstance(export.content, str):
                return Preview(export, coloured(export.content, language))
            what = f"{plain(name)} is {IS.get(target, 'a binary file')}: {len(export.data):,} bytes."
            return Preview(export, Content.assemble((what, "bold"), "\n\nctrl+s saves it."))

        return job

    @on(BackgroundJob.Done)
    def _keep_preview(self, event: BackgroundJob.Done) -> None:
        event.stop()
        key, preview, refused = event.key, event.outcome, sentence(event.outcome)
        assert isinstance(key, tuple)
        if refused is not None:
            advice = self._advice(event.outcome, key[1])
            words = Content.assemble(("✘ ", "bold $error"), refused, (f"\n\n{advice}", "bold"))
            preview = Preview(None, words)
        assert isinstance(preview, Preview)
        self._previews[key] = preview
        if key == self._key:
            self._show_preview(preview)

    def _advice(self, error: object, whole: bool) -> str:
        if not isinstance(error, InvalidDescError):
            return "Another target may do." if len(self._targets) > 1 else ""
        alone = " F2 exports this experiment alone." if whole and self._experiment.check().ok is not False else ""
        return f"Beside the picture, F3 goes to the field and f mends it.{alone}"

    def _show(self, held: Content, beside: str = "") -> None:
        """Shows a text from its beginning, and below it what saving writes."""
        self.query_one("#text", Static).update(held)
        self.query_one("#source").scroll_home(animate=False)
        self.query_one("#beside", Static).update(Content(beside))

    def _show_preview(self, preview: Preview) -> None:
        target, export = self._target, preview.export
        assert target is not None
        self._show(preview.shown, self._files_line(target, export) if export is not None else "")

    def _files_line(self, target: str, export: Export) -> str:
        """One line on what saving writes: the file, its size, and the arrays beside it."""
        held, files = export.content, export.files
        lines = held.count("\n") if isinstance(held, str) else 0
        size = f"{lines:,} lines, {length_in_words(held)}" if isinstance(held, str) else f"{len(held):,} bytes"
        name = plain(self._file_name(target), 60)
        if files:
            total = sum(array.nbytes for array in files.values())
            named = ", ".join(plain(file, 60) for file in files)
            return f"{name}  and beside it {named}  {size}, {total:,} bytes beside it"
        return f"{name}  {size}, no files beside it"

    # ---- what is done with it

    @on(OptionList.OptionSelected)
    def _save_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_save()

    def action_scope(self) -> None:
        """Switches between the whole session and its one experiment; does nothing where it has only one."""
        if len(self._session.experiments) > 1:
            self._whole = not self._whole
            self._say_scope()
            self._show_or_make()

    def action_snippet(self) -> None:
        """Switches between the few lines of a slide and all that a target says."""
        self._brief = not self._brief
        self._say_scope()
        self._show_or_make()

    def action_page(self, by: int) -> None:
        view = self.query_one("#source")
        view.scroll_relative(y=by * max(1, view.size.height - 2), animate=False)

    def action_copy(self) -> None:
        export = self._ready_export()
        if export is None:
            return
        what, held = f"the {self._target} export", export.content
        if not isinstance(held, str):
            self.notify(f"{what} is no text: ctrl+s saves it.", markup=False)
        elif not fits_clipboard(held):
            self.notify(too_long_sentence(what, held), markup=False)
            self.action_save()
        else:
            self.app.copy_to_clipboard(held)
            hint = "Where the terminal keeps no clipboard, ctrl+s makes a file."
            if export.files:
                hint = f"It reads {len(export.files)} .npy beside it: ctrl+s saves those too."
            self.notify(f"copied {what}: {length_in_words(held)}. {hint}", markup=False)

    def _ready_export(self) -> Export | None:
        """The chosen export; None, with a notice, where it is refused or not made yet."""
        preview = self._preview
        if preview is not None and preview.export is None:
            self.notify("There is nothing to copy or save: the target refuses.", severity="warning", markup=False)
        elif preview is None and self._target is not None:
            self.notify("It is being made still.", markup=False)
        return preview.export if preview is not None else None

    @work(exclusive=True)
    async def action_save(self) -> None:
        from .ask_name import write_asked

        export, target = self._ready_export(), self._target
        if export is None or target is None:
            return
        if (downloads := downloads_of(self.app)) is not None:
            if sent := await downloads.send(self._file_name(target), export.data, export.files):
                self.notify(f"your browser has {sent}, the {target} export", markup=False)
            else:
                self.notify("The browser didn't take the export, expected it to be saved.", severity="error")
            return
        folder = self._path.parent if self._path is not None else Path()
        name = str(folder / self._file_name(target))
        await write_asked(self, f"Write the {target} export to", name, partial(self._write, export, target))

    async def _write(self, made: Export, target: str, name: str) -> str:
        """Writes the export to the named file; gives what to tell, "" where files there aren't to be replaced."""
        from .asking import AskReplace

        path = path_of(name)
        export: Export | None = made
        stem = stem_of(path)
        if made.files and stem != stem_of(self._file_name(target)):  # arrays are named after the file
            export = await wait_for_job(self.app, f"making {target}", self._maker(target, stem))
        if export is None:
            return STOPPED
        there = [file for file in paths(export, path) if file.exists()]
        if there and not await self.app.push_screen_wait(AskReplace(_first_name(there))):
            return ""
        if not await wait_for_job(self.app, f"writing {plain(name)}", partial(_write_files, export, path)):
            return STOPPED
        beside = f", and {len(export.files)} .npy beside it" if export.files else ""
        return f"wrote the {target} export to {plain(name)}{beside}"

    def on_unmount(self) -> None:
        self._background.forget()


def _write_files(export: Export, path: Path) -> bool:
    """Writes the files; True always, since None says that it was stopped."""
    write(export, path)
    return True


def _first_name(files: Sequence[Path]) -> str:
    """The first file's name, and how many more there are, for a question."""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{plain(files[0].name, 50)}{more}"
