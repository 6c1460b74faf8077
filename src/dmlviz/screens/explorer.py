"""The main screen: what you build at the left, where every element goes at the right."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from ..checks import Fix, Report
from ..document import Document, sample
from ..errors import DmlvizError
from ..operators import operator_of, operators
from ..recent import Recent
from ..recovery import Keeper
from ..runner import Runner, Running, same_run
from ..scene.elements import first_reader_of, is_inside, source_of, value_of
from ..scene.figure import Cursor, Look, Partners, partners
from ..scene.level_strip import level_strip
from ..scene.memory import HEIGHT as MEMORY_LINES
from ..scene.pins import Pins
from ..scene.player import Phase, Player
from ..scene.reasons import KEYS, lights
from ..scene.shown import Shown, scan, show
from ..scene.stack import Scene, arrange
from ..scene.steps import Steps, Unit
from ..scene.vision import Vision
from ..scene.zoom import Zoom
from ..session import Experiment, History, Session
from ..tracing import Trace
from ..widgets.flow_lane import MOST, Chip, Flow, FlowLane
from ..widgets.footer_line import FooterLine
from ..widgets.form import Form
from ..widgets.form_rows import edited, form_rows, grown, moved
from ..widgets.formula_line import FormulaLine
from ..widgets.header_line import HeaderLine
from ..widgets.kernel_panel import KernelPanel
from ..widgets.level_strip import LevelStripLine
from ..widgets.memory_strip import MemoryStrip
from ..widgets.notes_panel import NotesPanel
from ..widgets.painted import Column, Ground, Row
from ..widgets.rules_panel import RulesPanel
from ..widgets.tensor_stack import TensorStack
from ..widgets.transport import State, Transport
from ..widgets.why_panel import WhyPanel
from . import files
from .cell_typing import CellTyping

FRAME = 1 / 30
"""Seconds from one frame to the next while playing."""
SHARE = 0.22
"""Of the processor's time, what playing takes at most."""
SMALLEST = (80, 24)
ROOMY = 22
"""Lines that are room enough for a picture, even where it doesn't fit."""
LETTER_ACTIONS = frozenset(
    {
        *("play", "step", "slower", "unit", "bookmark", "to_bookmark"),
        *("undo_letter", "leave_letter", "type_value", "copy"),
        *("fix", "run", "help_keys", "notes", "colours", "levels", "memory", "zoom", "details"),
    }
)
"""What letters and digits do; they never fire while a field has the focus."""


