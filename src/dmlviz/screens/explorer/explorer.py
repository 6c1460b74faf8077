"""The main screen: what you build at the left, where every element goes at the right."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ...errors import plain
from ...operators.registry import operator_of
from ...retired import told
from ...scene.elements.cursor import Cursor
from ...scene.elements.lookup import filled_by
from ...session.experiments import Experiment, Session
from ...widgets.bars.chain_line import ChainLine
from ...widgets.bars.footer_line import FooterLine
from ...widgets.bars.header_line import HeaderLine
from ...widgets.bars.meaning_line import MeaningLine
from ...widgets.fields.desc_strip import DescStrip
from ...widgets.fields.form import Form
from ...widgets.lib.commands import BY_ID, COMMANDS, LENT, TYPED, bindings, command_keys
from ...widgets.lib.textual_private import draw_now
from ...widgets.panels.kernel_panel import KernelPanel
from ...widgets.panels.level_strip import LevelStripLine
from ...widgets.panels.notes_panel import NotesPanel
from ...widgets.panels.path_panel import PathPanel
from ...widgets.panels.question_line import LargeQuestion, QuestionLine
from ...widgets.panels.reason_panel import ReasonPanel
from ...widgets.panels.rules_panel import RulesPanel
from ...widgets.panels.why_panel import WhyPanel
from ...widgets.picture.caption_line import CaptionLine
from ...widgets.picture.formula_line import FormulaLine
from ...widgets.picture.memory_strip import MemoryStrip
from ...widgets.picture.picture_pane import PicturePane
from ...widgets.picture.tensor_stack import TensorStack
from ...widgets.picture.transport import Transport
from ...worker.states import Readiness, Running
from ...workspace.explorer.workspace import Workspace
from ...workspace.shown.picture import Room
from ...workspace.shown.state import State
from ..background_job import BackgroundJob
from ..frames import FRAME, Pace
from ..smallest import SMALLEST, TOO_SMALL
from .marks import Marks

if TYPE_CHECKING:
    from ..learn.learning import Learning
    from ..learn.question import Questions
    from ..present.wall import Attend
    from .files import Files
    from .offers import Offer

Given = ParamSpec("Given")
WARM_AFTER = 0.3
"""Seconds without another operator after which its kernel is got ready."""
CAN = {command.action: command.when for command in COMMANDS if command.pane == "explorer"}
"""When each of the explorer's actions can act, as far as the state says."""


