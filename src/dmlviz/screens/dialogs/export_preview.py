"""The export: every target with its source text, to be copied or saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import Struct
from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
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
from ...widgets.lib.inks import Inks, inks_of
from ...widgets.lib.source_view import Source, SourceView, coloured
from ..background_job import BackgroundJob, sentence
from ..downloads import downloads_of
from .copy_text import fits_clipboard, length_in_words, too_long_sentence
from .dialog import Dialog
from .file_names import path_of
from .working import wait_for_job

LATE = 0.08
"""Seconds that a choice rests before it is made."""
ROOMY = 44
"""Lines from which every target's sentence stands in the list, where it isn't narrow."""
STOPPED = "stopped: nothing was written"
Key = tuple[str, bool, bool]
"""A target, whether the whole session is exported, and whether it is a snippet."""


class Preview(Struct, frozen=True):
    """An export that is ready to be looked at."""

    export: Export
    stem: str
    source: Source | None
    """None for what is no text."""


class Refused(Struct, frozen=True):
    """Why a target can't say it, and what to do."""

    why: str
    advice: str


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

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._session, self._path = document.session, document.path
        self._experiment = document.experiment
        self._whole = self._brief = False
        self._targets: dict[str, Target] = {name: exporting.target_of(name) for name in exporting.targets()}
        self._targets |= RECORDINGS
        self._previews: dict[Key, Preview | Refused] = {}
        self._background = BackgroundJob(self)

    # ---- what is chosen

    @property
    def _target(self) -> str | None:
        at = self.query_one(OptionList).highlighted
        return list(self._targets)[at] if at is not None and self._targets else None

    @property
    def _preview(self) -> Preview | Refused | None:
        """The chosen target's export or refusal; None where it isn't made yet."""
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
                    yield SourceView(id="source")
                    yield Static(id="instead")
            yield Static(id="beside")
            with Horizontal(classes="foot"):
                yield Label("", classes="hint", id="keys-hint")
                yield Button("", id="snippet", compact=True, action="screen.snippet")
                yield Button("Copy (^c)", id="copy", compact=True, action="screen.copy")
                yield Button("Save (^s)", id="save", compact=True, action="screen.save")
                yield Button("Close (esc)", id="close", compact=True, action="screen.dismiss")

    def on_mount(self) -> None:
        self._fit_window()
        self._fill_list()
        self._say_scope()
        listed = self.query_one(OptionList)
        listed.highlighted = 0 if self._targets else None
        listed.focus()
        if not self._targets:
            self._instead(Text("There is no target to export to."))

    def on_resize(self) -> None:
        if self._fit_window():
            self._fill_list()

    def _fit_window(self) -> bool:
        """Sets the class for the window's size; True where the list is to be filled anew."""
        before = self.has_class("short")
        self.set_class(self.is_narrow or self.size.height < ROOMY, "short")
        hint = "↑ ↓ choose · pgup pgdn scroll" if self.size.width >= 90 else "↑ ↓ · pgup pgdn"
        self.query_one("#keys-hint", Label).update(hint)
        return before != self.has_class("short")

    def _fill_list(self) -> None:
        listed = self.query_one(OptionList)
        at = listed.highlighted
        options = []
        for name, target in self._targets.items():
            line = Text(name, "bold")
            if not self.has_class("short"):
                line.append(f"\n{printable(target.ABOUT)}", "not bold")
            options.append(Option(line))
        with self.prevent(OptionList.OptionHighlighted):
            listed.clear_options()
            listed.add_options(options)
            listed.highlighted = at

    def _say_scope(self) -> None:
        count = len(self._session.experiments)
        one = f"experiment {plain(self._experiment.name, 40)}"
        words = f"the whole session, {count} experiments" if self._whole and not self._brief else one
        self.query_one("#scope-name", Label).update(Text(words, no_wrap=True, overflow="ellipsis"))
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
        self.query_one("#about", Static).update(Text(printable(self._targets[target].ABOUT)))
        if self._preview is not None:
            self._background.forget()
            self._show_preview()
            return
        self._instead(Text(f"making {target} … esc stops it", self._inks.muted.hex))
        self.once_it_rests(LATE, self._make_export)

    def _make_export(self) -> None:
        target = self._target
        if target is not None and self._preview is None:
            self._background.ask(self._key, self._export_job(target, stem_of(self._file_name(target))))

    def _export_job(self, target: str, stem: str) -> Callable[[], Preview]:
        make, language = self._maker(target, stem), self._targets[target].SUFFIX[1:]

        def job() -> Preview:
            export = make()
            content = export.content
            return Preview(export, stem, coloured(content, language) if isinstance(content, str) else None)

        return job

    @on(BackgroundJob.Done)
    def _keep_preview(self, event: BackgroundJob.Done) -> None:
        event.stop()
        key = event.key
        assert isinstance(key, tuple)
        refused = sentence(event.outcome)
        if refused is not None:
            self._previews[key] = Refused(refused, self._advice(event.outcome, key[1]))
        else:
            assert isinstance(event.outcome, Preview)
            self._previews[key] = event.outcome
        if key == self._key:
            self._show_preview()

    def _advice(self, error: object, whole: bool) -> str:
        if not isinstance(error, InvalidDescError):
            return "Another target may do." if len(self._targets) > 1 else ""
        alone = " F2 exports this experiment alone." if whole and self._experiment.check().ok is not False else ""
        return f"Beside the picture, F3 goes to the field and f mends it.{alone}"

    @property
    def _inks(self) -> Inks:
        return inks_of(self.app.theme_variables, "background")

    def _instead(self, text: Text) -> None:
        """Shows a few words in the source text's place."""
        self.set_class(False, "shown")
        if self.focused is not None and self.focused.id == "source":
            self.query_one(OptionList).focus()
        self.query_one("#instead", Static).update(text)
        self.query_one("#beside", Static).update("")

    def _show_preview(self) -> None:
        target, preview = self._target, self._preview
        assert target is not None
        inks = self._inks
        if isinstance(preview, Refused):
            words = Text.assemble(("✘ ", f"bold {inks.error.hex}"), (preview.why, inks.text.hex))
            self._instead(words.append(f"\n\n{preview.advice}", f"bold {inks.text.hex}"))
            return
        if preview is None:
            return
        if preview.source is None:
            kind = IS.get(target, "a binary file")
            what = f"{plain(self._file_name(target))} is {kind}: {len(preview.export.data):,} bytes."
            words = Text.assemble((what, f"bold {inks.text.hex}"), ("\n\nctrl+s saves it.", inks.text.hex))
            self._instead(words)
        else:
            self.set_class(True, "shown")
            self.query_one(SourceView).show(preview.source)
        self.query_one("#beside", Static).update(self._files_line(target, preview.export))

    def _files_line(self, target: str, export: Export) -> Text:
        """One line on what saving writes: the file, its size, and the arrays beside it."""
        inks = inks_of(self.app.theme_variables, "surface")
        content, files = export.content, export.files
        lines = content.count("\n") if isinstance(content, str) else 0
        size = f"{lines:,} lines, {length_in_words(content)}" if isinstance(content, str) else f"{len(content):,} bytes"
        text = Text().append(plain(self._file_name(target), 60), f"bold {inks.text.hex}")
        if files:
            total = sum(array.nbytes for array in files.values())
            text.append(f"  and beside it {', '.join(plain(name, 60) for name in files)}", inks.text.hex)
            return text.append(f"  {size}, {total:,} bytes beside it", inks.muted.hex)
        return text.append(f"  {size}, no files beside it", inks.muted.hex)

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
        view = self.query_one(SourceView)
        view.scroll_relative(y=by * max(1, view.size.height - 2), animate=False)

    def action_copy(self) -> None:
        preview = self._ready_export()
        if preview is None:
            return
        what, content = f"the {self._target} export", preview.export.content
        if not isinstance(content, str):
            self.notify(f"{what} is no text: ctrl+s saves it.", markup=False)
        elif not fits_clipboard(content):
            self.notify(too_long_sentence(what, content), markup=False)
            self.action_save()
        else:
            self.app.copy_to_clipboard(content)
            hint = "Where the terminal keeps no clipboard, ctrl+s makes a file."
            if preview.export.files:
                hint = f"It reads {len(preview.export.files)} .npy beside it: ctrl+s saves those too."
            self.notify(f"copied {what}: {length_in_words(content)}. {hint}", markup=False)

    def _ready_export(self) -> Preview | None:
        """The chosen export; None, with a notice, where it is refused or not made yet."""
        preview = self._preview
        if isinstance(preview, Preview):
            return preview
        if isinstance(preview, Refused):
            self.notify("There is nothing to copy or save: the target refuses.", severity="warning", markup=False)
        elif self._target is not None:
            self.notify("It is being made still.", markup=False)
        return None

    @work(exclusive=True)
    async def action_save(self) -> None:
        from .ask_name import write_asked

        preview, target = self._ready_export(), self._target
        if preview is None or target is None:
            return
        if (downloads := downloads_of(self.app)) is not None:
            export = preview.export
            if sent := await downloads.send(self._file_name(target), export.data, export.files):
                self.notify(f"your browser has {sent}, the {target} export", markup=False)
            else:
                self.notify("The browser didn't take the export, expected it to be saved.", severity="error")
            return
        folder = self._path.parent if self._path is not None else Path()
        name = str(folder / self._file_name(target))
        await write_asked(self, f"Write the {target} export to", name, partial(self._write, preview, target))

    async def _write(self, preview: Preview, target: str, name: str) -> str:
        """Writes the export to the named file; gives what to tell, "" where files there aren't to be replaced."""
        from .asking import AskReplace

        path = path_of(name)
        export: Export | None = preview.export
        if preview.export.files and (stem := stem_of(path)) != preview.stem:  # arrays are named after the file
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
