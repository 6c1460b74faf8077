"""What the explorer knows and does, without a screen: one method for each thing that a user does."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ...desc.levels import FeatureLevel
from ...desc.tensors import brackets
from ...errors import DmlvizError, quote
from ...operators.maps import Place
from ...operators.registry import operator_of, type_named
from ...operators.report import Report
from ...scene.elements.cursor import Cursor, part_of
from ...scene.layout.zoom import Zoom
from ...scene.levels.strip import level_strip
from ...scene.lights import lights
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState, scan, view_state_of
from ...session.document import Document
from ...session.examples import TASK, without_task
from ...session.examples import example as example_of
from ...session.experiments import Experiment, Session
from ...session.recent_files import Recent
from ...session.recovery import Keeper
from ...session.views import View, ViewEntry
from ...session.wire_edits import unwire, wire
from ...tracing import Trace
from ..form.edit_desk import EditDesk, EditEffects, Reasons
from ..form.form_rows import edited, form_rows, grown, strip_keys
from ..shown.picture import Picture
from ..shown.state import Later, PictureState, Runs, State

if TYPE_CHECKING:
    from ...session.chains import Chain
    from ..form.field_help import FieldHelp
    from ..shown.state import ChainState
    from .chain_view import WireAsk


COVERED = "hidden until you answer: g answers, space plays, esc shows all"
UNWRITTEN = "isn't written yet: press end first, or esc to show all."


def is_covered(example: str | None, one: Experiment) -> bool:
    """True if the example of that name asks about elements of the picture of this experiment, as it stands in it.

    What it asks about another desc, with something changed, no picture of this one tells.
    """
    if example is None:
        return False
    asking = example_of(example).with_tasks().experiments
    tasks = (other.extra[TASK] for other in asking if TASK in other.extra and without_task(other) == one)
    task: Any = next(tasks, None)
    ask: Any = task.get("ask") if isinstance(task, dict) else None
    if not isinstance(ask, dict) or "change" in ask:
        return False
    from ...teaching.kinds.lib.asking import kinds

    kind = kinds().get(str(ask.get("kind")))
    return kind is not None and (kind.of_chains or (kind.pictured and kind.draws_outputs))


class Workspace(EditDesk):
    """The explorer on one document after the other.

    It starts no thread but the run's, and touches files only in `save` and in what `keeper` and `recent` keep of the
    document, where they are given. `prefer` is told the name and the value of a setting that the user likes to be so
    from now on.
    """

    def __init__(
        self,
        doc: Document,
        now: Callable[[], float] = time.monotonic,
        *,
        player: Player | None = None,
        zoom: Zoom | None = None,
        memory: bool | None = None,
        keeper: Keeper | None = None,
        recent: Recent | None = None,
        prefer: Callable[[str, object], None] | None = None,
    ) -> None:
        super().__init__(doc, Picture(player, zoom, memory), now)
        self.keeper, self.recent = keeper, recent
        self.pasted = ""
        self.later: Later = lambda call, *given: call(*given)
        """Calls from threads go through it."""
        self.effects = EditEffects()
        self.row = ""
        """The form's row that the user is led to, until somebody has gone there."""
        self._prefer = prefer if prefer is not None else lambda name, value: None
        self._reasons = Reasons()
        self._viewed: ViewEntry | None = None  # that of the experiment that is looked at
        self._shown_whole: set[ViewEntry | None] = set()  # examples of which all was shown
        self._end: Experiment | None = None  # what the chain ends with
        self._chain: ChainState | None = None
        self._wants_path = False
        self._compared_at: Cursor | None = None  # where it was then: a count is told until it moves
        self._links: Chain | None = None  # of the chain that was looked at last
        self._notices = [*doc.session.told.values()]
        self._as_opened = View()
        self._go_where_told()
        self._look(None)
        self.runs = Runs(self.experiment)
        self.effects.begin(self.view)
        self._reasons.restart(self.view)
        self._fill_form()

    @property
    def state(self) -> State:
        picture = self._drawn()
        return State(
            document=self.document,
            view=self.view,
            cover=COVERED if self.picture.is_covered else "",
            form=self._form,
            levels=self._levels,
            chain=self._chain_with_path(),
            chosen=self._reasons.chosen,
            picture=picture,
            run=self.runs,
            counts=self.effects.counts if self._may_compare and self._compared_at == self.picture.cursor else None,
        )

    def _drawn(self) -> PictureState:
        reasons, chosen = self.view.why.reasons, self._reasons.chosen
        # A preview is of a desc that is mended: nothing in it is broken.
        looked_at = reasons[chosen] if chosen is not None and not self.view.is_preview else None
        self.effects.is_marked &= self._may_compare
        self.picture.changes = self.effects.changes if self.effects.is_marked else None
        drawn = self.picture.state(lights(looked_at, self.experiment.desc))
        self._keep_view()
        return drawn

    def _fill_form(self) -> None:
        rows = form_rows(self.experiment, self.view.report)
        self._form = self._fields.state(self.view, rows, strip_keys(self.experiment.desc, rows))
        self._levels = level_strip(self.experiment, self.view.report)

    # ---- the document

    def _follow(self) -> None:
        if self._viewed is not None:
            self.picture.stop()  # the step that plays is where it was left
            self._keep_view()
        self._go_where_told()
        before, viewed, hidden = self.view, self._viewed, not self.picture.known.whole
        self.runs.follow(self.experiment)
        self._look(before)
        if self._viewed is viewed:
            self.effects.follow(self.view, hidden=hidden)
        else:
            self.effects.begin(self.view)
        self._reasons.restart(self.view)
        self._fill_form()
        self.picture.tells_memory = not self._shows_path
        self._refit()
        self.keep()

    def _look(self, before: ViewState | None) -> None:
        """Looks at the document's experiment: after an edit of the one `before`, or at another as it was left."""
        self._follow_chain()
        one = self.experiment
        entry = one.view
        if before is not None and entry is self._viewed:
            kept = before if before.experiment.desc.TYPE == one.desc.TYPE else None
            self.view = view_state_of(one, kept, turned=before.turned, recoloured=before.recoloured)
            self._colour_by_root()
            self.picture.look_at(self.view)
            return
        self._viewed, view = entry, self.document.views.get(entry, entry.view)
        self.view = view_state_of(one, turned=view.turned)
        self._colour_by_root()
        self.picture.open(self.view, entry.view)
        self._as_opened = replace(self.picture.kept(), turned=entry.view.turned)
        if view is not entry.view:
            self.picture.open(self.view, view)
        if self.view.live and view.step is None and entry not in self._shown_whole:
            self.picture.is_covered = is_covered(self.document.example, one)

    def _keep_view(self) -> None:
        if self.picture.player.playing:
            return
        views, entry, view = self.document.views, self.view.experiment.view, self.picture.kept()
        if self.view.live and view.step is None and not self.picture.is_covered:
            self._shown_whole.add(entry)  # nothing of it is covered again
        if view == views.get(entry, self._as_opened):
            return
        if view == self._as_opened:
            del views[entry]
        else:
            views[entry] = view
        if self.keeper is not None:
            self.keeper.keep(self.document)

    def choose_level(self, level: str) -> None:
        self.edit(dataclasses.replace(self.experiment, feature_level=FeatureLevel.of(level)))

    def drop_remarks(self) -> None:
        """Takes away, as an edit, what its import said that no desc can hold."""
        self.edit(dataclasses.replace(self.experiment, not_checked=()))

    def words_changed(self) -> None:
        """Takes over that notes, names or titles of the document changed, on which no picture depends."""
        self.view = replace(self.view, experiment=self.experiment)
        self.picture.take_view(self.view)
        self.runs.follow(self.experiment)
        self._follow_chain()
        self.keep()

    def write_notes(self, notes: str, key: object) -> None:
        """Edits the experiment's notes; calls with one key undo as one. Raises DmlvizError where they can't be so."""
        self.document.edit(dataclasses.replace(self.experiment, notes=notes), key)
        self.words_changed()

    def write_title(self, title: str, key: object) -> None:
        """Edits the session's title; calls with one key undo as one. Raises DmlvizError where it can't be so."""
        self.document.edit_session(dataclasses.replace(self.document.session, title=title), key)
        self.words_changed()

    def write_session(self, session: Session) -> None:
        """Makes a session with other tasks, of the same experiments, the present one, as one edit."""
        self.document.rewrite(session)
        self.experiments_changed()

    def go_to_experiment(self, by: int) -> None:
        """Looks at the experiment `by` further; behind the last comes the first."""
        before = self.document.number
        self.document.go(before + by)
        if self.document.number != before:
            self._follow_another()

    def open(self, document: Document) -> None:
        self.document = document
        self._notices += document.session.told.values()
        self._viewed = None
        self._follow_history()

    def add_experiments(self, every: Sequence[Experiment]) -> None:
        """Adds experiments to the session as one edit, and looks at the first of them."""
        self.document.add(*every)
        self.experiments_changed()

    def look_at_experiment(self, one: Experiment) -> None:
        """Looks at an experiment of the session; at one that isn't there, and all it reads, as a copy without tasks."""
        copies = [dataclasses.replace(stage, extra={}) for stage in one.stages]
        items = self.document.session.experiments
        at = next((k for k, other in enumerate(items) if other in (one, copies[-1])), None)
        if at is None:
            self.document.add(*copies)
            self.document.go(self.document.number + len(copies) - 1)
            self.experiments_changed()
        else:
            self.go_to_experiment(at - self.document.number)

    def experiments_changed(self) -> None:
        before, now = self.view.experiment, self.experiment
        alike = dataclasses.replace(before, name=now.name, notes=now.notes, extra=now.extra)
        if alike == now and now.view is self._viewed and before.desc.inferred == now.desc.inferred:
            self.words_changed()
        else:
            self.picture.cursor = None
            self._follow_history()

    def save(self, path: Path) -> None:
        """Writes the session to `path`, its file from now on. Raises SessionError where that can't be done."""
        self._keep_view()
        self.document.save(path)
        self.words_changed()

    def keep(self) -> None:
        """Keeps unsaved changes for after a crash, and what is open for the next launch."""
        if self.keeper is not None:
            self.keeper.keep(self.document)
        if self.recent is not None:
            try:
                self.recent.remember(self.document.path, self.document.example)
            except (DmlvizError, OSError) as error:  # the folder that the path is relative to may have gone
                self.recent = None  # once is enough
                self._notices.append(str(error))

    # ---- the form, rules and fixes

    def _typed(self, key: str, text: str) -> Experiment:
        return self._with_operator(text) if key == "Operator" else edited(self.experiment, key, text)

    def _with_operator(self, name: str) -> Experiment:
        """Another operator is another desc, about the same tensor; the notes on the old one go with that."""
        kind, before = type_named(name), self.experiment
        self._fields.errors.clear()
        self.document.pause()  # each is an edit by itself
        if kind is None or kind == before.desc.TYPE:
            return before
        if before.notes:
            old = operator_of(before.desc).name
            self._notices.append(f"The notes were on {old}; undo brings them back. Open has examples of each operator.")
        from ...session.new_experiments import converted

        return converted(before, kind)

    def grow(self, key: str, more: int) -> None:
        """Adds a tensor behind the array's tensor `key` (`more` is 1), or removes that (-1)."""
        self.edit(grown(self.experiment, key, more))

    def field_help(self, key: str) -> FieldHelp:
        """What there is to know about a row of the form."""
        from ..form.field_help import field_help  # nobody asks at the start

        rows = [row.key for row in self._form.rows]
        return field_help(self.experiment, self.view.report, key, rows)

    def mend(self, number: int) -> None:
        """Makes fix `number`, counted as `State.fix` does, if there is one."""
        fix = self.state.fix(number)
        if fix is not None:
            self._fields.restart()
            self.edit(self.experiment.mended(fix))

    def look_at_next_reason(self) -> None:
        """Looks at the next broken rule, warning or field error, and leads to the row that it names."""
        rows = [row.key for row in self._form.rows]
        self.row = self._reasons.next_row(self.view, self._fields.errors, rows)

    def look_at_reason(self, number: int) -> None:
        """Looks at reason `number`, and leads to the row that it names."""
        self._reasons.look_at(number, self._fields.errors)
        self.look_at_next_reason()

    # ---- the picture

    def point(self, cursor: Cursor) -> None:
        """Looks at an element; what plays stops."""
        self.picture.stop()
        self.picture.point(cursor)

    def has_told(self, cursor: Cursor) -> bool:
        """True if an element is shown, or all were, of an example that asks about its picture."""
        tells = not self.picture.is_covered and self.picture.known.tells(cursor)
        return (tells or self._viewed in self._shown_whole) and is_covered(self.document.example, self.experiment)

    def uncover(self) -> None:
        """Shows the whole picture of an example whose question is answered, from now on."""
        self._shown_whole.add(self._viewed)
        self.picture.is_covered = False

    @property
    def _may_compare(self) -> bool:
        return self.view.live and self.picture.known.whole

    def compare(self, *, marked: bool = False) -> None:
        """Counts what the last edit made of the outputs; with `marked`, what changed is marked until `unmark`."""
        if self._may_compare:
            self.effects.count(marked=marked)
            self._compared_at = self.picture.cursor

    def unmark(self) -> None:
        """Marks no longer what the last edit changed."""
        self.effects.is_marked = False

    def turn_picture(self) -> None:
        """Has rows and columns change places in every tensor; the next time, back again."""
        self.view = replace(self.view, turned=not self.view.turned)
        self.picture.turn(self.view)

    def turn_memory(self) -> None:
        """Shows or hides the memory strip, from now on; where the path has its place, that goes."""
        if self._shows_path:
            self._wants_path, self.picture.tells_memory = False, True
        self.picture.turn_memory()
        self._prefer("memory", self.picture.memory)

    # ---- steps

    def play(self) -> None:
        """Plays the steps that are left, or stops; where nothing may move, goes a step on."""
        self.picture.play_or_pause(self.now(), still=self.still)

    def slow_down(self, by: int) -> None:
        """Plays slower, or faster where `by` is negative, from now on."""
        self.picture.play(self.picture.player.slower(by, self.now()))
        self.seconds = self.picture.player.seconds
        self._prefer("seconds", self.seconds)

    def turn_unit(self, by: int) -> None:
        """Makes each step another unit, from now on."""
        if self.picture.turn_unit(by):
            self._prefer("unit", self.picture.player.unit.value)

    # ---- values typed into cells

    def cell_to_type(self) -> Cursor | None:
        """Goes to the input's element that the cursor is on or has its value from; None if it can't be typed."""
        from ...session.cell_edits import require_typable

        trace, cursor = self.view.trace, self.picture.cursor
        self.picture.stop()
        if trace is None or cursor is None or not self.view.live:
            return None
        try:
            cursor = self._typed_at(trace, cursor)
            require_typable(self.experiment, trace.inputs[cursor.place.number].path)
        except DmlvizError as error:
            self._notices.append(str(error))
            return None
        self.picture.point(cursor)
        return cursor

    def _typed_at(self, trace: Trace, cursor: Cursor) -> Cursor:
        """The input's element that an element is or comes from. Raises DmlvizError where there is none, or none yet."""
        if not cursor.place.is_output:
            return cursor
        name = f"{part_of(trace, cursor.place).path}{brackets(cursor.index)}"
        if not self.picture.known.tells(cursor):
            raise DmlvizError(f"{name} is not written yet at this step, expected one that is, or an input's element.")
        source = trace.source(cursor.place.number, cursor.index)
        if source.nowhere:
            field = trace.operator.constant_path
            raise DmlvizError(f"{name} comes from no input and holds {field}, expected an element that has a source.")
        return Cursor(Place(False, source.tensor), source.index)

    # ---- what goes on in threads

    def scan_job(self) -> Callable[[], Report] | None:
        """A job for a thread that counts and checks what the picture waits for; None where it waits for nothing."""
        view = self.view
        if not view.waits:
            return None

        def job() -> Report:
            try:
                return scan(view)
            except (DmlvizError, MemoryError, OSError):
                return view.report  # what waits goes on waiting

        return job

    def scanned(self, report: Report) -> None:
        """Takes the report of a scan of the view that is looked at."""
        self.view = replace(self.view, report=report)
        self.picture.take_view(self.view)
        self._fill_form()

    def run(self) -> None:
        """Runs and times a valid desc, or cancels the run that goes on."""
        if self.runs.running.busy:
            self.runs.cancel()
        elif self.view.live:
            self.runs.start(self.later)

    def get_ready(self) -> None:
        """Has the process started, and the kernel of a valid desc made ready, for a run that may come."""
        if self.view.live:
            self.runs.runner.get_ready(self.experiment)

    # ---- the chain that the experiment stands in

    def _follow_chain(self) -> None:
        every = self.document.session.experiments
        self._chain = None
        if not any(one.is_wired for one in every):
            return
        from . import chain_view  # most sessions have no wires

        end = chain_view.end_of(every, self.document.number, self._end)
        if end is not None:
            self._end, self._chain = end, chain_view.chain_state(every, end, self.experiment)

    def _chain_with_path(self) -> ChainState | None:
        chain, cursor, links = self._chain, self.picture.cursor, self._linked()
        if chain is None or links is None or cursor is None or not self._wants_path:
            return chain
        from .chain_view import path_state

        hides = [self._hides(one) for one in links.stages]
        tells = self.picture.known.tells(cursor)
        return replace(chain, path=path_state(links, self._stage_in(links), cursor, hides.__getitem__, tells))

    # ---- what may be told

    def _hides(self, one: Experiment) -> bool:
        """True if not all of a valid experiment's outputs may be told: its steps go on, or its question is open."""
        entry = one.view
        if entry is self._viewed:
            return not self.picture.known.whole
        view = self.document.views.get(entry, entry.view)
        if view.step is not None:
            return view.step < Steps(one.links, Unit(view.unit or Unit.ELEMENT)).count
        return entry not in self._shown_whole and is_covered(self.document.example, one)

    def _hiding(self, experiment: Experiment) -> Experiment | None:
        """The first of what an experiment reads, through others too, that hides something; None for none."""
        if not experiment.is_wired:
            return None
        from ...session.wiring import fault

        return next((one for one in experiment.stages[:-1] if not fault(one) and self._hides(one)), None)

    def _go_where_told(self) -> None:
        """Goes to the stage that hides something of what is to be looked at, however that was gone to."""
        experiment = self.experiment
        one = self._hiding(experiment) if experiment.view is not self._viewed else None
        if one is not None:
            self._notices.append(f"{quote(one.name, 40)} {UNWRITTEN}")
            self.document.go(next(i for i, each in enumerate(self.document.session.experiments) if each is one))
            self._viewed = None  # it is opened as it was left

    # ---- wires and stages

    def wire_ask(self) -> WireAsk:
        """What the input under the cursor can be wired to; the first one where the cursor is on none."""
        from .chain_view import wire_ask

        inputs, cursor = self.experiment.desc.inputs, self.picture.cursor
        n = cursor.place.number if cursor is not None and not cursor.place.is_output else 0
        return wire_ask(self.document.session, self.document.number, inputs[min(n, len(inputs) - 1)].path)

    def wire(self, ask: WireAsk, number: int) -> None:
        """Wires an input as choice `number` says, or takes its wire away (-1); says so where that can't be."""
        here = self.document.session, self.document.number, ask.path
        try:
            chosen = ask.choices[number] if number >= 0 else None
            self.document.rewrite(wire(*here, chosen.name, chosen.output) if chosen is not None else unwire(*here))
        except DmlvizError as error:
            self._notices.append(str(error))
            return
        self._follow_history()

    def _follow_another(self) -> None:
        self._fields.errors.clear()
        self.picture.cursor = None
        self._follow()

    def step_stage(self, by: int) -> None:
        """Looks at the stage `by` further, or back, if there is one."""
        if self._chain is not None:
            self.go_to_stage(self._chain.at + by)

    def go_to_stage(self, stage: int) -> None:
        """Looks at a stage of the chain, if there is one: at the element that the cursor's comes from or goes to."""
        chain = self._chain
        if chain is None or not 0 <= stage < len(chain.stages) or stage == chain.at:
            return
        cursor, links = self.picture.cursor, self._linked()
        target = self.document.session.experiments[chain.stages[stage].number]
        carried: Cursor | None = None
        there = next((i for i, one in enumerate(links.stages) if one is target), None) if links is not None else None
        if cursor is not None and links is not None and there is not None:
            from .chain_view import carried as carried_to

            carried = carried_to(links, self._stage_in(links), there, cursor)
        self.document.go(chain.stages[stage].number)
        self._follow_another()
        if carried is not None and self.experiment is target and self.picture.known.tells(carried):
            self.picture.point(carried)

    # ---- elements of the chain

    def turn_path(self) -> None:
        """Shows or hides the cursor's path through the chain, in the place of the memory strip."""
        self._wants_path = not self._wants_path
        self.picture.tells_memory = not self._shows_path
        self.picture.refit()

    @property
    def _shows_path(self) -> bool:
        return self._wants_path and self._chain is not None

    def _linked(self) -> Chain | None:
        if self._chain is None or not self.view.live:
            return None
        from ...session.chains import Chain
        from ...session.wiring import fault

        end = self.experiment if self._end is None or fault(self._end) else self._end
        if self._links is None or self._links.stages[-1] is not end:
            self._links = Chain(end) if not fault(end) else None
        return self._links

    def _stage_in(self, links: Chain) -> int:
        return next(i for i, one in enumerate(links.stages) if one is self.experiment)

    def recolour(self) -> None:
        """Has colours stand for the other thing that they can stand for: in a chain for its stage, not for roots."""
        self.view = self.view.coloured(not self.view.recoloured)
        self._colour_by_root()
        self.picture.turn(self.view)

    def _colour_by_root(self) -> None:
        links, trace = self._linked(), self.view.trace
        if links is None or trace is None or self.view.recoloured:
            return
        from ...scene.colour.root_colours import RootColours

        self.view = replace(self.view, trace=trace.with_colours(RootColours(links, self._stage_in(links))))