class Explorer(Screen[None], Ground):
    """The explorer on one session."""

    AUTO_FOCUS = "#outputs"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "play", id="steps.play"),
        Binding("comma", "step(-1)", "back", key_display=",", id="steps.back"),
        Binding("full_stop", "step(1)", "step", key_display=".", id="steps.forward"),
        Binding("less_than_sign", "slower(1)", "slower", key_display="<", id="steps.slower"),
        Binding("greater_than_sign", "slower(-1)", "faster", key_display=">", id="steps.faster"),
        Binding("s", "unit(1)", "unit", id="steps.unit"),
        Binding("S", "unit(-1)", "Unit before", show=False, id="steps.unit-back"),
        Binding("b", "bookmark", "bookmark", id="steps.bookmark"),
        Binding("left_square_bracket", "to_bookmark(-1)", "Previous bookmark", show=False, id="steps.bookmark-back"),
        Binding("right_square_bracket", "to_bookmark(1)", "Next bookmark", show=False, id="steps.bookmark-next"),
        Binding("home", "first", "First step", show=False, id="steps.first"),
        Binding("end", "last", "Last step", show=False, id="steps.last"),
        Binding("f", "fix(-1)", "fix", id="fix.first"),
        *(Binding(str(n), f"fix({n - 1})", f"Fix {n}", show=False, id=f"fix.{n}") for n in range(1, 10)),
        Binding("f3", "next_broken", "broken rule", id="rules.next"),
        Binding("o", "details", "Rules that hold", show=False, id="rules.all"),
        Binding("r,f5", "run", "run", id="kernel.run"),
        Binding("z", "zoom(1)", "zoom", id="view.zoom"),
        Binding("Z", "zoom(-1)", "Zoom back", show=False, id="view.zoom-back"),
        Binding("u", "undo_letter", "undo", show=False, id="edit.undo-letter"),
        Binding("ctrl+z", "undo", "Undo", show=False, priority=True, id="edit.undo"),
        Binding("ctrl+y", "redo", "Redo", show=False, priority=True, id="edit.redo"),
        Binding("e,f4", "type_value", "value", id="cell.type"),
        Binding("ctrl+g", "go_to", "go to", priority=True, id="cell.go-to"),
        Binding("v", "levels", "levels", id="view.levels"),
        Binding("m", "memory", "memory", id="view.memory"),
        Binding("question_mark", "help_keys", "keys", key_display="?", id="app.keys"),
        Binding("p", "colours", "Colour key", show=False, id="view.colours"),
        Binding("f2", "swap", "form", id="view.swap"),
        Binding("f6", "next_pane", "pane", priority=True, id="view.pane"),
        Binding("ctrl+left", "experiment(-1)", "Previous experiment", show=False, priority=True, id="session.previous"),
        Binding("ctrl+right", "experiment(1)", "next", show=False, priority=True, id="session.next"),
        Binding("ctrl+n", "new", "New", show=False, priority=True, id="session.new"),
        Binding("ctrl+o", "open", "open", priority=True, id="session.open"),
        Binding("ctrl+s", "save", "save", priority=True, id="session.save"),
        Binding("f12", "save_as", "Save as", show=False, priority=True, id="session.save-as"),
        Binding("ctrl+e", "experiments", "experiments", priority=True, id="session.experiments"),
        Binding("n", "notes", "notes", id="session.notes"),
        Binding("c", "copy", "copy", id="session.copy"),
        Binding("f1", "help", "Help", show=False, priority=True, id="app.help"),
        Binding("q", "leave_letter", "Quit", show=False, id="app.quit-letter"),
        Binding("ctrl+q", "leave", "quit", priority=True, id="app.quit"),
    ]

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
        self.scene: Scene | None = None
        self.steps: Steps | None = None
        self.player = Player()
        self.bookmarks: dict[str, frozenset[int]] = {}  # by experiment
        self.cursor: Cursor | None = None
        self.kernel = Running()
        self.runner = Runner()
        self._run_number = 0
        self.said: dict[str, str] = {}  # sentences about fields that can't be read
        self.memory: bool | None = None  # None: shown where there is room
        self._pins: dict[int, Pins] = {}
        self._scanning = False
        self._arranged: object = None
        self._memory_for: object = None
        self.zoom: Zoom | None = None  # None: the largest in which everything fits
        self._zoomed = ""  # the operator that the zoom was chosen for
        self._timer: Timer | None = None
        self._spent = 0.0, 0.0  # the clock and the processor's time at the last frame that was played
        self._next_broken = 0
        self.chosen: int | None = None  # the reason that is looked at, among `shown.why.reasons`
        self._choose_first()
        self._rows = form_rows(self.experiment, self.shown.report)
        # What is drawn on every press is not looked up each time.
        self._sides = TensorStack(is_output=False, id="inputs"), TensorStack(is_output=True, id="outputs")
        self._lane = FlowLane(id="lane")
        self._memory_strip = MemoryStrip(id="memory")
        self._formula = FormulaLine(id="formula")
        self._transport = Transport(id="transport")
        self._kernel_panel = KernelPanel(id="kernel")
        self._why = WhyPanel(id="why")
        self._footer = FooterLine(id="footer")
        self._caption = Static(id="caption")
        self._typing = CellTyping(self)
        self.letters: frozenset[str] = frozenset()
        """Actions that a user put on a letter or a digit."""
        self.keeper: Keeper | None = None
        self.recent: Recent | None = None

    @property
    def step(self) -> int | None:
        """The step that is shown; None where everything is written and the cursor is free."""
        return self.player.step

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
        self._set_size_classes(self.app.size)  # before there is anything that would be styled anew
        yield HeaderLine(id="header")
        with Row(id="body"):
            with Column(id="left"):
                yield Form(self._rows, id="form")
                yield LevelStripLine(id="levels")
                with Column(id="below"):
                    yield RulesPanel(id="rules")
                    yield NotesPanel(id="notes")
            with Column(id="right"):
                yield self._caption
                with Row(id="picture"):
                    yield self._sides[0]
                    yield self._lane
                    yield self._sides[1]
                yield self._memory_strip
                yield self._formula
                yield self._transport
                yield self._kernel_panel
                yield self._why
            yield NotesPanel(id="notes-wide")
        yield Static("space plays · arrows move the cell · ? lists the keys · F1 helps", id="hint")
        yield Static(
            f"dmlviz needs {SMALLEST[0]} columns and {SMALLEST[1]} lines.\nMake the terminal larger; nothing is lost.",
            id="too-small",
        )
        yield self._footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._redraw_all())
        for stack in self._stacks():
            self.watch(stack, "scroll_y", self._draw_lane, init=False)
        self._redraw_all()
        self._scan()

    def on_resize(self) -> None:
        self._set_size_classes(self.size)
        self.refresh_bindings()
        self._draw_header()
        self.call_after_refresh(self._draw)

    def _set_size_classes(self, size: Size) -> None:
        width, height = size
        self.set_class(width < 100, "narrow")
        self.set_class(width >= 170, "wide")
        self.set_class(height < 32, "low")
        self.set_class(height >= 44, "tall")
        self.set_class(width < SMALLEST[0] or height < SMALLEST[1], "tiny")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if (action in LETTER_ACTIONS or action in self.letters) and self._in_form():
            return False
        if action == "fix":
            return self._fix(int(str(parameters[0]))) is not None
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
        return self._typing.is_open or any(node.id == "form" for node in focused.ancestors_with_self)

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
            self.action_cancel_run()
            self.kernel = Running()  # a time is never shown for another desc
        self.shown = show(self.experiment, before)
        self._stop()
        self.player = replace(self.player.freed(), marks=self.bookmarks.get(self.experiment.name, frozenset()))
        self._next_broken = 0
        self._choose_first()
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
        self._rows = form_rows(self.experiment, shown.report)
        moves = self._make_room(not shown.report.ok)
        self._draw_header()
        self.query_one(Form).mark(self._broken_rows())
        self.query_one(Form).show(self._rows)
        self.query_one(LevelStripLine).show(level_strip(self.experiment, shown.report))
        self._draw_reasons()
        self._draw_notes()
        caption = self._caption
        if caption.display != bool(shown.caption):
            caption.display = bool(shown.caption)
            moves = True
        mark = Text.assemble((f" {shown.mark} ", "reverse"), "  ") if shown.mark else Text()
        caption.update(mark.append(shown.caption), layout=False)
        self.refresh_bindings()
        if moves or not self._sides[0].size.height:
            self.call_after_refresh(self._draw)  # the room for the picture is known then
        else:
            self._draw()

    def _draw_header(self) -> None:
        count = len(self.history.now.experiments)
        self.query_one(HeaderLine).show(self.shown, self.number, count, len(self.said), self.dirty)

    def _row_keys(self) -> frozenset[str]:
        return frozenset(row.key for row in self._rows)

    def _broken_rows(self) -> dict[str, str]:
        rows: dict[str, str] = dict.fromkeys(self.said, "error")
        keys = self._row_keys()
        for reason in self.shown.why.reasons:
            for check in reason.checks:
                for path in (check.field, *check.related):
                    severe = reason.is_error and path == check.field
                    rows.setdefault(_row_key(path, keys), "error" if severe else "warning")
        return rows

    def _make_room(self, invalid: bool) -> bool:
        """Gives the reason the room of what has no meaning until it is mended; True where that moves anything.

        By each widget's own style: a class would have every widget in the panel styled anew.
        """
        moves = False
        for widget in (self._formula, self._transport, self._kernel_panel, self._why):
            wanted = ("block" if widget is self._why else "none") if invalid else None
            if widget.styles.inline.get_rule("display", None) != wanted:
                widget.styles.display = wanted
                moves = True
        return moves

    def _draw_reasons(self) -> None:
        """The two panels that say what is broken; the chosen reason is marked in both."""
        self.query_one(RulesPanel).show(self.shown, tuple(self.said.values()), self.chosen)
        self._why.show(self.shown, self.chosen or 0)

    def _draw(self) -> None:
        """Lays the picture out for the room there is, and draws everything that follows from cursor and step."""
        if not self.is_mounted:
            return
        inputs, _ = self._stacks()
        trace = self.shown.trace
        picture = self.query_one("#picture").size
        width = picture.width - self._lane.outer_size.width - 2
        room = (width, self._place_memory(width))
        if trace is not None and trace.operator.name != self._zoomed:
            self.zoom, self._zoomed = None, trace.operator.name
        wanted = (id(trace), room, self.zoom)
        if trace is None:
            self.scene, self.steps, self.cursor = None, None, None
        elif self._arranged != wanted:
            old = self.cursor
            self.scene = arrange(trace, max(20, room[0]), max(4, room[1]), self.zoom)
            self.steps = self._steps(trace)
            share = self.scene.share + 1  # one column more, for a scroll bar
            if inputs.styles.width is None or inputs.styles.width.value != share:
                inputs.styles.width = share
                self.call_after_refresh(self._reveal)
            self.cursor = old if old is not None and is_inside(trace, old) else None
            if self.cursor is None:
                self.cursor = Steps(trace).element(1)
        rearranged = trace is not None and self._arranged != wanted
        self._arranged = wanted
        self._draw_picture()
        if rearranged:
            self._reveal()
            self._draw_lane()

    def _place_memory(self, width: int) -> int:
        """Shows the memory strip where it is wanted, or the picture leaves room for it; gives the picture's height."""
        strip, shown = self._memory_strip, self.shown
        own = MEMORY_LINES + (not self.has_class("low"))
        whole = self.query_one("#formula").region.y - self.query_one("#picture").region.y
        room = self.query_one("#transport").region.y  # pins come and go, and change nothing about that
        wanted = (shown.trace, self.size, room, self.memory, shown.live)
        if self._memory_for != wanted:
            self._memory_for = wanted
            strip.display = shown.live and (self._spares(width, whole - own) if self.memory is None else self.memory)
        return whole - own * strip.display

    def _spares(self, width: int, height: int) -> bool:
        """True if the whole picture fits into that much room and keeps its air; or if much is left to it."""
        if self.shown.trace is None or height < MEMORY_LINES or self.has_class("low"):
            return False
        layout = arrange(self.shown.trace, max(20, width), height).layout
        return layout.is_airy if layout.fits else height >= ROOMY

    def _stacks(self) -> tuple[TensorStack, TensorStack]:
        return self._sides

    def _draw_picture(self) -> None:
        inputs, outputs = self._stacks()
        scene, trace, steps = self.scene, self.shown.trace, self.steps
        self._footer.play(self.player.playing)
        if scene is None or trace is None or steps is None:
            for stack in (inputs, outputs):
                stack.show(None, Look(), Partners())
            self._lane.show(None)
            self._formula.show(None, None, False)
            self._memory_strip.show(None, None, Look())
            self._transport.show(State(seconds=self.player.seconds, unit=self.player.unit))
            self._draw_kernel()
            return
        if scene.trace is not trace:
            return  # the layout of what is shown now is on its way
        cursor = self.cursor
        self.scene = scene = scene.following(cursor)
        player = self.player
        links = player.links(partners(trace, cursor))
        lit = lights(self.shown.why.reasons[self.chosen] if self.chosen is not None else None)
        pins = self.pins.within(trace)
        if self.shown.live:
            self._pins[self.number] = pins
        look = player.look(steps, Look(cursor, None, not self.shown.live, lit.axes, lit.cells, pins=pins.marks(trace)))
        inputs.show(scene.inputs, look, links)
        outputs.show(scene.outputs, look, links)
        step, marks = player.now(steps.count), player.marked_steps(steps)
        self._transport.show(State(step, steps.count, player.playing, player.seconds, player.unit, marks))
        self._memory_strip.show(trace, cursor, look)
        self._formula.show(trace, cursor, self.shown.live, pins, lit=player.phase is Phase.RULE)
        self._draw_kernel()
        self._draw_lane()
        if self._typing.is_open:
            self.call_after_refresh(self._typing.place)

    def _draw_lane(self) -> None:
        lane, scene, trace, cursor = self._lane, self.scene, self.shown.trace, self.cursor
        if scene is None or trace is None or cursor is None or not self.shown.live or scene.trace is not trace:
            lane.show(None)
            return
        inputs, outputs = self._stacks()
        target = cursor if cursor.place.is_output else first_reader_of(trace, cursor)
        laid = inputs.stack is scene.inputs and outputs.stack is scene.outputs
        if target is None or not laid or self.player.phase is Phase.SOURCE:
            lane.show(None)
            return
        targets, count = [target], 1
        if self.steps is not None and self.step and cursor == self.steps.element(self.step):
            targets, count = self.steps.moved(self.step, MOST)
        source = source_of(trace, target)  # of what an index sends too: the value comes from the data
        start, stop = inputs.level_of(source), outputs.level_of(target)
        if start is None or stop is None:
            lane.show(None)
            return
        way = self.player.way
        chips = [Chip(*value_of(trace, each)) for each in targets] if way is not None else []
        lane.show(Flow(tuple(chips), start, stop, count - len(targets) if chips else 0, way or 0))

    # ---- the form

    @on(Form.Edited)
    def _on_edited(self, event: Form.Edited) -> None:
        key = event.key
        self.query_one(Form).heard(key)
        try:
            if key == "Operator":
                self._choose_operator(event.text)
                return
            changed = edited(self.experiment, key, event.text)
        except DmlvizError as error:
            self.said[key] = str(error)
            self._redraw_all()
            return
        self.said.pop(key, None)
        self.edit(changed, ("field", self.number, key))

    @on(Form.Grown)
    def _on_grown(self, event: Form.Grown) -> None:
        self.edit(grown(self.experiment, event.key, event.more))

    @on(LevelStripLine.Chosen)
    def _on_level_chosen(self, event: LevelStripLine.Chosen) -> None:
        self.edit(replace(self.experiment, feature_level=event.level))

    @on(LevelStripLine.Opened)
    def action_levels(self) -> None:
        from .levels import LevelsScreen

        self.app.push_screen(LevelsScreen(self.experiment, self.edit))

    @on(Form.Moved)
    def _on_moved(self, event: Form.Moved) -> None:
        self.edit(moved(self.experiment, event.key, event.by))

    @on(Form.Left)
    def _on_left(self, event: Form.Left) -> None:
        self.history.pause()
        # What couldn't be read goes with the focus; the document never held it.
        if self.said.pop(event.key, None) is not None:
            self._redraw_all()

    def _choose_operator(self, name: str) -> None:
        """Another operator is another desc: the one of its first example, so that no form is ever empty."""
        found = sample(next(t for t, o in operators().items() if o.name == name))
        lowest = found.check().lowest_level
        assert lowest is not None
        level = max(self.experiment.feature_level, lowest)
        self.said.clear()
        values, folder = found.values, found.folder
        self.edit(replace(self.experiment, desc=found.desc, feature_level=level, values=values, folder=folder))

    def on_descendant_blur(self) -> None:
        self.history.pause()
        # What couldn't be read goes with the focus; the document never held it.
        kept = {key: text for key, text in self.said.items() if key == self.query_one(Form).focused_key()}
        if kept != self.said:
            self.said = kept
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
        self._stop()
        if self.shown.trace is not None and is_inside(self.shown.trace, event.cursor):
            self.point(event.cursor)  # else it was pointed at in a picture that has gone

    @property
    def pins(self) -> Pins:
        """The pinned elements of this experiment."""
        return self._pins.get(self.number, Pins())

    @on(TensorStack.Pinned)
    def _on_pinned(self, event: TensorStack.Pinned) -> None:
        if self.shown.live:
            self._pins[self.number] = self.pins.escaped() if event.cursor is None else self.pins.toggled(event.cursor)
            self._draw_picture()

    def action_memory(self) -> None:
        self.memory = not self._memory_strip.display
        self.prefer("memory", self.memory)
        self._draw()

    def point(self, cursor: Cursor) -> None:
        """Looks at an element, and scrolls there."""
        self.cursor = cursor
        self._reveal()
        self._draw_picture()

    def _reveal(self) -> None:
        """Scrolls both sides so that the cursor's element and its source are seen."""
        cursor, scene = self.cursor, self.scene
        if cursor is None or scene is None or not self.shown.live or scene.trace is not self.shown.trace:
            return
        inputs, outputs = self._stacks()
        if inputs.stack is None or inputs.stack.family is not scene.inputs.family:
            return
        if cursor.place.is_output:
            # The end of what a step writes before its beginning, so that as much of it is seen as there is room for.
            for each in (*self._ends(cursor), cursor):
                outputs.reveal(each)
                inputs.reveal(source_of(scene.trace, each))
        else:
            inputs.reveal(cursor)

    def action_type_value(self) -> None:
        self._stop()
        self._typing.open()

    @work
    async def action_go_to(self) -> None:
        from .go_to import GoToDialog

        trace, steps = self.shown.trace, self.steps
        if trace is None or steps is None or not self.shown.live or steps.trace is not trace:
            return
        found = await self.app.push_screen_wait(GoToDialog(trace, self.cursor, steps.count))
        if found is None or self.shown.trace is not trace:
            return
        self._stop()
        if isinstance(found, int):
            self._go(found)
        else:
            self.point(found)

    # ---- steps

    def _ends(self, cursor: Cursor) -> list[Cursor]:
        """The last element of the present step's run or slice, where the cursor is on its first."""
        steps, step = self.steps, self.step
        if steps is None or not step or steps.unit not in (Unit.RUN, Unit.SLICE) or steps.trace is not self.shown.trace:
            return []
        group = steps.group(step)
        if group is None or group.elements(0, 1) != [cursor]:
            return []
        return group.elements(group.count - 1, group.count)

    @on(Transport.Pressed)
    def _on_pressed(self, event: Transport.Pressed) -> None:
        actions: dict[str, Callable[[], None]] = {
            "first": self.action_first,
            "back": lambda: self.action_step(-1),
            "play": self.action_play,
            "forward": lambda: self.action_step(1),
            "last": self.action_last,
            "unit": lambda: self.action_unit(1),
            "speed": lambda: self._play(self.player.next_speed(time.monotonic())),
        }
        actions[event.name]()

    @on(Transport.Scrubbed)
    def _on_scrubbed(self, event: Transport.Scrubbed) -> None:
        if self.steps is not None:
            self._go(round(event.share * self.steps.count))

    @on(Transport.Jumped)
    def _on_jumped(self, event: Transport.Jumped) -> None:
        self._go(event.step)

    def _steps(self, trace: Trace) -> Steps:
        return Steps(trace, self.player.unit)

    def _go(self, step: int) -> None:
        """Shows the picture after `step` steps."""
        if self.steps is not None and self.shown.live and self.steps.trace is self.shown.trace:
            self._play(self.player.at(step, self.steps.count))

    def _play(self, player: Player) -> None:
        """Shows what a player shows, and keeps its time while it plays."""
        moved = player.step is not None and (player.step, player.unit) != (self.player.step, self.player.unit)
        self.player = player
        if player.playing and self._timer is None:
            self._timer = self.set_interval(FRAME, self._tick)
            self._spent = time.monotonic(), time.thread_time()
        elif not player.playing:
            self._stop()
        if self.steps is None or self.steps.trace is not self.shown.trace:
            return
        if self.steps.unit is not player.unit:
            self.steps = self._steps(self.steps.trace)
        if moved and player.step is not None:
            self.cursor = self.steps.element(max(1, player.step))
            self._reveal()
        self._draw_picture()

    def _tick(self) -> None:
        if self.steps is None:
            self._stop()
            return
        now, used = time.monotonic(), time.thread_time()
        drawn, before = self._spent
        if used - before > SHARE * (now - drawn):
            return  # frames that cost much come less often
        player = self.player.ticked(now, self.steps.count)
        if player != self.player:
            self._spent = now, used
            self._play(player)

    def _stop(self) -> None:
        """What plays is at rest, its step done."""
        self.player = self.player.stopped()
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _now(self) -> int:
        return self.player.now(self.steps.count) if self.steps is not None else 0

    def action_step(self, by: int) -> None:
        self._go(self._now() + by)

    def action_first(self) -> None:
        self._go(0)

    def action_last(self) -> None:
        if self.steps is not None:
            self._go(self.steps.count)

    def action_play(self) -> None:
        steps, player = self.steps, self.player
        if steps is None or not self.shown.live or steps.trace is not self.shown.trace:
            return
        if player.playing:
            self._play(player.stopped())
        elif self.app.animation_level == "none":
            # Reduced motion: a key press is a step.
            self._go(player.now(steps.count) % steps.count + 1)
        else:
            self._play(player.played(time.monotonic(), steps.count))

    def action_slower(self, by: int) -> None:
        self._play(self.player.slower(by, time.monotonic()))
        self.prefer("seconds", self.player.seconds)

    def action_unit(self, by: int) -> None:
        if self.steps is not None and self.shown.live:
            self._play(self.player.next_unit(by, self.steps.trace))
            self.prefer("unit", self.player.unit.value)

    def action_bookmark(self) -> None:
        if self.steps is not None and self.shown.live:
            self._play(self.player.marked(self.steps))
            self.bookmarks[self.experiment.name] = self.player.marks

    def action_to_bookmark(self, by: int) -> None:
        if self.steps is not None and self.shown.live:
            self._play(self.player.to_mark(by, self.steps))

    # ---- rules and fixes

    def action_fix(self, number: int) -> None:
        fix = self._fix(number)
        if fix is not None:
            self.said.clear()
            self.edit(replace(self.experiment, desc=fix.desc, feature_level=fix.feature_level))
            self.query_one(Form).refill()

    def _fix(self, number: int) -> Fix | None:
        """Fix `number`, from 0; -1 for the first of those that mend the reason that is looked at."""
        reason = self.shown.why.reasons[self.chosen] if self.chosen is not None else None
        if number < 0:
            number = reason.fixes[0] if reason is not None and reason.fixes else KEYS
        fixes = self.shown.why.fixes[:KEYS]
        return fixes[number] if number < len(fixes) else None

    @on(WhyPanel.Chosen)
    @on(RulesPanel.Chosen)
    def _on_fix_chosen(self, event: WhyPanel.Chosen | RulesPanel.Chosen) -> None:
        self.action_fix(event.number)

    def action_next_broken(self) -> None:
        """Looks at the next broken rule or warning, and puts the focus on the field that it names."""
        targets = [*self.said, *range(len(self.shown.why.reasons))]
        if not targets:
            return
        target = targets[self._next_broken % len(targets)]
        self._next_broken += 1
        if isinstance(target, int):
            self._pick(target)
            target = _row_key(self.shown.why.reasons[target].first.field, self._row_keys())
        if self.has_class("narrow"):
            self.add_class("form")
        self.query_one(Form).focus_row(target)

    @on(WhyPanel.Picked)
    @on(RulesPanel.Picked)
    def _on_reason_picked(self, event: WhyPanel.Picked | RulesPanel.Picked) -> None:
        self._next_broken = len(self.said) + event.number
        self.action_next_broken()

    def _pick(self, number: int | None) -> None:
        """Looks at a reason: it is told in full, and what it concerns lights up."""
        self.chosen = number
        self._draw_reasons()
        self._draw_picture()

    def _choose_first(self) -> None:
        """A broken rule is looked at from the start, a warning only when it is asked for: the picture is valid then."""
        self.chosen = 0 if self.shown.why.errors else None

    def action_details(self) -> None:
        self.query_one(RulesPanel).action_open_all()
        self._why.action_details()

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
        self.cursor = None
        self.document_changed()

    def open_session(self, session: Session, path: Path | None) -> None:
        """Shows another session; the one before has been saved or given up."""
        self.open_document(Document(session, path))

    def open_document(self, document: Document) -> None:
        """Shows another document; the one before has been saved or given up."""
        self.document, self.cursor = document, None
        self._pins.clear()
        self.said.clear()
        self.bookmarks.clear()
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
        from .experiments import Experiments

        self.app.push_screen(Experiments(self.document, self._keep), lambda _: self._after_experiments())

    def _after_experiments(self) -> None:
        before, now = self.shown.experiment, self.experiment
        alike = replace(before, name=now.name, notes=now.notes, extra=now.extra)
        if alike == now and before.desc.inferred == now.desc.inferred:
            self.words_changed()
            return
        self.said.clear()
        self.cursor = None
        self.document_changed()
        self.call_after_refresh(self.query_one(Form).refill)

    def action_notes(self) -> None:
        from .notes import NotesEditor

        self.app.push_screen(NotesEditor(self.document, self.words_changed))

    @work
    async def action_copy(self) -> None:
        from . import copying

        await copying.copy(self)

    def action_help(self) -> None:
        from .help import HelpSheet

        self.app.push_screen(HelpSheet(self))

    # ---- panes

    def action_zoom(self, by: int) -> None:
        """Draws cells smaller or larger; stays until the operator changes."""
        if self.scene is not None:
            self.zoom = self.scene.zoom.turned(by)
            self._draw()

    def action_swap(self) -> None:
        self.toggle_class("form")
        if self.has_class("form"):
            self.query_one(Form).focus_row("Operator")
        else:
            self._stacks()[1].focus()

    def action_next_pane(self) -> None:
        panes = ["form", "rules", "inputs", "outputs"] + (["why"] if not self.shown.report.ok else [])
        focused = self.focused
        here = [n.id for n in (focused, *focused.ancestors)] if focused is not None else []
        at = next((i for i, name in enumerate(panes) if name in here), -1)
        name = panes[(at + 1) % len(panes)]
        if self.has_class("narrow"):
            self.set_class(name in ("form", "rules"), "form")
        if name == "form":
            self.query_one(Form).focus_row("Operator")
        else:
            self.query_one(f"#{name}").focus()

    def focus_previous(self, selector: Any = "*") -> Widget | None:
        """As every screen's, but the form is entered at its last row."""
        found = super().focus_previous(selector)
        if isinstance(found, Form):
            found.enter_last()
        return found

    def action_help_keys(self) -> None:
        from .keys import KeySheet

        self.app.push_screen(KeySheet(self))

    @on(NotesPanel.Wanted)
    def _on_notes_wanted(self) -> None:
        self.action_notes()

    def action_colours(self) -> None:
        from .colours import ColourKey

        seen = getattr(self.app, "vision", Vision.NORMAL)
        self.app.push_screen(ColourKey(operator_of(self.experiment.desc), seen))

    # ---- running

    @on(KernelPanel.Pressed)
    def action_run(self) -> None:
        """Runs and times the desc; cancels that while it goes on."""
        if self.kernel.busy:
            self.action_cancel_run()
        elif self.shown.live:
            self._run_number += 1
            number = self._run_number

            def tell(state: Running) -> None:
                with contextlib.suppress(RuntimeError):  # the program has ended
                    self.post_message(self.Timed(number, state))

            self.kernel = Running("starting", since=time.monotonic())
            self.runner.start(self.experiment, tell)
            self._draw_kernel()

    def action_cancel_run(self) -> None:
        if self.kernel.busy:
            self._run_number += 1  # what is on its way is of no run any more
            self.runner.cancel()
            self.kernel = Running()
            self._draw_kernel()

    @on(Timed)
    def _on_timed(self, event: Timed) -> None:
        if event.number == self._run_number:
            self.kernel = event.state
            self._draw_kernel()

    def _draw_kernel(self) -> None:
        self._kernel_panel.show(self.kernel, self.experiment, self.shown.live)
        self._footer.busy(self.kernel.busy)

    def on_unmount(self) -> None:
        self.runner.close()


def _row_key(path: str, rows: frozenset[str]) -> str:
    """The form's row for a field path: `InputTensors[1].Sizes[2]` to `InputTensors[1]`, `Repeats[0]` to `Repeats`."""
    head, dot, rest = path.partition(".")
    if f"{path.split('[', 1)[0]}.values" in rows and "[" in path and not dot:
        return f"{path.split('[', 1)[0]}.values"  # a cell of the indices or lengths
    if rest == "DataType" and path not in rows:
        return "DataType"
    if path in rows:
        return path
    return head if dot or not head.startswith("Repeats[") else "Repeats"
