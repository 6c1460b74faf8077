"""The main screen: what you build at the left, where every element goes at the right."""

from __future__ import annotations

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
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Footer, Static

from ..checks import Severity
from ..errors import DmlvizError, plain
from ..operators import operators
from ..scene.elements import first_reader_of, is_inside, source_of, value_of
from ..scene.figure import Cursor, Look, Partners, partners
from ..scene.shown import Shown, show
from ..scene.stack import Scene, arrange
from ..scene.steps import Steps
from ..session import Experiment, History, Session, same_file, save
from ..widgets.flow_lane import Flow, FlowLane
from ..widgets.form import Form
from ..widgets.form_rows import edited, form_rows, grown, moved
from ..widgets.formula_line import FormulaLine
from ..widgets.header_line import HeaderLine
from ..widgets.kernel_panel import KernelPanel
from ..widgets.rules_panel import RulesPanel
from ..widgets.running import Running, timed
from ..widgets.tensor_stack import TensorStack
from ..widgets.transport import Transport
from ..widgets.why_panel import WhyPanel, numbered

FRAME = 1 / 30
SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
"""Seconds a pass."""
SMALLEST = (80, 24)
LETTER_ACTIONS = frozenset(
    {"play", "step", "undo_letter", "fix", "run", "slower", "help_keys", "leave_letter", "notes"}
)
"""What letters and digits do; they never fire while a field has the focus."""


