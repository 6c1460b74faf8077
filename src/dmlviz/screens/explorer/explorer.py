"""The main screen: what you build at the left, where every element goes at the right."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Static

from ...desc.tensors import brackets
from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...retired import told
from ...scene.elements.cursor import Cursor, flat_of
from ...scene.elements.lookup import value_of
from ...session.experiments import Experiment, Session
from ...widgets.bars.chain_line import ChainLine
from ...widgets.bars.footer_line import FooterLine
from ...widgets.bars.header_line import HeaderLine
from ...widgets.bars.meaning_line import MeaningLine
from ...widgets.fields.field import field_of
from ...widgets.fields.form import Form
from ...widgets.lib.commands import COMMANDS, TYPED, bindings
from ...widgets.lib.textual_private import draw_now, lay_out_now
from ...widgets.panels.kernel_panel import KernelPanel
from ...widgets.panels.level_strip import LevelStripLine
from ...widgets.panels.notes_panel import NotesPanel
from ...widgets.panels.path_panel import PathPanel
from ...widgets.panels.question_line import QuestionLine
from ...widgets.panels.reasons_panel import ReasonsPanel
from ...widgets.picture.caption_line import CaptionLine
from ...widgets.picture.formula_line import FormulaLine
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import PicturePane
from ...widgets.picture.tensor_stack import TensorStack
from ...widgets.picture.transport import Transport
from ...workspace.explorer.workspace import Workspace
from ...workspace.shown.picture import Room
from ...workspace.shown.state import State
from ..background_job import in_thread
from ..page import LOW, TOO_SMALL, PicturePage

if TYPE_CHECKING:
    from ...operators.report import Report
    from ...scene.view_state import ViewState
    from ..learn.learning import Learning
    from .files import Files

COMPARE_AFTER = 0.1
"""Seconds without another edit after which what the last one moved is marked and counted."""
MARKED_FOR = 1.0
"""Seconds that it stays marked."""
NARROW, TALL = 100, 44
"""Columns below which form and picture swap, and lines from which there is room for more."""
CAN = {command.action: command.when for command in COMMANDS if command.pane == "explorer"}
"""When each of the explorer's actions can act, as far as the state says."""
WAITING = [command for command in COMMANDS if command.pane == "explorer" and command.needs == "live"]
"""What can't be done to an invalid desc."""


