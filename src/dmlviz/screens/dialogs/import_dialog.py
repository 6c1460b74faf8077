"""The import: text that is pasted, or a file, with what was found in it while it is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Label, Static, TextArea

from ...desc.base import Part
from ...desc.tensors import braces
from ...errors import DmlvizError, plain
from ...importers.lib.imported import Imported, Remark, checked
from ...importers.lib.importing import read
from ...operators.registry import operator_of
from ...operators.report import Check, Report
from ...session.experiments import Experiment
from ...session.notes import printable
from ...session.reading import read_file
from ...widgets.lib.text_editor import TextEditor
from ..background_job import BackgroundJob, sentence
from ..downloads import NO_FILES, downloads_of
from .ask_name import AskName
from .dialog import Dialog
from .file_names import path_of
from .file_opening import PASTED, first_trouble, importable, summary

LATE = 0.15
"""Seconds that typing rests before the text is read."""
MOST_TYPED = 100_000
"""Characters that are put into the field; more are held beside it, whole."""
MOST_TENSORS = 3
"""Of each side, in the line of an experiment."""
MOST_SAID = 300
"""Characters of a remark."""
MOST_EXPERIMENTS, MOST_REMARKS = 200, 500
"""That are listed; the others are counted."""


class Source(Struct, frozen=True):
    """What is read, and where it is from."""

    data: bytes
    name: str = PASTED
    folder: Path | None = None

    @property
    def text(self) -> str | None:
        """Its text; None where a field can't show it whole: too long, or with what a terminal would act on."""
        try:
            text = self.data.decode("utf-8-sig").replace("\r\n", "\n") if len(self.data) <= 4 * MOST_TYPED else ""
        except UnicodeDecodeError:
            return None
        return text if text and len(text) <= MOST_TYPED and printable(text) == text else None


class Checked(Struct, frozen=True):
    """What was read, with a report on each experiment."""

    imported: Imported
    reports: tuple[Report, ...]


class PasteField(TextEditor):
    """A field that leaves to the dialog what it can't show as it is."""

    async def _on_paste(self, event: events.Paste) -> None:
        if self.read_only or _pasted(event.text).text is None:
            event.prevent_default()
        else:
            event.stop()  # Textual's own handler comes next, and puts it in


def _pasted(text: str) -> Source:
    return Source(text.encode(errors="replace"))


class Taken(Struct, frozen=True):
    """How an import ended."""

    imported: Imported | None
    """What is to be taken; None where the import was cancelled."""
    opens: bool
    """It is to be a session of its own, and not added to the present one."""
    text: str
    """What was pasted or typed, for the next import."""


class ImportDialog(Dialog[Taken]):
    """Reads what is pasted or typed, beginning with `text`; says what of it is to be taken, and how."""

    BINDINGS = [
        Binding("escape", "close", "Cancel", priority=True, id="import.cancel"),
        Binding("ctrl+enter", "add", "Add to this session", priority=True, id="import.add"),
        Binding("a", "add", "Add to this session", id="import.add-letter"),
        Binding("o", "open", "Open as a new session", id="import.open"),
        Binding("f", "file", "From a file", id="import.file"),
    ]

    def __init__(self, text: str, may_leave: Callable[[], Awaitable[bool]]) -> None:
        """`may_leave` asks, over this dialog, about what a new session would lose; True where it may be opened."""
        super().__init__()
        self._text, self._may_leave = text, may_leave
        self._source = Source(b"")
        self._is_typed = False
        self._checked: Checked | None = None
        self._background = BackgroundJob(self)
        self._turn = 0  # grows with each change; what was read of an older text isn't shown

    # ---- the screen

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog import"):
            yield Label("Import", classes="question")
            yield PasteField(id="pasted", soft_wrap=True, tab_behavior="focus")
            with VerticalScroll(id="report", can_focus=True):
                yield Static(id="said")
            with Horizontal(classes="buttons flow"):
                yield Button("Add to this session (a)", id="add", compact=True, disabled=True, action="screen.add")
                yield Button("New session (o)", id="open", compact=True, disabled=True, action="screen.open")
                yield Button("From a file (f)", id="file", compact=True, action="screen.file")
                yield Button("Cancel (esc)", id="close", compact=True, action="screen.close")
            yield Label("tab goes to the buttons · ctrl+enter adds from anywhere", classes="hint")

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()
        self._take(_pasted(self._text))

    def on_unmount(self) -> None:
        self._background.forget()

    # ---- what is to be read

    def _take(self, source: Source) -> None:
        """Reads what was pasted or came out of a file; shows it in the field where that can."""
        area, text = self.query_one(TextArea), source.text if source.data else ""
        self._source, self._is_typed, area.read_only = source, False, text is None
        name = plain(source.name).rpartition("/")[2]
        with self.prevent(TextArea.Changed):
            area.text = f"{name}: {len(source.data):,} bytes, read whole but not shown here" if text is None else text
        area.focus()
        self._read_later()

    @on(TextArea.Changed)
    def _take_typed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._text = event.text_area.text
        before = self._source if self._text else Source(b"")  # what is typed next is from nowhere
        self._source = Source(self._text.encode(errors="replace"), before.name, before.folder)
        self._is_typed = True
        self._read_later()

    def on_paste(self, event: events.Paste) -> None:
        """Takes text that is pasted beside the field, or is too long for it."""
        event.stop()
        self._text = event.text
        self._take(_pasted(event.text))

    def _read_later(self) -> None:
        """Has what is there read once it rests; until then nothing can be added or opened."""
        self._turn += 1
        self._background.forget()
        self._offer(None)
        if self._source.data.strip():
            self.once_it_rests(LATE, self._begin_reading)
        else:
            asks, how = ("Paste here what you have:", "bold"), ("\nIt is read while you type, and never run.", "$hint")
            self._say(Content.assemble(asks, f"\n{importable()}.", how))

    def _begin_reading(self) -> None:
        if self._source.data.strip():
            self._say(Content.styled("reading … esc stops it", "$hint"))
            self._background.ask(self._turn, partial(_read_and_checked, self._source))

    @on(BackgroundJob.Done)
    def _show_outcome(self, event: BackgroundJob.Done) -> None:
        event.stop()
        if event.key != self._turn:
            return
        refused = sentence(event.outcome)
        if refused is not None:
            self._say(Content.assemble(("✘ ", "bold $error"), refused))
            return
        checked = event.outcome
        assert isinstance(checked, Checked)
        self._say(Content("\n").join(_report_lines(checked)))
        self._offer(checked)
        if not self._is_typed:
            self.query_one("#add", Button).focus()  # it came as it is: enter takes it

    def _offer(self, checked: Checked | None) -> None:
        """Lets add and open take what was read; None lets them take nothing."""
        self._checked = checked
        for name in ("add", "open"):
            button = self.query_one(f"#{name}", Button)
            if checked is None and button.has_focus:
                self.query_one(TextArea).focus()
            button.disabled = checked is None

    def _say(self, held: Content) -> None:
        """Shows what was found."""
        self.query_one("#said", Static).update(held)
        self.query_one("#report").scroll_home(animate=False)

    # ---- what is done with it

    def action_close(self) -> None:
        self.dismiss(Taken(None, False, self._text))

    def action_add(self) -> None:
        """Adds what was found to the session."""
        if self._checked is not None:
            self.dismiss(Taken(self._checked.imported, False, self._text))

    @work(exclusive=True)
    async def action_open(self) -> None:
        """Opens what was found as a session of its own; unsaved changes are asked about."""
        checked = self._checked
        if checked is not None and await self._may_leave():
            self.dismiss(Taken(checked.imported, True, self._text))

    @work(exclusive=True)
    async def action_file(self) -> None:
        """Reads a file that is asked for."""
        if downloads_of(self.app) is not None:
            self.notify(NO_FILES, severity="warning", markup=False)
            return
        name: str | None = ""
        asks = partial(AskName, "Import from a file", does="reads it")
        while (name := await self.app.push_screen_wait(asks(name or ""))) is not None:
            try:
                data, shown, folder = await asyncio.to_thread(read_file, path_of(name))
            except DmlvizError as error:
                self.notify(str(error), severity="error", markup=False)
            else:
                self._take(Source(data, shown, folder))
                return


