"""The import: text that is pasted or typed, with what was found in it while it is typed."""

from __future__ import annotations

import asyncio
from functools import partial

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static, TextArea

from ...errors import plain
from ...importers.lib.imported import Imported, Remark, checked
from ...importers.lib.importing import formats, read
from ...operators.registry import operator_of
from ...operators.report import Check, Report
from ...session.experiments import Experiment
from ...session.notes import printable
from ...widgets.lib.text_editor import TextEditor
from ..background_job import REFUSALS, in_thread, sentence
from .dialog import Dialog
from .file_opening import PASTED, first_trouble, summary

LATE = 0.15
"""Seconds that typing rests before the text is read."""
MOST_SAID = 300
"""Characters of a remark."""
MOST_LISTED = 200
"""Experiments, and remarks; the others are counted."""


class ImportDialog(Dialog[tuple[Imported, bool] | None]):
    """Reads what is pasted or typed, beginning with `text`; None where the import was cancelled.

    Else what is to be taken, and True where it is to be a session of its own.
    """

    KIND = "import"
    BINDINGS = [
        Binding("ctrl+enter", "take(False)", priority=True, show=False, id="import.add"),
        Binding("a,enter", "take(False)", "Add", id="import.add-letter"),
        Binding("o", "take(True)", "New session", id="import.open"),
        Binding("escape", "dismiss(None)", "Cancel", priority=True, id="import.cancel"),
    ]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        """What was pasted, as it is, or typed."""
        self._imported: Imported | None = None

    # ---- the screen

    def compose(self) -> ComposeResult:
        field = TextEditor(id="pasted", soft_wrap=True, tab_behavior="focus")
        report = VerticalScroll(Static(id="said"), id="report", can_focus=True)
        yield self.frame("Import", field, report)

    def on_mount(self) -> None:
        self._take(self.text)

    # ---- what is to be read

    def _take(self, pasted: str) -> None:
        """Reads what was pasted, and shows it in the field as far as a terminal may show it."""
        area = self.query_one(TextArea)
        with self.prevent(TextArea.Changed):
            area.text = printable(pasted.replace("\r\n", "\n").replace("\r", "\n"))
        area.focus()
        self._read_later(pasted, is_typed=False)

    @on(TextArea.Changed)
    def _take_typed(self, event: TextArea.Changed) -> None:
        text = event.text_area.text
        self._read_later(text, is_typed=bool(self.text) or len(text) < 2)  # what comes all at once was pasted

    def _read_later(self, text: str, *, is_typed: bool) -> None:
        """Has what is there read once it rests; until then nothing can be added or opened."""
        self.text = text
        self._offer(None)
        self._have_it_read(text, is_typed=is_typed)

    @work(exclusive=True, group="reading")
    async def _have_it_read(self, text: str, *, is_typed: bool) -> None:
        if not text.strip():
            how = "\nIt is read while you type, and never run; tab leaves it."
            self.tell(
                "said", Content.assemble(("Paste here what you have:", "bold"), f"\n{formats()}.", (how, "$hint"))
            )
            return
        self.tell("said", Content.styled("reading … esc stops it", "$hint"))
        await asyncio.sleep(LATE)
        try:
            imported, said = await in_thread(partial(_read, text))
        except REFUSALS as error:
            self.tell("said", Content.assemble(("✘ ", "bold $error"), sentence(error)))
            return
        in_text = is_typed and self.query_one(TextArea).has_focus
        self.tell("said", Content.assemble(("tab leaves the text; then a adds.\n" * in_text, "$hint"), said))
        self._offer(imported)
        if not is_typed:
            self.query_one("#report").focus()  # it came as it is: enter takes it

    def _offer(self, imported: Imported | None) -> None:
        """Lets add and open take what was read; None lets them take nothing."""
        self._imported = imported
        for name in ("add-letter", "open"):
            self.query_one(f"#{name}").disabled = imported is None

    # ---- what is done with it

    def action_take(self, opens: bool) -> None:
        if self._imported is not None:
            self.dismiss((self._imported, opens))


def _read(text: str) -> tuple[Imported, Content]:
    """What was read; an experiment on each line, and then what was taken or left of each place."""
    imported = read(text.encode(errors="replace"), PASTED)
    faults: dict[int | None, list[Check]] = {}
    for remark in imported.remarks:
        if remark.check is not None:
            faults.setdefault(remark.experiment, []).append(remark.check)
    lines = [Content.styled(summary(imported), "bold")]
    for i, one in enumerate(imported.experiments[:MOST_LISTED]):
        lines.append(_experiment_line(one, checked(one, faults.get(i, ()))))
    lines += map(_remark_line, imported.remarks[:MOST_LISTED])
    if left := len(imported.experiments) + len(imported.remarks) + 1 - len(lines):
        lines.append(Content.styled(f"… {left:,} more lines", "$hint"))
    return imported, Content("\n").join(lines)


def _experiment_line(one: Experiment, report: Report) -> Content:
    desc, bad = one.desc, "bold $error" if report.ok is False else "bold $accent"
    reads, writes = (", ".join(str(part.tensor) for part in parts) for parts in (desc.inputs, desc.outputs))
    line = Content.assemble(
        (f"{report.verdict.mark} ", bad),
        (plain(one.name, 24) or "(no name)", "bold"),
        plain(f"  {operator_of(desc).name} {reads or 'nothing'} → {writes or '?'}", MOST_SAID),
        (f"  {report.verdict} at {one.feature_level}", "$hint"),
    )
    trouble = first_trouble(report)
    return line.append(Content.styled(f"\n  {plain(trouble, MOST_SAID)}", bad)) if trouble else line


def _remark_line(remark: Remark) -> Content:
    words = f"{plain(remark.where, MOST_SAID)}  {plain(remark.text, MOST_SAID)}".lstrip()
    return Content.assemble(("✔ ", "bold $accent"), words) if remark.taken else Content.styled(f"… {words}", "$hint")