class Explorer(PicturePage[None]):
    """Shows a workspace: a key or a click calls one method of it, and its state goes to every panel."""

    AUTO_FOCUS = "#outputs"
    desk: Workspace
    state: reactive[State]

    BINDINGS: ClassVar[list[BindingType]] = bindings("explorer")

    class Shown(Message):
        """The first frame is on the terminal."""

    def __init__(
        self, workspace: Workspace, keymap: Mapping[str, str] | None = None, typed: frozenset[str] = TYPED
    ) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids.

        `typed` are the actions on letters, digits and punctuation, which never fire while a field has the focus.
        """
        super().__init__(workspace)
        self.workspace = workspace
        workspace.later = self._call_later
        self.keymap = dict(keymap or {})
        self.compares = False
        """What an edit moved is marked and counted when the user has come to rest."""
        self._held: ExitStack | None = None  # until the picture fits the room that the first layout leaves to it
        self._fitted: Size | None = None  # the size that all was laid out for last
        self._typed = typed | TYPED
        self._left: tuple[Form, str] | None = None  # the row that the focus left for the fixes
        self._able: list[bool] = []  # which commands could act when the footer was told last
        self._explored: Experiment | None = None  # what a lesson was left for
        self._scanned: ViewState | None = None  # what is scanned, or was last
        self._followed = 0  # the edit whose marks have been waited for
        self._marking: Timer | None = None  # until it is compared, and then until its marks go
        self.pane = PicturePane(TensorStack, id="picture")
        self._formula, self._transport = FormulaLine(id="formula"), Transport(id="transport")
        self._kernel, self._caption = KernelPanel(id="kernel", classes="idle"), CaptionLine(id="caption")
        edits = self.doing(workspace.type_in_field), self.doing(workspace.grow)
        self.form = Form(*edits, id="form", waits=True)
        self._strip = Form(*edits, id="strip", classes="-strip", waits=True)
        self._meaning, self._reasons = MeaningLine(id="meaning"), ReasonsPanel(id="rules")
        self._notes = NotesPanel(id="notes")
        self._panels: list[Any] = []

    def compose(self) -> ComposeResult:
        self._set_classes()  # before there is anything that would be styled anew
        header, chain, footer = HeaderLine(id="header"), ChainLine(id="chain"), FooterLine(id="footer")
        levels, memory, path = LevelStripLine(id="levels"), MemoryStrip(id="memory"), PathPanel(id="path")
        question = QuestionLine(id="question")
        self._panels = [header, self._meaning, chain, question, self.form, levels, self._reasons, self._notes]
        self._panels += [self._strip, self._caption, path, self.pane, memory]
        self._panels += [self._formula, self._transport, self._kernel, footer]
        yield header
        yield self._meaning
        yield chain
        yield question
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield self.form
                yield levels
                yield self._notes
            with Vertical(id="right"):
                yield from (self._strip, self._caption, self.pane, memory, self._formula, path)
                yield from (self._transport, self._kernel)
        yield self._reasons
        yield Static(TOO_SMALL, classes="too-small")
        yield footer

    # ---- the first frame, and another size

    def on_mount(self) -> None:
        self._held = ExitStack()
        self._held.enter_context(self.app.batch_update())

    def _open(self, held: ExitStack) -> None:
        """Lays out the first frame, the picture too, before anything is seen: all is in its place."""
        for _ in range(3):  # the formula of a picture may want a line of its room, and so may its caption
            room = self._room()
            self._fit()
            lay_out_now(self)
            if room == self._room():
                break
        held.close()
        self._held, self._fitted = None, self.size
        self.refresh()
        draw_now(self)
        self.call_later(self._begin_late)  # the terminal gets its frame before

    async def _begin_late(self) -> None:
        with self.app.batch_update():  # all of it is laid out once
            for late in (self.form, self._strip, self._notes):
                await late.begin()
        self.post_message(self.Shown())

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        if self._held is not None:
            event.refresh_styles = False  # all has been styled a moment ago

    def on_resize(self) -> None:
        if self._held is not None:
            self._open(self._held)

    def _set_classes(self) -> None:
        before, (width, height) = self.classes, self.app.size
        for name, holds in ("narrow", width < NARROW), ("low", height < LOW), ("tall", height >= TALL):
            self.set_class(holds, name, update=False)
        if self.classes != before:
            self.update_node_styles()

    def fit_window(self) -> None:
        self._set_classes()
        if self._held is not None:
            self.present(self.state)
        if self._held is not None or self.size == self._fitted:  # a terminal may tell its size several times
            return
        self._fitted = self.size
        super().fit_window()
        narrow, key = self.has_class("narrow"), self._strip.focused_key
        if self.form.focused_key:
            self.set_class(narrow, "form")
        elif key and not narrow:
            self.form.focus_row(key)
        elif self.focused is None:  # what had the focus was hidden
            self.action_to_picture()
        self.refresh_bindings()

    def _fit(self) -> None:
        if self.is_mounted:
            self.act(self.desk.fit, self._room())

    def _room(self) -> Room:
        pane, formula = self.pane, self._formula.region
        # The memory strip comes and goes between the two; where a reason has the formula's place there is none.
        height = formula.y - pane.region.y if formula.height else pane.size.height
        return Room(pane.columns, height, self.has_class("low"), lane=pane.spare)

    # ---- what is shown

    def present(self, state: State) -> None:
        self._make_room(state)  # first: it changes the room of all others
        for panel in self._panels:
            panel.present(state)
        row, self.desk.row = self.desk.row, ""
        if row in state.form.strip and self.has_class("narrow") and not self.has_class("form"):
            self._strip.focus_row(row)
        elif row:
            self.set_class(self.has_class("narrow"), "form")
            self.form.focus_row(row)
        self._follow_edit()
        job = self.desk.scan_job()
        if job is not None and self._scanned is not state.view:
            self._scanned = state.view
            self._scan(state.view, job)

    def tell_able(self, state: State) -> None:
        able = [can(state) for can in CAN.values()]
        if able != self._able:
            self._able = able
            self.refresh_bindings()

    def _make_room(self, state: State) -> None:
        """Leaves the place of formula, transport and kernel of an invalid desc to the reasons."""
        invalid = state.view.report.ok is False
        waits = bool(state.view.report.waits_for)  # then there are no steps, and nothing to run
        follows = state.path is not None and self.has_class("low")  # there is no room for formula and path
        for widget in (self._formula, self._transport, self._kernel):
            widget.set_class(invalid or waits or (follows and widget is self._formula), "-gone")

    # ---- what an edit made of the output

    def _follow_edit(self) -> None:
        """Has what an edit moved compared once the user rests, and marked for a moment."""
        effects = self.desk.effects
        if self.compares and effects.edits != self._followed:
            self._followed = effects.edits
            if self._marking is not None:
                self._marking.stop()
            self._marking = self.set_timer(COMPARE_AFTER, self.compare)

    def compare(self) -> None:
        """Says what the last edit moved, and marks it for a moment, unless motion is off."""
        marked = self.is_current and self.app.animation_level != "none"
        self.act(self.desk.compare, marked=marked)
        if marked:
            self._marking = self.set_timer(MARKED_FOR, self.doing(self.desk.unmark))

    # ---- commands

    def on_key(self, event: events.Key) -> None:
        """Tells of a key that did something before, or that does something to a valid desc, where it does nothing."""
        said = told(event.character or "")
        if self.state.view.report.ok is False:
            keys = {key: each for each in WAITING for key in self.keymap.get(each.id, each.keys).split(",")}
            said = (
                f"{keys[event.key].title} needs a valid desc; F3 goes to the failed check."
                if event.key in keys
                else said
            )
        if said and event.key not in self.active_bindings:  # last: it asks all bindings
            self.notify(said, markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        whole = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
        if whole in self._typed and self._in_field():
            return False
        if action == "to_picture":
            return not self._in_picture()
        can = CAN.get(whole)
        return can(self.state) if can is not None else True

    @property
    def _editor(self) -> Form | None:
        return next((editor for editor in (self.form, self._strip) if editor.focused_key), None)

    def offers(self) -> list[SystemCommand]:
        from .offers import offers

        return [*offers(self, self.state, self.keymap)]

    def _in_picture(self) -> bool:
        return self.focused is not None and self.pane in self.focused.ancestors_with_self

    def _in_field(self) -> bool:
        return field_of(self.focused) is not None

    def stop(self) -> None:
        """What plays goes on: a click may be on the button that stops it."""

    def point(self, event: TensorStack.Pointed) -> None:
        self.act(self.desk.point, event.cursor)

    @work
    async def action_type_value(self) -> None:
        """Asks for another value of the element under the cursor, or of the one that it has its value from."""
        from ...session.cell_edits import with_value
        from ..dialogs.asking import AskLine

        cursor, one, trace = self.desk.cell_to_type(), self.desk.experiment, self.desk.view.trace
        self.state = self.desk.state
        if cursor is None or trace is None:
            return
        path, held = trace.inputs[cursor.place.number].path, value_of(trace, cursor)[0]
        name = f"{path}{brackets(cursor.index)}"

        def changed(text: str) -> Experiment:
            return one if text == held else with_value(one, path, flat_of(trace, cursor), text)

        made = await self.app.push_screen_wait(AskLine(name, changed, text=held, replaced=held, hint="enter sets it"))
        if made is not None and made is not one and self.desk.experiment is one:
            self.act(self.desk.edit, made)

    @work
    async def action_go_to(self) -> None:
        from ...scene.words.go_to import example, find
        from ..dialogs.asking import AskLine

        picture = self.state.picture
        trace, steps = picture.trace, picture.steps
        if trace is None or steps is None or not picture.live:
            return

        def target(text: str) -> Cursor | int:
            return find(text, trace, picture.cursor, steps.count, count_is_told=picture.count_is_told)

        hint = "2,0 in the tensor under the cursor · step 5"
        ask = AskLine("Go to an element or a step", target, example=example(trace.outputs[0]), hint=hint)
        found = await self.app.push_screen_wait(ask)
        if found is None or self.state.picture.trace is not trace:
            return
        if isinstance(found, int):
            self.act(self.desk.go, found)
        else:
            self.act(self.desk.point, found)

    # ---- the form, rules and fixes

    def on_descendant_blur(self) -> None:
        self.act(self.desk.leave_fields, but=self.form.focused_key or self._strip.focused_key)

    def on_descendant_focus(self) -> None:
        if self.focused is not self._reasons:
            self._left = None
        self.refresh_bindings()

    def action_levels(self) -> None:
        from ..dialogs.levels import LevelsScreen

        edit = self.doing(self.desk.edit)
        self.app.push_screen(LevelsScreen(self.desk.experiment, edit))

    def action_fix(self, number: int) -> None:
        left, self._left = self._left, None
        self.act(self.desk.mend, number)
        if left is not None:
            left[0].focus_row(left[1])

    def action_to_rules(self) -> None:
        """Puts the focus on the rules and their fixes; a field that it leaves has it again after a fix."""
        editor = self._editor
        left = (editor, editor.focused_key) if editor is not None else None
        self._reasons.focus()
        self._left = left

    def action_details(self) -> None:
        self._reasons.opens = not self._reasons.opens

    # ---- history and files

    def action_undo_letter(self) -> None:
        """Takes the last edit back by a letter, which in a field is typed."""
        self.act(self.desk.undo)

    @cached_property
    def _files(self) -> Files:
        from .files import Files

        return Files(self, self.desk)

    def action_file(self, name: str) -> None:
        self._once_done(getattr(self._files, name)())

    @work
    async def _once_done(self, work: Awaitable[object]) -> None:
        await work
        self.state = self.desk.state

    @work
    async def offer_lost(self, *, welcomes: bool = False) -> None:
        """Offers sessions that a crash left behind; without any, once and if it `welcomes`, how to begin."""
        before = self.desk.document
        await self._files.offer_lost()
        self.state = self.desk.state
        recent = self.desk.recent  # None where the next launch would be the first again
        if welcomes and self.desk.document is before and recent is not None and recent.first_launch:
            self.action_welcome()

    @work
    async def action_welcome(self) -> None:
        from ..dialogs.choose import EXAMPLE, LEARN, PASTE, Welcome

        dialog = Welcome(self.keymap)
        chosen = await self.app.push_screen_wait(dialog)
        if chosen == LEARN:
            self.action_learn()
        elif chosen == EXAMPLE:
            self.action_file("open_another")
        elif chosen == PASTE:
            self.desk.pasted = dialog.pasted or self.desk.pasted
            self.action_file("take_import")

    @work
    async def action_leave(self) -> None:
        if await self._files.may_leave():
            self.app.exit()
        else:
            self.state = self.desk.state

    def action_leave_letter(self) -> None:
        """Does what `action_leave` does, by a letter: in a field that is typed."""
        self.action_leave()

    def action_experiments(self) -> None:
        from ..dialogs.experiments import Experiments

        self.app.push_screen(Experiments(self.desk.document, self.doing(self.desk.experiments_changed)))

    def action_notes(self) -> None:
        from ..dialogs.notes_editor import NotesEditor

        key = object()  # all that is written until the dialog closes is one edit
        write_notes = self.doing(partial(self.desk.write_notes, key=key))
        write_title = self.doing(partial(self.desk.write_title, key=key))

        def closed(saves: bool | None) -> None:
            self.desk.document.pause()
            if saves:
                self.action_file("save")

        doc = self.desk.document
        self.app.push_screen(NotesEditor(doc.experiment, doc.session.title, write_notes, write_title), closed)

    @work
    async def action_token(self) -> None:
        """Copies a token that holds the experiment; says why where there can be none."""
        from ...session import tokens
        from ..dialogs.copy_text import copied

        try:
            text = await in_thread(partial(tokens.to_token, self.desk.experiment))
        except DmlvizError as error:
            self.notify(str(error), severity="error", markup=False)
        else:
            copied(self, "the token", text, " `dmlviz TOKEN` opens it, and so does a paste here.")

    def action_export(self) -> None:
        from ..dialogs.export_preview import ExportPreview

        self.app.push_screen(ExportPreview(self.desk.document))

    def on_paste(self, event: events.Paste) -> None:
        """Opens the import for text pasted beside the fields; says so where it can't be read."""
        if self._in_field() or not event.text.strip():
            return
        from ...importers.lib.importing import formats, is_known

        event.stop()
        if is_known(event.text.encode(errors="replace"), ""):
            self.desk.pasted = event.text
            self.action_file("take_import")
        else:
            self.notify(f"The pasted text can't be read as {formats()}. i opens the import.", markup=False)

    # ---- chains

    @work
    async def action_wire(self) -> None:
        from ..dialogs.choose import WireTensor

        one, ask = self.desk.experiment, self.desk.wire_ask()
        chosen = await self.app.push_screen_wait(WireTensor(ask))
        if chosen is not None and self.desk.experiment is one:
            self.act(self.desk.wire, ask, int(chosen))

    # ---- questions

    @cached_property
    def _learning(self) -> Learning:
        from ..learn.learning import Learning

        return Learning(self)

    def _explore(self, cursor: Cursor) -> None:
        if cursor.index and self.desk.view.live:
            self.act(self.desk.point, cursor)

    def action_learn(self, begins: str = "") -> None:
        """Opens the course map, or the step that was left to be explored; `begins` is the id of a lesson."""

        def explored(experiment: Experiment, cursor: Cursor) -> None:
            self.act(self.desk.look_at_experiment, experiment)
            self._explore(cursor)
            self._explored = self.desk.experiment

        self._learning.open(self.desk.document.session, explored, begins)

    def action_ask(self) -> None:
        """Asks about the desc on the screen; goes back to the step of a lesson that was left to explore it."""
        if self._explored is self.desk.experiment and self._learning.waits:
            self.action_learn()
            return
        uncover = self.doing(self.desk.uncover)

        def explored(cursor: Cursor) -> None:
            uncover()  # nobody explores what is covered
            self._explore(cursor)

        doc = self.desk.document
        self._learning.ask(
            doc.experiment,
            doc.session,
            explored=explored,
            answered=uncover,
            has_told=self.desk.has_told,
        )

    def action_practise(self, every: bool) -> None:
        """Asks about ever new descs of the operator on the screen, or of all operators of the course."""

        def explored(experiment: Experiment) -> None:
            self.act(self.desk.add_experiments, [replace(experiment, name=f"practice: {experiment.name}")])

        from ...teaching.lessons.lessons import taught_types

        self._learning.practise(taught_types() if every else [self.desk.experiment.desc.TYPE], explored)

    def action_present_session(self) -> None:
        from ...session.presentation_state import name_of
        from ..present.wall import open_presentation

        doc = self.desk.document
        name = name_of(doc.path, doc.example) if self.desk.keeper is not None else None
        open_presentation(self, doc.session, name, begins=doc.number)

    def action_make_task(self) -> None:
        from ...workspace.authoring.authoring import TaskDraft
        from ..dialogs.make_task import MakeTask
        from ..learn.learning import preview

        doc, cursor = self.desk.document, self.state.picture.cursor
        draft = TaskDraft(doc.session, doc.number, cursor)
        dialog = MakeTask(draft, doc.experiment.name, partial(preview, self.app))

        def closed(session: Session | None) -> None:
            if session is not None:
                self.act(self.desk.write_session, session)

        self.app.push_screen(dialog, closed)

    # ---- panes and help

    def action_swap(self) -> None:
        """Goes to the form, or from there to the picture; where there is room for one of them, shows it."""
        narrow, row = self.has_class("narrow"), self._strip.focused_key or "Operator"
        if self.has_class("form") if narrow else self.form.focused_key:
            self.action_to_picture()
        else:
            self.set_class(narrow, "form")
            self.form.focus_row(row)

    def action_to_picture(self) -> None:
        self.remove_class("form")
        self.pane.sides[1].focus()

    def action_help_keys(self) -> None:
        from ..dialogs.help import key_help

        self.app.push_screen(key_help(self.keymap, self._meaning.meaning, in_chain=self.state.chain is not None))

    def action_help(self) -> None:
        """Explains the field that has the focus; else does what `action_help_keys` does."""
        from ..dialogs.help import field_help

        if self._editor is not None:
            self.app.push_screen(field_help(self.desk.field_help(self._editor.focused_key)))
        else:
            self.action_help_keys()

    def action_colours(self) -> None:
        from ..dialogs.help import colour_help

        trace, op = self.state.view.trace, operator_of(self.desk.experiment.desc)
        colours = trace.colours if trace is not None else op
        self.app.push_screen(colour_help(self, op, colours, self.app.theme_variables.get("identity", "xterm")))

    # ---- running, and work in threads

    def _call_later(self, call: Callable[..., object], *given: object) -> None:
        with contextlib.suppress(RuntimeError):  # the program has ended
            self.call_later(self.act, call, *given)

    @work(exclusive=True, group="scan")
    async def _scan(self, view: ViewState, job: Callable[[], Report]) -> None:
        report = await in_thread(job)
        if view is self.state.view:
            self.act(self.desk.scanned, report)

    def on_unmount(self) -> None:
        self.desk.runs.runner.close()