def _read_and_checked(source: Source) -> Checked:
    imported = read(source.data, source.name, source.folder)
    faults: dict[int | None, list[Check]] = {}
    for remark in imported.remarks:
        if remark.check is not None:
            faults.setdefault(remark.experiment, []).append(remark.check)
    several = enumerate(imported.experiments[:MOST_EXPERIMENTS])
    return Checked(imported, tuple(checked(one, faults.get(i, ())) for i, one in several))


def _report_lines(checked: Checked) -> list[Content]:
    """What was read, an experiment on each line, and then what was taken or left of each place."""
    every, remarks = checked.imported.experiments, checked.imported.remarks
    lines = [Content.styled(summary(checked.imported), "bold")]
    lines += map(_experiment_line, every, checked.reports)
    if len(every) > MOST_EXPERIMENTS:
        lines.append(Content.styled(f"… {len(every) - MOST_EXPERIMENTS:,} more experiments", "$hint"))
    lines += map(_remark_line, remarks[:MOST_REMARKS])
    if len(remarks) > MOST_REMARKS:
        lines.append(Content.styled(f"… {len(remarks) - MOST_REMARKS:,} more places", "$hint"))
    return lines


def _experiment_line(one: Experiment, report: Report) -> Content:
    desc, bad = one.desc, "bold $error" if report.ok is False else "bold $accent"
    kind = f"{desc.inputs[0].tensor.data_type.name} " if desc.inputs else ""  # a list of tensors may be empty
    line = Content.assemble(
        (f"{report.verdict.mark} ", bad),
        (plain(one.name, 24) or "(no name)", "bold"),
        f"  {operator_of(desc).name} {kind}{_sizes(desc.inputs) or 'nothing'} → {_sizes(desc.outputs) or '?'}",
        (f"  {report.verdict} at {one.feature_level}", "$hint"),
    )
    trouble = first_trouble(report)
    return line.append(Content.styled(f"\n  {_clean(trouble)}", bad)) if trouble else line


def _sizes(parts: Sequence[Part]) -> str:
    """The sizes of the first few tensors."""
    return " ".join(braces(part.tensor.sizes) for part in parts[:MOST_TENSORS]) + " …" * (len(parts) > MOST_TENSORS)


def _remark_line(remark: Remark) -> Content:
    words = f"{_clean(remark.where)}  {_clean(remark.text)}".lstrip()
    return Content.assemble(("✔ ", "bold $accent"), words) if remark.taken else Content.styled(f"… {words}", "$hint")


def _clean(text: str) -> str:
    """A reader's words on one line, printable, and cut where they are long."""
    text = " ".join(printable(text).split())
    return text if len(text) <= MOST_SAID else f"{text[: MOST_SAID - 1]}…"