class Explorer(Screen[None]):
    """The explorer on one session."""

    AUTO_FOCUS = "#outputs"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "play", id="steps.play"),
        Binding("comma", "step(-1)", "back", key_display=",", id="steps.back"),
        Binding("full_stop", "step(1)", "step", key_display=".", id="steps.forward"),
        Binding("less_than_sign", "slower(1)", "Slower", show=False, id="steps.slower"),
        Binding("greater_than_sign", "slower(-1)", "Faster", show=False, id="steps.faster"),
        Binding("home", "first", "First step", show=False, id="steps.first"),
        Binding("end", "last", "Last step", show=False, id="steps.last"),
        Binding("f", "fix(0)", "fix", id="fix.first"),
        *(Binding(str(n), f"fix({n - 1})", f"Fix {n}", show=False, id=f"fix.{n}") for n in range(1, 10)),
        Binding("f3", "next_broken", "broken rule", id="rules.next"),
        Binding("r,f5", "run", "run", id="kernel.run"),
        Binding("u", "undo_letter", "undo", show=False, id="edit.undo-letter"),
        Binding("ctrl+z", "undo", "Undo", show=False, priority=True, id="edit.undo"),
        Binding("ctrl+y", "redo", "Redo", show=False, priority=True, id="edit.redo"),
        Binding("question_mark", "help_keys", "keys", key_display="?", id="app.keys"),
        Binding("f2", "swap", "form", id="view.swap"),
        Binding("f6", "next_pane", "pane", show=False, priority=True, id="view.pane"),
        Binding("ctrl+left", "experiment(-1)", "Previous experiment", show=False, priority=True, id="session.previous"),
        Binding("ctrl+right", "experiment(1)", "next", show=False, priority=True, id="session.next"),
        Binding("ctrl+o", "open", "open", priority=True, id="session.open"),
        Binding("ctrl+s", "save", "save", priority=True, id="session.save"),
        Binding("f12", "save_as", "Save as", show=False, priority=True, id="session.save-as"),
        Binding("q", "leave_letter", "Quit", show=False, id="app.quit-letter"),
        Binding("ctrl+q", "leave", "quit", priority=True, id="app.quit"),
    ]

    class Timed(Message):
        """The kernel ran, or couldn't."""

        def __init__(self, experiment: Experiment, state: Running) -> None:
            super().__init__()
            self.experiment = experiment
            self.state = state

    def __init__(self, session: Session, path: Path | None) -> None:
        super().__init__()
        self.history = History(session)
        self.saved = session
        self.path = path
        self.number = 0
        self.shown: Shown = show(session.experiments[0])
        self.scene: Scene | None = None
        self.steps: Steps | None = None
        self.step: int | None = None  # None: everything is written, and the cursor is free
        self.cursor: Cursor | None = None
        self.seconds = 2.0
        self.kernel = Running()
        self.said: dict[str, str] = {}  # sentences about fields that can't be read
        self._arranged: object = None
        self._timer: Timer | None = None
        self._began = 0.0
        self._next_broken = 0
        self._rows = form_rows(self.experiment, self.shown.report)

    # ---- the document

    @property
    def experiment(self) -> Experiment:
        return self.history.now.experiments[self.number]

    @property
    def dirty(self) -> bool:
        """True if the session has changes that no file holds."""
        return not same_file(self.history.now, self.saved)

    def compose(self) -> ComposeResult:
        self._set_size_classes(self.app.size)  # before there is anything that would be styled anew
        yield HeaderLine(id="header")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield Form(self._rows, id="form")
                yield RulesPanel(id="rules")
            with Vertical(id="right"):
                yield Static(id="caption")
                with Horizontal(id="picture"):
                    yield TensorStack(is_output=False, id="inputs")
                    yield FlowLane(id="lane")
                    yield TensorStack(is_output=True, id="outputs")
                yield FormulaLine(id="formula")
                yield Transport(id="transport")
                yield KernelPanel(id="kernel")
                yield WhyPanel(id="why")
        yield Static(
            f"dmlviz needs {SMALLEST[0]} columns and {SMALLEST[1]} lines.\nMake the terminal larger; nothing is lost.",
            id="too-small",
        )
        yield Footer()

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._redraw_all())
        self._redraw_all()

    def on_resize(self) -> None:
        self._set_size_classes(self.size)
        self.refresh_bindings()
        self._draw_header()
        self.call_after_refresh(self._draw)

    def _set_size_classes(self, size: Size) -> None:
        width, height = size
        self.set_class(width < 100, "narrow")
        self.set_class(width >= 150, "wide")
        self.set_class(height < 32, "low")
        self.set_class(width < SMALLEST[0] or height < SMALLEST[1], "tiny")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in LETTER_ACTIONS and self._in_form():
            return False
        if action == "fix":
            return len(numbered(self.shown)) > int(str(parameters[0]))
        if action == "next_broken":
            return bool(self.shown.report.errors or self.said)
        if action == "swap":
            return self.has_class("narrow")
        if action in ("play", "step", "run"):
            return self.shown.live
        return True

    def _in_form(self) -> bool:
        focused = self.focused
        return focused is not None and any(node.id == "form" for node in focused.ancestors_with_self)

    def edit(self, experiment: Experiment, key: object = None) -> None:
        """Makes an edited experiment the present one; edits with one key that follow each other undo as one."""
        self.history.edit(self.history.now.with_experiment(self.number, experiment), key)
        self._document_changed()

    def _document_changed(self) -> None:
        before = self.shown if self.shown.experiment.desc.TYPE == self.experiment.desc.TYPE else None
        if before is not None and before.experiment.name != self.experiment.name:
            before = None
        self.shown = show(self.experiment, before)
        self.kernel = Running()
        self.step = None
        self._stop()
        self._next_broken = 0
        self._redraw_all()

    # ---- drawing

    def _redraw_all(self) -> None:
        shown = self.shown
        self._rows = form_rows(self.experiment, shown.report)
        # On the panel and not on the screen, whose every widget would be styled anew.
        self.query_one("#right").set_class(not shown.report.ok, "invalid")
        self._draw_header()
        self.query_one(Form).mark(self._broken_rows())
        self.query_one(Form).show(self._rows)
        self.query_one(RulesPanel).show(shown, tuple(self.said.values()))
        self.query_one(WhyPanel).show(shown)
        caption = self.query_one("#caption", Static)
        caption.set_class(bool(shown.caption), "on")
        caption.update(Text(shown.caption, no_wrap=True, overflow="ellipsis"), layout=False)
        self.refresh_bindings()
        self.call_after_refresh(self._draw)

    def _draw_header(self) -> None:
        count = len(self.history.now.experiments)
        self.query_one(HeaderLine).show(self.shown, self.number, count, len(self.said), self.dirty)

    def _row_keys(self) -> frozenset[str]:
        return frozenset(row.key for row in self._rows)

    def _broken_rows(self) -> dict[str, str]:
        rows: dict[str, str] = dict.fromkeys(self.said, "error")
        keys = self._row_keys()
        for check in self.shown.report.errors:
            for path in (check.field, *check.related):
                rows.setdefault(_row_key(path, keys), "error" if path == check.field else "warning")
        return rows

    def _draw(self) -> None:
        """Lays the picture out for the room there is, and draws everything that follows from cursor and step."""
        if not self.is_mounted:
            return
        inputs, _ = self._stacks()
        trace = self.shown.trace
        picture = self.query_one("#picture").size
        room = (picture.width - self.query_one(FlowLane).outer_size.width - 2, picture.height - 1)
        wanted = (id(trace), room)
        if trace is None:
            self.scene, self.steps, self.cursor = None, None, None
        elif self._arranged != wanted:
            old = self.cursor
            self.scene, self.steps = arrange(trace, max(20, room[0]), max(4, room[1])), Steps(trace)
            inputs.styles.width = self.scene.share + 1  # one column more, for a scroll bar
            self.cursor = old if old is not None and is_inside(trace, old) else None
            if self.cursor is None:
                self.cursor = Steps(trace).element(1)
            self.call_after_refresh(self._reveal)
        self._arranged = wanted
        self._draw_picture()

    def _stacks(self) -> tuple[TensorStack, TensorStack]:
        return self.query_one("#inputs", TensorStack), self.query_one("#outputs", TensorStack)

    def _draw_picture(self) -> None:
        inputs, outputs = self._stacks()
        scene, trace, steps = self.scene, self.shown.trace, self.steps
        transport = self.query_one(Transport)
        if scene is None or trace is None or steps is None:
            for stack in (inputs, outputs):
                stack.show(None, Look(), Partners())
            self.query_one(FlowLane).show(None)
            self.query_one(FormulaLine).show(None, None, False)
            transport.show(0, 0, False, self.seconds)
            self.query_one(KernelPanel).show(self.kernel)
            return
        if scene.trace is not trace:
            return  # the layout of what is shown now is on its way
        cursor = self.cursor
        links = partners(trace, cursor)
        broken = frozenset(_axes_of(self.shown)) if not self.shown.live else frozenset()
        look = Look(cursor, self.step, not self.shown.live, broken)
        inputs.show(scene.inputs, look, links)
        outputs.show(scene.outputs, look, links)
        step = steps.count if self.step is None else self.step
        transport.show(step, steps.count, self._timer is not None, self.seconds)
        self.query_one(FormulaLine).show(trace, cursor, self.shown.live)
        self.query_one(KernelPanel).show(self.kernel)
        self.call_after_refresh(self._draw_lane)

    def _draw_lane(self) -> None:
        lane, scene, trace, cursor = self.query_one(FlowLane), self.scene, self.shown.trace, self.cursor
        if scene is None or trace is None or cursor is None or not self.shown.live or scene.trace is not trace:
            lane.show(None)
            return
        inputs, outputs = self._stacks()
        target = cursor if cursor.place.is_output else first_reader_of(trace, cursor)
        if target is None:
            lane.show(None)
            return
        source = source_of(trace, target)  # of what an index sends too: the value comes from the data
        text, identity = value_of(trace, target)
        if inputs.stack is not scene.inputs or outputs.stack is not scene.outputs:
            return
        lane.show(Flow(text, identity, inputs.line_of(source), outputs.line_of(target)))

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
        from .. import library

        kind = next(t for t, o in operators().items() if o.name == name)
        for each in library.shelf():
            for found in each.session().experiments:
                lowest = found.check().lowest_level
                if kind == found.desc.TYPE and lowest is not None:
                    self.said.clear()
                    level = max(self.experiment.feature_level, lowest)
                    values, folder = found.values, found.folder
                    self.edit(
                        replace(self.experiment, desc=found.desc, feature_level=level, values=values, folder=folder)
                    )
                    return

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
    def _on_pointed(self, event: TensorStack.Pointed) -> None:
        self._stop()
        if self.shown.trace is not None and is_inside(self.shown.trace, event.cursor):
            self._point(event.cursor)  # else it was pointed at in a picture that has gone

    def _point(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self._reveal()
        self._draw_picture()

    def _reveal(self) -> None:
        """Scrolls both sides so that the cursor's element and its source are seen."""
        cursor, scene = self.cursor, self.scene
        if cursor is None or scene is None or not self.shown.live or scene.trace is not self.shown.trace:
            return
        inputs, outputs = self._stacks()
        if inputs.stack is not scene.inputs:
            return
        if cursor.place.is_output:
            outputs.reveal(cursor)
            inputs.reveal(source_of(scene.trace, cursor))
        else:
            inputs.reveal(cursor)

    @on(Transport.Pressed)
    def _on_pressed(self, event: Transport.Pressed) -> None:
        actions: dict[str, Callable[[], None]] = {
            "first": self.action_first,
            "back": lambda: self.action_step(-1),
            "play": self.action_play,
            "forward": lambda: self.action_step(1),
            "last": self.action_last,
            "speed": lambda: self.action_slower(1 if self.seconds < SPEEDS[-1] else -len(SPEEDS)),
        }
        actions[event.name]()

    @on(Transport.Scrubbed)
    def _on_scrubbed(self, event: Transport.Scrubbed) -> None:
        if self.steps is not None:
            self._stop()
            self._go(round(event.share * self.steps.count))

    def _go(self, step: int) -> None:
        """Shows the picture after `step` steps."""
        if self.steps is None or not self.shown.live or self.steps.trace is not self.shown.trace:
            return
        self.step = min(max(step, 0), self.steps.count)
        element = self.steps.element(self.step)
        if element is not None:
            self.cursor = element
            self._reveal()
        self._draw_picture()

    def _now(self) -> int:
        if self.steps is None:
            return 0
        return self.steps.count if self.step is None else self.step

    def action_step(self, by: int) -> None:
        self._stop()
        self._go(self._now() + by)

    def action_first(self) -> None:
        self._stop()
        self._go(0)

    def action_last(self) -> None:
        self._stop()
        if self.steps is not None:
            self._go(self.steps.count)

    def action_play(self) -> None:
        if self.steps is None:
            return
        if self._timer is not None:
            self._stop()
            self._draw_picture()
            return
        if self._now() >= self.steps.count:
            self.step = 0
        if self.app.animation_level == "none":
            self._go(self._now() + 1)  # reduced motion: a key press is a step
            return
        self._began = time.monotonic() - self._now() / self.steps.count * self.seconds
        self._timer = self.set_interval(FRAME, self._tick)
        self._draw_picture()

    def _tick(self) -> None:
        if self.steps is None:
            self._stop()
            return
        share = (time.monotonic() - self._began) / self.seconds
        step = min(int(share * self.steps.count) + 1, self.steps.count)
        if step >= self.steps.count:
            self._stop()
        if step != self.step:
            self._go(step)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def action_slower(self, by: int) -> None:
        at = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.seconds))
        share = (time.monotonic() - self._began) / self.seconds
        self.seconds = SPEEDS[min(max(at + by, 0), len(SPEEDS) - 1)]
        self._began = time.monotonic() - share * self.seconds  # a pass goes on from where it is
        self._draw_picture()

    # ---- rules and fixes

    def action_fix(self, number: int) -> None:
        fixes = numbered(self.shown)
        if number < len(fixes):
            fix = fixes[number][1]
            self.said.clear()
            self.edit(replace(self.experiment, desc=fix.desc, feature_level=fix.feature_level))
            self.query_one(Form).refill()

    @on(WhyPanel.Chosen)
    def _on_fix_chosen(self, event: WhyPanel.Chosen) -> None:
        self.action_fix(event.number)

    def action_next_broken(self) -> None:
        """Puts the focus on the field that the next broken rule names."""
        rows = self._row_keys()
        keys = [*self.said, *(_row_key(c.field, rows) for c in self.shown.report.errors)]
        if not keys:
            return
        key = keys[self._next_broken % len(keys)]
        self._next_broken += 1
        if self.has_class("narrow"):
            self.add_class("form")
        self.query_one(Form).focus_row(key)

    # ---- history and files

    def action_undo(self) -> None:
        if self.history.undo():
            self._after_history()

    def action_undo_letter(self) -> None:
        self.action_undo()

    def action_redo(self) -> None:
        if self.history.redo():
            self._after_history()

    def _after_history(self) -> None:
        self.number = min(self.number, len(self.history.now.experiments) - 1)
        self.said.clear()
        self._document_changed()
        self.call_after_refresh(self.query_one(Form).refill)

    def action_experiment(self, by: int) -> None:
        count = len(self.history.now.experiments)
        self.number = (self.number + by) % count
        self.said.clear()
        self.cursor = None
        self._document_changed()

    def open_session(self, session: Session, path: Path | None) -> None:
        """Shows another session; the one before has been saved or given up."""
        self.history, self.saved, self.path = History(session), session, path
        self.number, self.cursor = 0, None
        self.said.clear()
        self._document_changed()

    @work
    async def action_open(self) -> None:
        from .open import OpenDialog

        if not await self._may_leave():
            return
        found = await self.app.push_screen_wait(OpenDialog())
        if found is not None:
            self.open_session(*found)

    @work
    async def action_save(self) -> None:
        await self._save(self.path)

    @work
    async def action_save_as(self) -> None:
        await self._save(None)

    async def _save(self, path: Path | None) -> bool:
        """Saves to `path`, or to a file that is asked for; True if the session is in a file then."""
        from .ask import AskName, AskReplace

        while True:
            if path is None:
                name = await self.app.push_screen_wait(AskName("Save as", str(self.path or "session.json")))
                if name is None:
                    return False
                path = Path(name).expanduser()
                if path.exists() and path != self.path and not await self.app.push_screen_wait(AskReplace(name)):
                    path = None
                    continue
            try:
                save(self.history.now, path)
            except DmlvizError as error:
                self.notify(str(error), severity="error", markup=False)
                path = None
                continue
            self.path, self.saved = path, self.history.now
            self.notify(f"saved to {plain(str(path))}", markup=False)
            self._draw_header()
            return True

    async def _may_leave(self) -> bool:
        """True if nothing would be lost: asks where there are unsaved changes."""
        from .ask import AskUnsaved

        if not self.dirty:
            return True
        answer = await self.app.push_screen_wait(AskUnsaved())
        if answer == "save":
            return await self._save(self.path)
        return answer == "discard"

    @work
    async def action_leave(self) -> None:
        if await self._may_leave():
            self.app.exit()

    def action_leave_letter(self) -> None:
        self.action_leave()

    # ---- panes

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
        from ..widgets.number_input import NumberInput
        from .keys import KeySheet

        own = [*self.BINDINGS, *TensorStack.BINDINGS, *RulesPanel.BINDINGS]
        bindings = [*own, *Form.BINDINGS, *NumberInput.BINDINGS]
        self.app.push_screen(KeySheet(b for b in bindings if isinstance(b, Binding)))

    # ---- running

    def action_run(self) -> None:
        if self.shown.live and not self.kernel.busy:
            self.kernel = Running(busy=True)
            self._draw_picture()
            # Nobody waits for it: a run that takes minutes ends with the program.
            threading.Thread(target=self._run, args=(self.experiment,), daemon=True).start()

    def _run(self, experiment: Experiment) -> None:
        self.post_message(self.Timed(experiment, timed(experiment)))

    @on(Timed)
    def _on_timed(self, event: Timed) -> None:
        if event.experiment == self.experiment:
            self.kernel = event.state
            self._draw_picture()


def _row_key(path: str, rows: frozenset[str]) -> str:
    """The form's row for a field path: `InputTensors[1].Sizes[2]` to `InputTensors[1]`, `Repeats[0]` to `Repeats`."""
    head, dot, rest = path.partition(".")
    if rest == "DataType" and path not in rows:
        return "DataType"
    if path in rows:
        return path
    return head if dot or not head.startswith("Repeats[") else "Repeats"


def _axes_of(shown: Shown) -> list[tuple[str, int]]:
    """(tensor path, axis) of each size that a broken rule names."""
    found = []
    for check in shown.report.errors:
        for path in (check.field, *check.related):
            head, _, rest = path.partition(".Sizes[")
            if rest and check.severity is Severity.ERROR:
                found.append((head, int(rest.rstrip("]"))))
    return found
