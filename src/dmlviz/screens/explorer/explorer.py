"""The main screen: what you build at the left, where every element goes at the right."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...operators.report import Report
from ...scene.figure import Cursor
from ...scene.level_strip import level_strip
from ...scene.pins import Pins
from ...scene.player import Player
from ...scene.shown import Shown, scan, show
from ...scene.stack import Scene
from ...scene.steps import Steps
from ...scene.vision import Vision
from ...scene.zoom import Zoom
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.history import History
from ...session.recent_files import Recent
from ...session.recovery import Keeper
from ...widgets.footer_line import FooterLine
from ...widgets.form import Form
from ...widgets.header_line import HeaderLine
from ...widgets.kernel_panel import KernelPanel
from ...widgets.level_strip import LevelStripLine
from ...widgets.memory_strip import MemoryStrip
from ...widgets.notes_panel import NotesPanel
from ...widgets.painted import Column, Ground, Row
from ...widgets.rules_panel import RulesPanel
from ...widgets.tensor_stack import TensorStack
from ...widgets.transport import Transport
from ...widgets.why_panel import WhyPanel
from ...worker.client import Readiness, Runner, Running, same_run
from ...workspace.form_edits import grown, moved
from ...workspace.form_rows import form_rows
from .. import fields
from ..bindings import BINDINGS, LETTER_ACTIONS
from ..cell_typing import CellTyping
from ..picture import Picture
from ..reasons import Reasons
from ..running import Runs
from . import files, focus_and_layout


class Explorer(Screen[None], Ground):
    """The explorer on one session."""

    AUTO_FOCUS = "#outputs"

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    class Preferred(Message):
        """The user likes a setting to be so, from now on."""

        def __init__(self, name: str, value: object) -> None:
            super().__init__()
            self.name = name
            self.value = value

    class Timed(Message):
        """How far run `number` is, or what came of it."""

        def __init__(self, number: int, state: Running) -> None:
            super().__init__()
            self.number = number
            self.state = state

    class Readied(Message):
        """A kernel is further on its way to its first run."""

        def __init__(self, readiness: Readiness) -> None:
            super().__init__()
            self.readiness = readiness

    class Scanned(Message):
        """A long scan of values is made: what `shown` says when it is whole."""

        def __init__(self, shown: Shown, whole: Report) -> None:
            super().__init__()
            self.shown = shown
            self.whole = whole

    def __init__(self, session: Session, path: Path | None) -> None:
        super().__init__()
        self.document = Document(session, path)
        self.shown: Shown = show(session.experiments[0])
        self.said: dict[str, str] = {}  # sentences about fields that can't be read
        self._scanning = False
        self.rows = form_rows(self.experiment, self.shown.report)
        self.footer = FooterLine(id="footer")
        self.picture = Picture(self)
        self.runs = Runs(self)
        self.reasons = Reasons(self)
        self.typing = CellTyping(self)
        self.letters: frozenset[str] = frozenset()
        """Actions that a user put on a letter or a digit."""
        self.pasted = ""
        """What was pasted to be imported and hasn't been taken."""
        self.keeper: Keeper | None = None
        self.recent: Recent | None = None

    @property
    def step(self) -> int | None:
        """The step that is shown; None where everything is written and the cursor is free."""
        return self.picture.step

    @property
    def scene(self) -> Scene | None:
        return self.picture.scene

    @property
    def steps(self) -> Steps | None:
        return self.picture.steps

    @property
    def cursor(self) -> Cursor | None:
        return self.picture.cursor

    @property
    def pins(self) -> Pins:
        return self.picture.pins

    @property
    def player(self) -> Player:
        return self.picture.player

    @player.setter
    def player(self, player: Player) -> None:
        self.picture.player = player

    @property
    def zoom(self) -> Zoom | None:
        return self.picture.zoom

    @zoom.setter
    def zoom(self, zoom: Zoom | None) -> None:
        self.picture.zoom = zoom

    @property
    def memory(self) -> bool | None:
        return self.picture.memory

    @memory.setter
    def memory(self, memory: bool | None) -> None:
        self.picture.memory = memory

    # ---- the document

    @property
    def history(self) -> History:
        return self.document.history

    @property
    def number(self) -> int:
        return self.document.number

    @property
    def path(self) -> Path | None:
        return self.document.path

    @property
    def experiment(self) -> Experiment:
        return self.document.experiment

    @property
    def dirty(self) -> bool:
        return self.document.dirty

    def compose(self) -> ComposeResult:
        focus_and_layout.fit(self, self.app.size)  # before there is anything that would be styled anew
        yield HeaderLine(id="header")
        with Row(id="body"):
            with Column(id="left"):
                yield Form(self.rows, id="form")
                yield LevelStripLine(id="levels")
                with Column(id="below"):
                    yield RulesPanel(id="rules")
                    yield NotesPanel(id="notes")
            with Column(id="right"):
                yield from self.picture.widgets()
                yield self.runs.panel
                yield self.reasons.panel
            yield NotesPanel(id="notes-wide")
        yield Static("space plays · arrows move the cell · ? lists the keys · F1 helps", id="hint")
        yield Static(focus_and_layout.TOO_SMALL, id="too-small")
        yield self.footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._redraw_all())
        self.picture.mounted()
        self._redraw_all()
        self._scan()

    def on_resize(self) -> None:
        focus_and_layout.fit(self, self.size)
        self.refresh_bindings()
        self._draw_header()
        self.call_after_refresh(self._draw)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if (action in LETTER_ACTIONS or action in self.letters) and self._in_form():
            return False
        if action == "fix":
            return self.reasons.fix(int(str(parameters[0]))) is not None
        if action == "next_broken":
            return bool(self.shown.why.reasons or self.said)
        if action == "swap":
            return self.has_class("narrow")
        if action in ("play", "step", "slower", "run", "unit", "bookmark", "to_bookmark", "type_value", "go_to"):
            return self.shown.live
        return True

    def _in_form(self) -> bool:
        focused = self.focused
        if focused is None:
            return False
        return self.typing.is_open or any(node.id == "form" for node in focused.ancestors_with_self)

    def edit(self, experiment: Experiment, key: object = None) -> None:
        """Makes an edited experiment the present one; edits with one key that follow each other undo as one."""
        self.document.edit(experiment, key)
        self.document_changed()

    def words_changed(self) -> None:
        """Shows other notes, names or titles: nothing that the picture depends on."""
        self.shown = replace(self.shown, experiment=self.experiment)
        self._draw_header()
        self._draw_notes()
        self._keep()

    def _draw_notes(self) -> None:
        for panel in self.query(NotesPanel):
            panel.show(self.experiment.notes)

    def _keep(self) -> None:
        files.keep(self)

    def prefer(self, name: str, value: object) -> None:
        """Remembers a setting for the next launch."""
        self.post_message(self.Preferred(name, value))

    def document_changed(self) -> None:
        """Shows the experiment that the document looks at now."""
        before = self.shown if self.shown.experiment.desc.TYPE == self.experiment.desc.TYPE else None
        if before is not None and before.experiment.name != self.experiment.name:
            before = None
        if not same_run(self.shown.experiment, self.experiment):
            self.runs.clear()
        self.shown = show(self.experiment, before)
        self.runs.changed()
        self.picture.changed()
        self.reasons.restart()
        self._redraw_all()
        self._scan()
        self._keep()

    def _scan(self) -> None:
        """Lets a thread make the scans that the picture waits for: one at a time, then what is shown by then."""
        if self.shown.waits and not self._scanning:
            self._scanning = True
            threading.Thread(target=self._make_scan, args=(self.shown,), daemon=True).start()

    def _make_scan(self, shown: Shown) -> None:
        try:
            whole = scan(shown)
        except (DmlvizError, MemoryError, OSError):
            whole = shown.report  # what waits goes on waiting
        self.post_message(self.Scanned(shown, whole))

    @on(Scanned)
    def _on_scanned(self, event: Scanned) -> None:
        self._scanning = False
        if event.shown is self.shown:
            self.shown = replace(self.shown, report=event.whole)
            self._redraw_all()
        else:
            self._scan()

    # ---- drawing

    def _redraw_all(self) -> None:
        shown = self.shown
        self.rows = form_rows(self.experiment, shown.report)
        moves = self.reasons.make_room(not shown.report.ok)
        self._draw_header()
        self.query_one(Form).mark(self.reasons.broken_rows())
        self.query_one(Form).show(self.rows)
        self.query_one(LevelStripLine).show(level_strip(self.experiment, shown.report))
        self.reasons.draw()
        self._draw_notes()
        moves = self.picture.draw_caption() or moves
        self.refresh_bindings()
        if moves or not self.picture.sides[0].size.height:
            self.call_after_refresh(self._draw)  # the room for the picture is known then
        else:
            self._draw()

    def _draw_header(self) -> None:
        count = len(self.history.now.experiments)
        self.query_one(HeaderLine).show(self.shown, self.number, count, len(self.said), self.dirty)

    def _draw(self) -> None:
        self.picture.draw()

    # ---- the form

    @on(Form.Edited)
    def _on_edited(self, event: Form.Edited) -> None:
        if not fields.typed(self, event.key, event.text):
            self._redraw_all()

    @on(Form.Grown)
    def _on_grown(self, event: Form.Grown) -> None:
        self.edit(grown(self.experiment, event.key, event.more))

    @on(LevelStripLine.Chosen)
    def _on_level_chosen(self, event: LevelStripLine.Chosen) -> None:
        self.edit(replace(self.experiment, feature_level=event.level))

    @on(LevelStripLine.Opened)
    def action_levels(self) -> None:
        from ..dialogs.levels import LevelsScreen

        self.app.push_screen(LevelsScreen(self.experiment, self.edit))

    @on(Form.Moved)
    def _on_moved(self, event: Form.Moved) -> None:
        self.edit(moved(self.experiment, event.key, event.by))

    @on(Form.Left)
    def _on_left(self, event: Form.Left) -> None:
        if fields.left(self, event.key):
            self._redraw_all()

    def on_descendant_blur(self) -> None:
        if fields.blurred(self):
            self._redraw_all()
        # Keys that came fast may be in the next field already, and on their way to the document.
        self.query_one(Form).refill(focused=False)

    def on_descendant_focus(self) -> None:
        self.refresh_bindings()

    # ---- the picture

    @on(TensorStack.Resized)
    def _on_resized(self) -> None:
        self._draw()

    @on(TensorStack.Pointed)
    @on(MemoryStrip.Pointed)
    def _on_pointed(self, event: TensorStack.Pointed | MemoryStrip.Pointed) -> None:
        self.picture.pointed(event.cursor)

    @on(TensorStack.Pinned)
    def _on_pinned(self, event: TensorStack.Pinned) -> None:
        self.picture.pin(event.cursor)

    def point(self, cursor: Cursor) -> None:
        """Looks at an element, and scrolls there."""
        self.picture.point(cursor)

    def action_memory(self) -> None:
        self.picture.turn_memory()

    def action_zoom(self, by: int) -> None:
        self.picture.turn_zoom(by)

    def action_type_value(self) -> None:
        self.picture.stop()
        self.typing.open()

    @work
    async def action_go_to(self) -> None:
        await self.picture.go_to()

    # ---- steps

    @on(Transport.Pressed)
    def _on_pressed(self, event: Transport.Pressed) -> None:
        self.picture.pressed(event.name)

    @on(Transport.Scrubbed)
    def _on_scrubbed(self, event: Transport.Scrubbed) -> None:
        self.picture.scrubbed(event.share)

    @on(Transport.Jumped)
    def _on_jumped(self, event: Transport.Jumped) -> None:
        self.picture.go(event.step)

    def action_step(self, by: int) -> None:
        self.picture.go_by(by)

    def action_first(self) -> None:
        self.picture.go(0)

    def action_last(self) -> None:
        self.picture.go_last()

    def action_play(self) -> None:
        self.picture.play_or_pause()

    def action_slower(self, by: int) -> None:
        self.picture.turn_speed(by)

    def action_unit(self, by: int) -> None:
        self.picture.turn_unit(by)

    def action_bookmark(self) -> None:
        self.picture.bookmark()

    def action_to_bookmark(self, by: int) -> None:
        self.picture.go_to_bookmark(by)

    # ---- rules and fixes

    @property
    def chosen(self) -> int | None:
        """The reason that is looked at, among `shown.why.reasons`."""
        return self.reasons.chosen

    def action_fix(self, number: int) -> None:
        self.reasons.mend(number)

    @on(WhyPanel.Chosen)
    @on(RulesPanel.Chosen)
    def _on_fix_chosen(self, event: WhyPanel.Chosen | RulesPanel.Chosen) -> None:
        self.reasons.mend(event.number)

    def action_next_broken(self) -> None:
        self.reasons.look_at_next()

    @on(WhyPanel.Picked)
    @on(RulesPanel.Picked)
    def _on_reason_picked(self, event: WhyPanel.Picked | RulesPanel.Picked) -> None:
        self.reasons.look_at(event.number)

    def action_details(self) -> None:
        self.reasons.turn_details()

    # ---- history and files

    def action_undo(self) -> None:
        if self.document.undo():
            self._after_history()

    def action_undo_letter(self) -> None:
        self.action_undo()

    def action_redo(self) -> None:
        if self.document.redo():
            self._after_history()

    def _after_history(self) -> None:
        self.said.clear()
        self.document_changed()
        self.call_after_refresh(self.query_one(Form).refill)

    def action_experiment(self, by: int) -> None:
        self.document.go(self.number + by)
        self.said.clear()
        self.picture.cursor = None
        self.document_changed()

    def open_session(self, session: Session, path: Path | None) -> None:
        """Shows another session; the one before has been saved or given up."""
        self.open_document(Document(session, path))

    def open_document(self, document: Document) -> None:
        """Shows another document; the one before has been saved or given up."""
        self.document = document
        self.picture.forget()
        self.said.clear()
        self.document_changed()

    @work
    async def action_open(self) -> None:
        await files.open_another(self)

    @work
    async def offer_lost(self) -> None:
        """Offers what an explorer left behind that ended without being asked to."""
        await files.offer_lost(self)

    @work
    async def action_new(self) -> None:
        await files.new(self)

    @work
    async def action_save(self) -> None:
        await files.save(self, self.path)

    @work
    async def action_save_as(self) -> None:
        await files.save(self, None)

    @work
    async def action_leave(self) -> None:
        if await files.may_leave(self):
            self.app.exit()

    def action_leave_letter(self) -> None:
        self.action_leave()

    def action_experiments(self) -> None:
        from ..dialogs.experiments import Experiments

        self.app.push_screen(Experiments(self.document, self._keep), lambda _: self.experiments_changed())

    def experiments_changed(self) -> None:
        """Shows the experiment that the document looks at after experiments came, went or changed their names."""
        before, now = self.shown.experiment, self.experiment
        alike = replace(before, name=now.name, notes=now.notes, extra=now.extra)
        if alike == now and before.desc.inferred == now.desc.inferred:
            self.words_changed()
            return
        self.said.clear()
        self.picture.cursor = None
        self.document_changed()
        self.call_after_refresh(self.query_one(Form).refill)

    def action_notes(self) -> None:
        from ..dialogs.notes_editor import NotesEditor

        self.app.push_screen(NotesEditor(self.document, self.words_changed))

    @work
    async def action_copy(self) -> None:
        from ..dialogs import copy_menu

        await copy_menu.copy(self)

    def action_export(self) -> None:
        from ..dialogs.export_preview import ExportPreview

        self.app.push_screen(ExportPreview(self.document))

    @work
    async def action_token(self) -> None:
        from . import sharing

        await sharing.copy_token(self)

    def action_import(self) -> None:
        from ..dialogs.import_dialog import ImportDialog

        self.app.push_screen(ImportDialog(self))

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted beside every field may be something to import."""
        if not self._in_form() and event.text.strip():
            from . import sharing

            event.stop()
            sharing.pasted(self, event.text)

    def action_help(self) -> None:
        from ..dialogs.help_sheet import HelpSheet

        self.app.push_screen(HelpSheet(self))

    # ---- panes

    def action_swap(self) -> None:
        focus_and_layout.swap(self)

    def action_next_pane(self) -> None:
        focus_and_layout.to_next(self)

    def focus_previous(self, selector: Any = "*") -> Widget | None:
        """As every screen's, but the form is entered at its last row."""
        found = super().focus_previous(selector)
        if isinstance(found, Form):
            found.enter_last()
        return found

    def action_help_keys(self) -> None:
        from ..dialogs.key_sheet import KeySheet

        self.app.push_screen(KeySheet(self))

    @on(NotesPanel.Wanted)
    def _on_notes_wanted(self) -> None:
        self.action_notes()

    def action_colours(self) -> None:
        from ..dialogs.colour_key import ColourKey

        seen = getattr(self.app, "vision", Vision.NORMAL)
        self.app.push_screen(ColourKey(operator_of(self.experiment.desc), seen))

    # ---- running

    @property
    def kernel(self) -> Running:
        return self.runs.kernel

    @property
    def runner(self) -> Runner:
        return self.runs.runner

    @on(KernelPanel.Pressed)
    def action_run(self) -> None:
        self.runs.run()

    def action_cancel_run(self) -> None:
        self.runs.cancel()

    @on(Timed)
    def _on_timed(self, event: Timed) -> None:
        self.runs.heard(event.number, event.state)

    @on(Readied)
    def _on_readied(self, event: Readied) -> None:
        self.runs.readied(event.readiness)

    def on_unmount(self) -> None:
        self.runs.close()