class Explorer(Screen[None]):
    """Shows a workspace: what the user does goes to one method of it, and the state that comes back to every panel."""

    AUTO_FOCUS = "#outputs"

    BINDINGS: ClassVar[list[BindingType]] = bindings("explorer")

    class RunHeard(Message):
        """How far run `number` is, or what came of it."""

        def __init__(self, number: int, running: Running) -> None:
            super().__init__()
            self.number = number
            self.running = running

    class ReadinessHeard(Message):
        """A kernel is further on its way to its first run."""

        def __init__(self, readiness: Readiness) -> None:
            super().__init__()
            self.readiness = readiness

    class Shown(Message):
        """The first frame is on the terminal."""

    def __init__(
        self, workspace: Workspace, keymap: Mapping[str, str] | None = None, typed: frozenset[str] = TYPED
    ) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids.

        `typed` are the actions on letters, digits and punctuation, which never fire while a field has the focus.
        """
        super().__init__()
        self._held: ExitStack | None = None  # until the picture fits the room that the first layout leaves to it
        self.workspace = workspace
        self.state = workspace.state
        self.keymap = dict(keymap or {})
        self._typed = typed | TYPED
        self._left: tuple[Form | DescStrip, str] | None = None  # the row that the focus left for the fixes
        self._able: list[bool] = []  # which commands could act when the footer was told last
        self._explored: Experiment | None = None  # what a lesson was left for
        self._scans = BackgroundJob(self)
        self._opened: Size | None = None  # the size that the first frame is laid out for
        self._pace = Pace()
        self._timer: Timer | None = None  # while steps play
        self._warming: Timer | None = None
        self.marks = Marks(self.set_timer, self.compare, self.unmark)
        self.pane = PicturePane(self._type_value, id="picture")
        self._memory, self._formula = MemoryStrip(id="memory"), FormulaLine(id="formula")
        self._path = PathPanel(id="path")
        self._transport, self._kernel = Transport(id="transport"), KernelPanel(id="kernel")
        self._header, self._caption = HeaderLine(id="header"), CaptionLine(id="caption")
        self._meaning, self._chain = MeaningLine(id="meaning"), ChainLine(id="chain")
        self._question, self._footer = QuestionLine(id="question"), FooterLine(id="footer")
        edits = self._shows(workspace.type_in_field), self._shows(workspace.leave_field)
        lists = self._shows(workspace.grow), self._shows(workspace.move_tensor)
        self.form = Form(self.state.form.rows, *edits, *lists, id="form")
        self._strip, self._levels = DescStrip(*edits, id="strip"), LevelStripLine(id="levels")
        self._rules, self._why = RulesPanel(id="rules"), WhyPanel(id="why")
        self._notes = NotesPanel(id="notes"), NotesPanel(id="notes-wide")
        self._large_question = LargeQuestion(id="question-large")
        # What follows from the document stands first: it may take lines from the picture, or give it some.
        left = self.form, self._levels, self._rules, *self._notes
        above = self._strip, self._caption, self._question, self._large_question, self._path
        self._beside = (self._header, self._meaning, self._chain, *left, self._why, *above)
        # The picture has the room that is left; what tells of it comes after it, and the keys that work then at last.
        # The chain's line and path are of both: they take lines, and what they say is of the cursor.
        self._inside = (
            self._chain,
            self._path,
            self.pane,
            self._memory,
            self._formula,
            self._transport,
            self._kernel,
            self._footer,
        )

    def compose(self) -> ComposeResult:
        self._fit_classes()  # before there is anything that would be styled anew
        yield self._header
        yield self._meaning
        yield self._chain
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield self.form
                yield self._levels
                with Vertical(id="below"):
                    yield self._rules
                    yield self._notes[0]
            with Vertical(id="right"):
                yield self._large_question
                yield from (self._strip, self._caption, self.pane, self._memory, self._formula, self._path)
                yield from (self._transport, self._kernel, self._why)
            yield self._notes[1]
        yield Static(TOO_SMALL, id="too-small")
        yield self._question
        yield self._footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.present(self.state))
        self._held = ExitStack()
        self._held.enter_context(self.app.batch_update())
        self.present(self.state)
        self._present_inside(self.state)  # it decides on that room

    def _open(self) -> None:
        """Lays out the first frame, the picture too, before anything is seen: all is in its place."""
        self._opened = self.size
        for _ in range(3):  # the formula of a picture may want a line of its room, and so may its caption
            room = self._room()
            self._fit()
            draw_now(self)
            if room == self._room():
                break
        self.call_later(self._show_first_frame)  # once the panels know their sizes

    def _show_first_frame(self) -> None:
        if self._held is None:
            return
        self._held.close()
        self._held = None
        self.refresh()
        draw_now(self)
        for notes in self._notes:
            notes.begin()
        self.post_message(self.Shown())

    # ---- what is shown

    def present(self, state: State) -> None:
        """Hands a state to every panel: the one place where that is done."""
        before, self.state = self.state, state
        taken = self._taken_room
        self._make_room(state)  # first: it changes the room of all others
        for panel in self._beside:
            panel.present(state)
        if state.document is not before.document or state.form is not before.form or state.view is not before.view:
            self._tell_able(state)
        if self._held is not None:
            pass  # the picture comes with the first layout
        elif taken != self._taken_room or not self.pane.size.height:
            self.call_after_refresh(self._fit)  # the room for the picture is known then
        elif state.unfitted:
            self._fit()
        else:
            self._present_inside(state)
        self._do_once(state)

    @property
    def _taken_room(self) -> tuple[object, ...]:
        """What other panels take of the picture's room."""
        shown = self._chain, self._path, self._formula, self._transport, self._kernel
        return (self._caption.rows, self._question.question, self._meaning.count, *(panel.display for panel in shown))

    def _present_inside(self, state: State) -> None:
        """Hands a state to the panels that tell of the picture, and starts or stops the steps' clock."""
        for panel in self._inside:
            panel.present(state)
        self._keep_time(state)

    def _fit(self) -> None:
        """Has the picture laid out for the room that it has now."""
        if self.is_mounted:
            self.state = state = self.workspace.fit(self._room())
            self._tell_able(state)
            self._present_inside(state)
            self._do_once(state)

    def _tell_able(self, state: State) -> None:
        """Has the footer ask anew which keys work, where other commands can act than before."""
        able = [can(state) for can in CAN.values()]
        if able != self._able:
            self._able = able
            self.refresh_bindings()

    def _room(self) -> Room:
        pane, formula = self.pane, self._formula.region
        # The memory strip comes and goes between the two; where a reason has the formula's place there is none.
        height = formula.y - pane.region.y if formula.height else pane.size.height
        return Room(
            width=pane.columns,
            height=height,
            low=self.has_class("low"),
            lane=pane.spare,
            anchor=(self.size, self._transport.region.y),
        )

    def _do_once(self, state: State) -> None:
        """Does what a state asks for once: sentences, the focus on a row, warming, marks, scans."""
        for said in state.notices:
            self.notify(said, severity="warning", markup=False)
        for said in state.news:
            self.notify(said, markup=False)
        if state.row in state.form.strip and self.has_class("narrow") and not self.has_class("form"):
            self._strip.focus_row(state.row)
        elif state.row:
            self.set_class(self.has_class("narrow"), "form")
            self.form.focus_row(state.row)
        if state.warms:
            self._warm_soon()
        self.marks.present(state.changes)
        self._scan()

    def _make_room(self, state: State) -> None:
        """Shows the reason in the place of formula, transport and kernel of an invalid desc.

        By each widget's own style: a class would have every widget in the panel styled anew.
        """
        invalid = state.view.report.ok is False
        waits = bool(state.view.report.waits_for)  # then there are no steps, and nothing to run
        follows = state.path is not None and self.has_class("low")  # there is no room for formula and path
        gone = {self._why: not invalid, self._formula: invalid or waits or follows}
        for widget in (self._why, self._formula, self._transport, self._kernel):
            wanted = "none" if gone.get(widget, invalid or waits) else None
            if widget.styles.inline.get_rule("display", None) != wanted:
                widget.styles.display = wanted

    def on_key(self, event: events.Key) -> None:
        """Tells of a key that did something before, unless the user gave it to a command."""
        said = told(event.character or "")
        if said and event.key not in self.active_bindings:
            self.notify(said, markup=False)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        if self._held is not None:
            event.refresh_styles = False  # all has been styled a moment ago

    def on_resize(self, event: events.Resize) -> None:
        if self._held is not None and event.size == self._opened:
            event.prevent_default()  # a terminal may tell its size several times
            return
        key = self._strip.focused_key
        self._fit_classes()
        narrow = self.has_class("narrow")
        if self.form.focused_key:
            self.set_class(narrow, "form")
        elif key and not narrow:
            self.form.focus_row(key)
        elif self.focused is None and not self.has_class("tiny"):  # what had the focus was hidden
            self.action_to_picture()
        self.refresh_bindings()
        self._header.present(self.state)
        if self._held is not None:
            self._open()
        else:
            self.call_after_refresh(self._fit)

    @on(TensorStack.Resized)
    def _on_stack_resized(self) -> None:
        self._fit()

    def _fit_classes(self) -> None:
        """Sets the classes by which the style sheet shares the room."""
        width, height = self.app.size
        self.set_class(width < 100, "narrow")
        self.set_class(width >= 170, "wide")
        self.set_class(height < 32, "low")
        self.set_class(height >= 44, "tall")
        self.set_class(width < SMALLEST[0] or height < SMALLEST[1], "tiny")

    # ---- commands

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        whole = f"{action}({', '.join(map(repr, parameters))})" if parameters else action
        if whole in self._typed and self._in_field() and not self._lends(whole):
            return False
        if action == "to_picture":
            return not self._in_picture()
        can = CAN.get(whole)
        return can(self.state) if can is not None else True

    def _lends(self, action: str) -> bool:
        """True if a field with the focus leaves an action's letter to the explorer; keys that a user chose are text."""
        editor = self._editor
        if editor is None or not editor.leaves_letters or action not in LENT:
            return False
        return not any(cmd.action == action and cmd.id in self.keymap for cmd in COMMANDS)

    @property
    def _editor(self) -> Form | DescStrip | None:
        """The editor of fields that has the focus."""
        return next((editor for editor in (self.form, self._strip) if editor.focused_key), None)

    def offers(self) -> list[Offer]:
        """The commands that can act now, for the palette."""
        from .offers import offers

        return [*offers(self, self.state, self.keymap)]

    def _in_picture(self) -> bool:
        return self.focused is not None and self.pane in self.focused.ancestors_with_self

    def _in_field(self) -> bool:
        focused = self.focused
        if focused is None:
            return False
        return self.pane.is_typing or focused is self._strip or self.form in focused.ancestors_with_self

    def _shows(self, act: Callable[Given, State]) -> Callable[Given, None]:
        """`act`, after which the state that it yields is shown."""

        def shown(*given: Given.args, **named: Given.kwargs) -> None:
            self.present(act(*given, **named))

        return shown

    def action_do(self, name: str, given: tuple[Any, ...]) -> None:
        """Has the workspace do what a command says, by its method's name and what that is given."""
        self.present(getattr(self.workspace, name)(*given))

    # ---- the form

    def on_descendant_blur(self) -> None:
        self.present(self.workspace.leave_fields(but=self.form.focused_key or self._strip.focused_key))

    def on_descendant_focus(self) -> None:
        if self.focused not in (self._why, self._rules):
            self._left = None
        self.refresh_bindings()

    @on(LevelStripLine.Chosen)
    def _on_level_chosen(self, event: LevelStripLine.Chosen) -> None:
        self.present(self.workspace.choose_level(event.level))

    @on(LevelStripLine.Opened)
    def action_levels(self) -> None:
        from ..dialogs.levels import LevelsScreen

        edit = self._shows(self.workspace.replace_experiment)
        self.app.push_screen(LevelsScreen(self.state.document.experiment, edit))

    # ---- the picture

    @on(TensorStack.Pointed)
    @on(MemoryStrip.Pointed)
    def _on_pointed(self, event: TensorStack.Pointed | MemoryStrip.Pointed) -> None:
        self.present(self.workspace.point(event.cursor))

    @on(TensorStack.WholeWanted)
    def _on_whole_wanted(self) -> None:
        self.present(self.workspace.show_whole())

    def _type_value(self, text: str, by: int) -> None:
        """Takes the text for the open cell, and opens the cell `by` further; with 0 gives the text up."""
        self.present(self.workspace.set_value(text, by) if by else self.workspace.leave_cell())

    @work
    async def action_go_to(self) -> None:
        from ..dialogs.go_to import GoToDialog

        picture = self.state.picture
        trace = picture.trace
        if trace is None or picture.steps is None or not picture.live:
            return
        target = await self.app.push_screen_wait(GoToDialog(picture, self.workspace.stage_traces()))
        if target is None or self.state.picture.trace is not trace:
            return
        if isinstance(target, tuple):
            self.present(self.workspace.go_to_element(*target))
        else:
            self.present(self.workspace.go(target) if isinstance(target, int) else self.workspace.point(target))

    # ---- what an edit made of the output

    def compare(self, marked: bool = True) -> None:
        """Says what the last edit moved, and with `marked` marks it for a moment, unless motion is off."""
        self.present(self.workspace.compare(marked=marked and self.is_current and self.app.animation_level != "none"))

    def unmark(self) -> None:
        """Takes away the marks that an edit left for a moment."""
        if self.state.changes.marked:
            self.present(self.workspace.unmark())

    def heard_input(self) -> None:
        """Takes marks away at a key or a click; what waits for its marks gets none."""
        if self.marks.heard_input():
            self.workspace.forget_marks()

    # ---- steps

    @on(Transport.Pressed)
    def _on_pressed(self, event: Transport.Pressed) -> None:
        workspace, now = self.workspace, time.monotonic()
        acts: dict[str, Callable[[], State]] = {
            "first": lambda: workspace.go(0),
            "back": lambda: workspace.go_by(-1),
            "play": lambda: workspace.play_or_pause(now, still=self._is_still),
            "forward": lambda: workspace.go_by(1),
            "last": workspace.go_last,
            "unit": lambda: workspace.turn_unit(1),
            "speed": lambda: workspace.next_speed(now),
        }
        self.present(acts[event.name]())

    @on(Transport.Scrubbed)
    def _on_scrubbed(self, event: Transport.Scrubbed) -> None:
        self.present(self.workspace.scrub(event.share))

    @property
    def _is_still(self) -> bool:
        """With reduced motion a key press is a step."""
        return self.app.animation_level == "none"

    def action_play(self) -> None:
        """Plays or pauses; where motion is off, takes a step."""
        self.present(self.workspace.play_or_pause(time.monotonic(), still=self._is_still))

    def action_slower(self, by: int) -> None:
        """Plays slower, or faster where `by` is negative."""
        self.present(self.workspace.slow_down(by, time.monotonic()))

    def _keep_time(self, state: State) -> None:
        """Has a clock tick for as long as steps play."""
        if state.plays and self._timer is None:
            self._pace.begin()
            self._timer = self.set_interval(FRAME, self._tick)
        elif not state.plays and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _tick(self) -> None:
        if self._pace.allows():
            state = self.workspace.tick(time.monotonic())
            if state is not None:
                self._pace.begin()
                self.present(state)

    # ---- rules and fixes

    def action_fix(self, number: int) -> None:
        left, self._left = self._left, None
        self.present(self.workspace.mend(number))
        if left is not None:
            left[0].focus_row(left[1])

    def action_to_rules(self) -> None:
        """Puts the focus on the rules and their fixes; a field that it leaves has it again after a fix."""
        panel = next((panel for panel in (self._why, self._rules) if panel.is_on_screen), None)
        if panel is not None:
            editor = self._editor
            left = (editor, editor.focused_key) if editor is not None else None
            self.set_focus(panel)
            self._left = left

    @on(ReasonPanel.Chosen)
    def _on_fix_chosen(self, event: ReasonPanel.Chosen) -> None:
        self.action_fix(event.number)

    @on(ReasonPanel.Picked)
    def _on_reason_picked(self, event: ReasonPanel.Picked) -> None:
        self.present(self.workspace.look_at_reason(event.number))

    def action_details(self) -> None:
        """Shows or hides the details of the rules and of the reason."""
        self._rules.action_details()
        self._why.action_details()

    # ---- history and files

    @cached_property
    def _files(self) -> Files:
        from .files import Files

        return Files(self, self.workspace)

    def action_file(self, name: str) -> None:
        """Does something with files, by its method's name."""
        self._once_done(getattr(self._files, name)())

    @work
    async def _once_done(self, work: Awaitable[object]) -> None:
        """Awaits some work with files, and presents the state that it left."""
        await work
        self.present(self.workspace.state)

    def action_undo_letter(self) -> None:
        """Takes the last edit back by a letter, which in a field is typed."""
        self.action_do("undo", ())

    def action_stage(self, by: int) -> None:
        """Goes to the next stage of the chain, or to the one before."""
        if self._is_in_chain():
            self.present(self.workspace.step_stage(by))

    def _is_in_chain(self) -> bool:
        """True if the experiment reads another or is read; else says how to make a chain."""
        if self.state.chain is None:
            keys = command_keys(BY_ID["chain.add"], self.keymap) or "“Add an operator” in the palette"
            when = "" if self.state.view.live else ", once the desc is valid"
            self.notify(f"There is no chain yet. {keys} adds an operator that reads this output{when}.", markup=False)
        return self.state.chain is not None

    @work
    async def action_wire(self) -> None:
        """Asks what the input under the cursor is to read."""
        from ..dialogs.choose import WireTensor

        if self.state.document.count == 1 and not self._is_in_chain():
            return
        one, ask = self.workspace.experiment, self.workspace.wire_ask()
        chosen = await self.app.push_screen_wait(WireTensor(ask))
        if chosen is not None and self.workspace.experiment is one:
            self.present(self.workspace.wire(ask, int(chosen)))

    @work
    async def action_add_stage(self) -> None:
        """Asks for an operator that is to read the output under the cursor."""
        from ..dialogs.choose import ChooseOperator

        one = self.workspace.experiment
        question = f"Add an operator to this output of {plain(one.name, 40)}"
        kind = await self.app.push_screen_wait(ChooseOperator(question, one.desc.TYPE))
        if kind is not None and self.workspace.experiment is one:
            self.present(self.workspace.add_stage(kind))

    def action_path(self) -> None:
        """Shows or hides the cursor's path through the chain."""
        if self._is_in_chain():
            self.present(self.workspace.turn_path())

    @on(PathPanel.Chosen)
    def _on_element_chosen(self, event: PathPanel.Chosen) -> None:
        self.present(self.workspace.go_to_element(event.stage, event.cursor))

    @work
    async def offer_lost(self, *, welcomes: bool = False) -> None:
        """Offers sessions that a crash left behind; without any, once and if it `welcomes`, how to begin."""
        before = self.workspace.document
        await self._files.offer_lost()
        self.present(self.workspace.state)
        recent = self.workspace.recent
        if welcomes and self.workspace.document is before and recent is not None and recent.first_launch:
            await self._ask_how_to_begin()

    @work
    async def action_welcome(self) -> None:
        """Asks how to begin, as the first launch does."""
        await self._ask_how_to_begin()

    async def _ask_how_to_begin(self) -> None:
        from ..dialogs.choose import EXAMPLE, LEARN, PASTE, Welcome

        dialog = Welcome(self.keymap)
        chosen = await self.app.push_screen_wait(dialog)
        if chosen == LEARN:
            self.action_learn()
        elif chosen == EXAMPLE:
            self.action_file("open_another")
        elif chosen == PASTE:
            self.workspace.pasted = dialog.pasted or self.workspace.pasted
            self.action_import()

    @work
    async def action_leave(self) -> None:
        if await self._files.may_leave():
            self.app.exit()
        else:
            self.present(self.workspace.state)

    def action_leave_letter(self) -> None:
        """Does what `action_leave` does, by a letter: in a field that is typed."""
        self.action_leave()

    def action_experiments(self) -> None:
        from ..dialogs.experiments import Experiments

        changed = self._shows(self.workspace.experiments_changed)
        self.app.push_screen(Experiments(self.workspace.document, changed))

    def action_notes(self) -> None:
        from ..dialogs.notes_editor import NotesEditor

        key = object()  # all that is written until the dialog closes is one edit

        write_notes = self._shows(partial(self.workspace.write_notes, key=key))
        write_title = self._shows(partial(self.workspace.write_title, key=key))

        def closed(saves: bool | None) -> None:
            self.workspace.document.pause()
            if saves:
                self.action_file("save")

        doc = self.workspace.document
        self.app.push_screen(NotesEditor(doc.experiment, doc.session.title, write_notes, write_title), closed)

    @on(NotesPanel.Wanted)
    @on(QuestionLine.Wanted)
    def _on_notes_wanted(self) -> None:
        self.action_notes()

    @work
    async def action_copy(self) -> None:
        from . import copying

        formula = " ".join(self._formula.text.split())
        await copying.copy(self, self.state, self.workspace.document.session, formula)

    @work
    async def action_token(self) -> None:
        from . import copying

        await copying.copy_token(self, self.state.document.experiment)

    def action_export(self) -> None:
        from ..dialogs.export_preview import ExportPreview

        self.app.push_screen(ExportPreview(self.workspace.document))

    def action_import(self) -> None:
        self._once_done(self._files.take_import())

    def on_paste(self, event: events.Paste) -> None:
        """Opens the import for text pasted beside the fields; says so where it can't be read."""
        if self._in_field() or not event.text.strip():
            return
        from ..dialogs.file_opening import importable, is_known

        event.stop()
        if is_known(event.text):
            self.workspace.pasted = event.text
            self.action_import()
        else:
            self.notify(f"What was pasted can't be read as {importable()}. i opens the import.", markup=False)

    # ---- questions

    @cached_property
    def _questions(self) -> Questions:
        from ..learn.question import Questions

        return Questions(self)

    @cached_property
    def _learning(self) -> Learning:
        from ..learn.learning import Learning

        return Learning(self)

    def action_learn(self, begins: str = "") -> None:
        """Opens the course map, or the step that was left to be explored; `begins` is the id of a lesson."""

        def explored(experiment: Experiment, cursor: Cursor) -> None:
            self.present(self.workspace.look_at_experiment(experiment))
            if cursor.index and self.state.picture.live:
                self.present(self.workspace.point(cursor))
            self._explored = self.state.document.experiment

        self._learning.open(self.workspace.document.session, explored, begins)

    def action_ask(self) -> None:
        """Asks about the desc on the screen; goes back to the step of a lesson that was left to explore it."""
        if self._explored is self.state.document.experiment and self._learning.waits:
            self.action_learn()
            return

        def explored(cursor: Cursor) -> None:
            self.present(self.workspace.uncover())  # nobody explores what is covered
            if cursor.index and self.state.picture.live:
                self.present(self.workspace.point(cursor))

        doc = self.workspace.document
        self._questions.ask(
            doc.experiment,
            doc.session,
            turned=self.state.view.turned,
            explored=explored,
            answered=self._shows(self.workspace.uncover),
            has_told=self.workspace.has_told,
        )

    def action_practise(self, every: bool) -> None:
        """Asks about ever new descs of the operator on the screen, or of all operators of the course."""

        def explored(experiment: Experiment) -> None:
            self.present(self.workspace.add_experiments([replace(experiment, name=f"practice: {experiment.name}")]))

        from ...teaching.lessons.lessons import taught_types

        kinds = taught_types() if every else [self.state.document.experiment.desc.TYPE]
        self._questions.practise(kinds, explored)

    def action_present_session(self) -> None:
        """Presents the session, from the experiment on the screen on."""
        self.present_session(begins=self.workspace.document.number)

    def present_session(
        self,
        *,
        name: str | None = None,
        notes: bool = False,
        room: bool = False,
        begins: int | None = None,
        closed: Callable[[], object] | None = None,
        attend: Attend | None = None,
    ) -> None:
        """Opens the wall, for a `room` alone, or with `notes` the speaker's screen; `closed` is called once it is left.

        `name` is what the state file is named after; without it, the session's own file or example, where anything is
        kept.
        """
        from ..present.opening import open_presentation

        doc = self.workspace.document
        if name is None and getattr(self.app, "remembers", False):
            from ...session import presentation_state

            name = presentation_state.name_of(doc.path, doc.example)
        open_presentation(self, doc.session, name, notes=notes, room=room, begins=begins, closed=closed, attend=attend)

    def action_make_task(self) -> None:
        """Writes the task of the experiment on the screen."""
        from ...workspace.authoring.authoring import TaskDraft
        from ..dialogs.make_task import MakeTask
        from ..learn.preview import preview

        doc, cursor = self.workspace.document, self.state.picture.cursor
        draft = TaskDraft(doc.session, doc.number, cursor)
        dialog = MakeTask(draft, doc.experiment.name, partial(preview, self.app))

        def closed(session: Session | None) -> None:
            if session is not None:
                self.present(self.workspace.write_session(session))

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
        """Puts the focus on the outputs, out of any field and pane."""
        self.remove_class("form")
        self.pane.sides[1].focus()

    def action_next_pane(self) -> None:
        strip = ["strip"] if self.has_class("narrow") else []
        why = ["why"] if self.state.view.report.ok is False else []
        panes = ["form", "rules", *strip, "inputs", "outputs", *why]
        focused = self.focused
        here = [node.id for node in (focused, *focused.ancestors)] if focused is not None else []
        at = next((i for i, name in enumerate(panes) if name in here), -1)
        name = panes[(at + 1) % len(panes)]
        if self.has_class("narrow"):
            self.set_class(name in ("form", "rules"), "form")
        if name == "form":
            self.form.focus_row("Operator")
        else:
            self.query_one(f"#{name}").focus()

    def focus_previous(self, selector: Any = "*") -> Widget | None:
        """Focuses the widget before, as Textual does, but enters the form at its last row."""
        widget = super().focus_previous(selector)
        if isinstance(widget, Form):
            widget.enter_last()
        return widget

    def action_help_keys(self) -> None:
        from ..dialogs.help import key_help

        self.app.push_screen(key_help(self.keymap, self._meaning.meaning, in_chain=self.state.chain is not None))

    @on(Form.TaskWanted)
    def _edit_task(self) -> None:
        self.action_make_task()

    @on(Form.HelpWanted)
    def action_help(self) -> None:
        """Explains the field that has the focus; else does what `action_help_keys` does."""
        from ..dialogs.help import field_help

        key = self.form.focused_key
        if key:
            self.app.push_screen(field_help(self.workspace.field_help(key)))
        else:
            self.action_help_keys()

    def action_colours(self) -> None:
        from ..dialogs.help import colour_help

        trace, op = self.state.view.trace, operator_of(self.state.document.experiment.desc)
        colours, filled = (trace.colours, filled_by(trace)) if trace is not None else (op, "")
        self.app.push_screen(colour_help(op, colours, filled, self.app.theme_variables.get("identity", "xterm")))

    # ---- running, and work in threads

    def action_run(self) -> None:
        self.present(self.workspace.run(self._tell_run, self._tell_readiness))

    @on(KernelPanel.Pressed)
    def _on_kernel_pressed(self) -> None:
        self.action_run()

    def warm_up(self, after: float) -> None:
        """From `after` seconds on, the kernel of the operator on the screen is got ready before anybody asks for it."""
        self.workspace.runs.warms = True
        self._warm_soon(after)

    def _warm_soon(self, after: float = WARM_AFTER) -> None:
        if self.workspace.runs.warms:
            if self._warming is not None:
                self._warming.stop()
            self._warming = self.set_timer(after, self._warm)

    def _warm(self) -> None:
        self.present(self.workspace.warm(self._tell_readiness))

    def _post(self, message: Message) -> None:
        """Posts a message from another thread."""
        with contextlib.suppress(RuntimeError):  # the program has ended
            self.post_message(message)

    def _tell_run(self, number: int, running: Running) -> None:
        self._post(self.RunHeard(number, running))

    def _tell_readiness(self, readiness: Readiness) -> None:
        self._post(self.ReadinessHeard(readiness))

    @on(RunHeard)
    def _on_run_heard(self, event: RunHeard) -> None:
        self.present(self.workspace.heard_run(event.number, event.running))

    @on(ReadinessHeard)
    def _on_readiness_heard(self, event: ReadinessHeard) -> None:
        self.present(self.workspace.heard_readiness(event.readiness))

    def _scan(self) -> None:
        """Lets a thread make the scans that the picture waits for."""
        view, job = self.state.view, self.workspace.scan_job()
        if job is not None:
            self._scans.ask(id(view), lambda: (view, job()))

    @on(BackgroundJob.Done)
    def _on_scanned(self, event: BackgroundJob.Done) -> None:
        assert isinstance(event.outcome, tuple), event.outcome
        view, report = event.outcome
        if view is self.state.view:
            self.present(self.workspace.scanned(report))

    def on_unmount(self) -> None:
        self.workspace.runs.runner.close()
