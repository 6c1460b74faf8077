"""What the explorer knows and does: one method for each thing that a user does, each yields the state to be shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...desc.levels import FeatureLevel
from ...errors import DmlvizError, plain, quote
from ...operators.maps import Place
from ...operators.registry import listed, operator_of, type_named
from ...operators.report import Report
from ...scene.elements.cursor import Cursor, is_inside
from ...scene.elements.lookup import value_of
from ...scene.layout.zoom import Zoom
from ...scene.levels.strip import level_strip
from ...scene.lights import lights
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Player
from ...scene.view_state import ViewState, scan, view_state_of
from ...session.document import Document
from ...session.experiments import Experiment, Session
from ...session.recent_files import Recent
from ...session.recovery import Keeper
from ...session.views import View, ViewEntry
from ...session.wire_edits import free_name, unwire, wire
from ...worker.client import same_run
from ...worker.states import Readiness, Running
from ..form.fields import Fields
from ..form.form_edits import edited, grown, moved
from ..form.form_rows import form_rows, strip_keys
from ..form.reasons import Reasons
from ..shown.picture import Picture, Room
from ..shown.state import CellState, ChangesState, DocumentState, FormState, PictureState, RunState, State
from .covering import COVERED, is_covered
from .edit_effects import EditEffects
from .runs import Runs, TellReadiness, TellRun

if TYPE_CHECKING:
    from ...session.chains import Chain
    from ...tracing import Trace
    from ..form.field_help import FieldHelp
    from ..shown.chain_state import ChainState
    from .wire_choices import WireAsk

UNWRITTEN = "is not written yet: end writes all of it, escape shows the whole."
ELSEWHERE = "is not written yet: press {}, then end, which writes all of it."


class Workspace:
    """The explorer without a screen, on one document after the other.

    It asks no clock (times are told, in seconds), starts no thread but the run's, and touches files only in `save` and
    in what `keeper` and `recent` keep of the document, where they are given. `prefer` is told the name and the value of
    a setting that the user likes to be so from now on.
    """

    def __init__(
        self,
        doc: Document,
        *,
        player: Player | None = None,
        zoom: Zoom | None = None,
        memory: bool | None = None,
        keeper: Keeper | None = None,
        recent: Recent | None = None,
        prefer: Callable[[str, object], None] | None = None,
    ) -> None:
        self.document = doc
        self.picture = Picture(player, zoom, memory)
        self.runs = Runs()
        self.keeper, self.recent = keeper, recent
        self.pasted = ""
        """What was pasted to be imported and hasn't been taken."""
        self._prefer = prefer if prefer is not None else lambda name, value: None
        self._reasons = Reasons()
        self._fields = Fields()
        self._cell: CellState | None = None
        self._cells = 0
        self._notices = [*doc.session.told.values()]
        self._news: list[str] = []
        self._warms = False
        self._viewed: ViewEntry | None = None  # that of the experiment that is looked at
        self._as_opened = View()
        self._shown_whole: set[ViewEntry | None] = set()  # examples of which all was shown
        self._end: ViewEntry | None = None  # the view of the experiment that the chain ends with
        self._chain: ChainState | None = None
        self._wants_path = False
        self._own_colours = False  # colours stand for what the stage alone does, not for roots
        self._links: tuple[Experiment, Experiment, Chain | None] | None = None  # a chain's ends, and what they link
        self._go_where_told()
        self._look(None)
        self._effects, self._changes = EditEffects(self.view), ChangesState()
        self._reasons.restart(self.view)
        self._document = self._document_state()
        self._form = self._form_state()
        self._levels = level_strip(doc.experiment, self.view.report)
        self._picture = PictureState()
        self._run = RunState(self.runs.running, None)
        self._draw_picture()
        self.state = self._yield()

    @property
    def experiment(self) -> Experiment:
        """The experiment that is looked at."""
        return self.document.experiment

    # ---- the states' parts

    def _yield(self, row: str = "") -> State:
        """The state as it is now; what is told once, `row` and notices and news, is in no later one."""
        notices, self._notices = tuple(self._notices), []
        news, self._news = tuple(self._news), []
        warms, self._warms = self._warms, False
        self.state = State(
            document=self._document,
            view=self.view,
            cover=COVERED if self.picture.is_covered else "",
            form=self._form,
            levels=self._levels,
            chain=self._chain,
            chosen=self._reasons.chosen,
            picture=self._picture,
            run=self._run_state(),
            cell=self._cell,
            changes=self._changes_state(),
            unfitted=not self.picture.is_fitted,
            row=row,
            notices=notices,
            warms=warms,
            news=news,
        )
        return self.state

    def _run_state(self) -> RunState:
        """The run as it is now; the same object as before where nothing changed."""
        run = RunState(self.runs.running, self.runs.readiness(self.experiment))
        if run != self._run:
            self._run = run
        return self._run

    def _changes_state(self) -> ChangesState:
        """What the last edit changed; the same object as before where that is the same."""
        effects = self._effects
        changes = ChangesState()
        if effects.changes is not None and self.view.live and self.picture.known.whole:
            counts = effects.counts
            changes = ChangesState(
                edits=effects.edits,
                counts=counts,
                waits=counts is None,
                marked=effects.is_marked,
            )
        if changes != self._changes:
            self._changes = changes
        return self._changes

    def _document_state(self) -> DocumentState:
        doc = self.document
        count = len(doc.session.experiments)
        return DocumentState(
            experiment=doc.experiment,
            number=doc.number,
            count=count,
            dirty=doc.dirty,
            undoable=bool(doc.past),
            redoable=bool(doc.future),
        )

    def _form_state(self) -> FormState:
        rows = form_rows(self.experiment, self.view.report)
        return self._fields.state(self.view, rows, strip_keys(self.experiment.desc, rows))

    def _draw_picture(self) -> None:
        """Makes the picture's state anew, and keeps how the experiment is looked at."""
        reasons, chosen = self.view.why.reasons, self._reasons.chosen
        # A preview is of a desc that is mended: nothing in it is broken.
        looked_at = reasons[chosen] if chosen is not None and not self.view.is_preview else None
        lit = lights(looked_at, self.experiment.desc)
        if not self.picture.known.whole:
            self._effects.unmark()
        self.picture.changes = self._effects.changes if self._effects.is_marked else None
        self._picture = self.picture.state(lit)
        if not self.picture.player.playing:
            self._keep_view()
        self._follow_cursor()
        self._hold_cell()

    def _yield_drawn(self) -> State:
        """The state after the picture is drawn anew."""
        self._draw_picture()
        return self._yield()

    # ---- the document

    def _yield_changed(self) -> State:
        """The state after the document, or what is looked at in it, became another."""
        self._follow_document()
        return self._yield()

    def _follow_document(self) -> None:
        """Makes everything anew that follows from the document."""
        self._go_where_told()
        before, one = self.view, self.experiment
        if not same_run(before.experiment, one):
            self._warms |= self.runs.clear()
        viewed, hidden = self._viewed, not self.picture.known.whole
        self._look(before)
        self._effects.follow(self.view, anew=self._viewed is not viewed, hidden=hidden)
        readiness = self.runs.readiness(one)
        self._warms |= readiness is not None and not readiness.ready
        self._reasons.restart(self.view)
        self._document = self._document_state()
        self._form = self._form_state()
        self._levels = level_strip(one, self.view.report)
        self.picture.tells_memory = not self._shows_path
        if self.picture.is_fitted:
            self._draw_picture()
        else:
            self._hold_cell()
        self.keep()

    def _look(self, before: ViewState | None) -> None:
        """Looks at the document's experiment: after an edit of the one `before`, or at another as it was left."""
        self._follow_chain()
        one = self.experiment
        entry = one.view
        if before is not None and entry is self._viewed:
            kept = before if before.experiment.desc.TYPE == one.desc.TYPE else None
            self.view = view_state_of(
                one,
                kept,
                turned=before.turned,
                recoloured=before.recoloured,
            )
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
        """Keeps how the experiment is looked at: no edit, but it goes into the file that is saved."""
        views, entry, view = self.document.views, self.view.experiment.view, self.picture.kept()
        if self.view.live and view.step is None and not self.picture.is_covered:
            self._shown_whole.add(entry)  # nothing of it is covered again
        before = views.get(entry, self._as_opened)
        if view == before:
            return
        if view == self._as_opened:
            del views[entry]
        else:
            views[entry] = view
        if self.keeper is not None:
            self.keeper.keep(self.document)

    def _edit(self, one: Experiment, key: object = None) -> State:
        """The state after an edit of the experiment; edits of one key in a row undo as one."""
        self.document.edit(one, key)
        return self._yield_changed()

    def replace_experiment(self, one: Experiment) -> State:
        """Makes an edited experiment the present one."""
        return self._edit(one)

    def choose_level(self, level: FeatureLevel) -> State:
        """Edits the experiment's feature level."""
        return self._edit(dataclasses.replace(self.experiment, feature_level=level))

    def words_changed(self) -> State:
        """Takes over that notes, names or titles of the document changed, on which no picture depends."""
        self.view = replace(self.view, experiment=self.experiment)
        self.picture.take_view(self.view)
        self._document = self._document_state()
        self._follow_chain()
        self._form = replace(self._form, asks="task" in self.experiment.extra)
        self.keep()
        return self._yield()

    def write_notes(self, notes: str, key: object) -> State:
        """Edits the experiment's notes; calls with one key undo as one. Raises DmlvizError where they can't be so."""
        self.document.edit(dataclasses.replace(self.experiment, notes=notes), key)
        return self.words_changed()

    def write_title(self, title: str, key: object) -> State:
        """Edits the session's title; calls with one key undo as one. Raises DmlvizError where it can't be so."""
        self.document.edit_session(dataclasses.replace(self.document.session, title=title), key)
        return self.words_changed()

    def write_session(self, session: Session) -> State:
        """Makes a session with other tasks, of the same experiments, the present one, as one edit."""
        self.document.rewrite(session)
        return self.experiments_changed()

    def undo(self) -> State:
        """Takes the last edit back, if there is one."""
        if not self.document.undo():
            return self._yield()
        return self._after_history()

    def redo(self) -> State:
        """Makes the edit again that was taken back last, if there is one."""
        return self._after_history() if self.document.redo() else self._yield()

    def _after_history(self) -> State:
        """The state after undo or redo: the fields are filled anew."""
        self._fields.restart()
        return self._yield_changed()

    def go_to_experiment(self, by: int) -> State:
        """Looks at the experiment `by` further; behind the last comes the first."""
        before, every = self.document.number, self.document.session.experiments
        if self._is_refused(every[(before + by) % len(every)]):
            return self._yield()
        self.document.go(before + by)
        if self.document.number == before:
            return self._yield()  # there is no other
        return self._yield_another()

    def _yield_another(self) -> State:
        """The state after another experiment of the document came to be looked at."""
        self._follow_another()
        return self._yield()

    def _follow_another(self) -> None:
        """Takes over that another experiment of the document is looked at."""
        self._fields.errors.clear()
        self._cell = None  # what is typed there is meant for the experiment before
        self.picture.cursor = None
        self._follow_document()

    # ---- chains

    def _follow_chain(self) -> None:
        """Makes anew what is said of the chain that the experiment stands in."""
        every = self.document.session.experiments
        if not any(one.is_wired for one in every):
            self._chain = self._end = None
            return
        from . import chain_view  # most sessions have no wires

        end = chain_view.end_of(every, self.document.number, self._end)
        self._end = end.view if end is not None else None
        if end is None:
            self._chain = None
            return
        chain = chain_view.chain_state(every, end, self.experiment)
        if self._chain is not None:
            path = self._chain.path if self._wants_path else None  # until the picture is there
            chain = replace(chain, path=path)
        if chain != self._chain:
            self._chain = chain

    def _follow_cursor(self) -> None:
        """Makes anew what is told of the cursor's path where that is wanted, and of what never arrives at the end."""
        chain, cursor, path = self._chain, self.picture.cursor, None
        if chain is None:
            return
        links = self._linked() if self.view.live else None
        if links is None or cursor is None:
            self._chain = replace(chain, path=None, dead="")
            return
        known, at, dead = self.picture.known, self._stage_in(links), ""
        hides = [self._hides(one) for one in links.stages]
        if at == chain.at and not any(hides):
            from .chain_path import dead_text

            dead = dead_text(links)
        if self._wants_path:
            from .chain_path import path_state
            from .chain_view import branch_text

            path = path_state(links, at, cursor, hides.__getitem__, known.tells(cursor), branch=branch_text(chain))
            if at != chain.at:  # a chain that is cut off counts its stages by itself
                places = {id(one): i for i, one in enumerate(self.document.session.experiments)}
                told = [stage.number for stage in chain.stages]
                numbers = {i: told.index(places[id(one)]) for i, one in enumerate(links.stages)}
                path = path.renumbered(numbers)
        if (path, dead) != (chain.path, chain.dead):
            self._chain = replace(chain, path=path, dead=dead)

    def _hides(self, one: Experiment) -> bool:
        """True if not all of a valid experiment's outputs may be told: its steps go on, or its question is open."""
        entry = one.view
        if entry is self._viewed:
            return not self.picture.known.whole
        view = self.document.views.get(entry, entry.view)
        if view.step is not None:
            return view.step < Steps(one.links, Unit(view.unit or Unit.ELEMENT)).count
        if self.document.example is None or entry in self._shown_whole:
            return False
        return is_covered(self.document.example, one)

    def _is_refused(self, experiment: Experiment) -> bool:
        """True if an experiment may not be looked at yet, which news tell: see `_hiding`."""
        one = self._hiding(experiment)
        if one is not None:
            self._news.append(self._unwritten(one))
        return one is not None

    def _unwritten(self, one: Experiment) -> str:
        """The sentence that an experiment hides something, with the keys that lead there and have it written."""
        name, chain, by = quote(one.name, 40), self._chain, self._number_of(one) - self.document.number
        stages = [stage.number for stage in chain.stages] if chain is not None else []
        if by == 0:
            return f"{name} {UNWRITTEN}"
        ahead, behind = "ctrl+→", "ctrl+←"
        if chain is not None and by + self.document.number in stages:
            ahead, behind, by = "}", "{", stages.index(by + self.document.number) - chain.at
        key, times = ahead if by > 0 else behind, f" {abs(by)} times" * (abs(by) > 1)
        return f"{name} {ELSEWHERE.format(key + times)}"

    def _number_of(self, one: Experiment) -> int:
        """Where an experiment is in the session; the number of what is looked at for one that isn't in it."""
        found = (i for i, each in enumerate(self.document.session.experiments) if each is one)
        return next(found, self.document.number)

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
            self._news.append(f"{quote(one.name, 40)} {UNWRITTEN}")
            self.document.go(self._number_of(one))
            self._viewed = None  # it is opened as it was left

    def wire_ask(self) -> WireAsk:
        """What the input under the cursor can be wired to."""
        from . import wire_choices

        path = wire_choices.asked_path(
            self.experiment, self.view.trace if self.view.live else None, self.picture.cursor
        )
        return wire_choices.wire_ask(self.document.session, self.document.number, path)

    def wire(self, ask: WireAsk, number: int) -> State:
        """Wires an input as choice `number` says, or takes its wire away (-1); says so where that can't be."""
        here = self.document.session, self.document.number, ask.path
        try:
            chosen = ask.choices[number] if number >= 0 else None
            self.document.rewrite(wire(*here, chosen.name, chosen.output) if chosen is not None else unwire(*here))
        except DmlvizError as error:
            self._notices.append(str(error))
            return self._yield()
        return self._after_history()

    def add_stage(self, kind: str) -> State:
        """Adds an experiment of an operator's type that reads the output under the cursor, and looks at it."""
        from ...session.new_experiments import continued
        from .wire_choices import output_at

        here, every = self.experiment, self.document.session.experiments
        try:
            if not here.name or [one.name for one in every].count(here.name) > 1:
                raise DmlvizError(f"{quote(here.name)} is no name of its own, expected one for a wire to lead to.")
            if not self.picture.known.whole:
                raise DmlvizError(f"{quote(here.name, 40)} {UNWRITTEN}")
            new = continued(
                here, min(output_at(self.picture.cursor), len(here.desc.outputs) - 1), kind, here.feature_level
            )
        except DmlvizError as error:
            self._notices.append(str(error))
            return self._yield()
        self.document.add(dataclasses.replace(new, name=free_name(new.name, [one.name for one in every])))
        return self.experiments_changed()

    def _goes_on(self, by: int) -> bool:
        """Goes to the first step of the next stage, or to the last of the one before, where the steps end here."""
        chain, steps, step = self._chain, self.picture.live_steps, self.picture.player.step
        if chain is None or steps is None or step is None or step != (steps.count if by > 0 else 0):
            return False
        at = chain.at + (1 if by > 0 else -1)
        if not 0 <= at < len(chain.stages) or chain.stages[at].mark != "✔":
            return False
        one = self.document.session.experiments[chain.stages[at].number]
        entry, unit = one.view, self.picture.player.unit
        view = self.document.views.get(entry, entry.view)
        first = 0 if by > 0 else Steps(one.links, unit).count
        self.document.views[entry] = replace(view, step=first, unit=unit.value)
        self.document.go(chain.stages[at].number)
        return True

    def turn_path(self) -> State:
        """Shows or hides the cursor's path through the chain, in the place of the memory strip."""
        self._wants_path = not self._wants_path
        if self._wants_path and self._chain is not None and not self.view.live:
            name = quote(self.view.report.waits_for or self.experiment.name, 40)
            self._news.append(f"No path is known until {name} is valid.")
        self.picture.tells_memory = not self._shows_path
        self.picture.refit()
        return self._yield_drawn()

    @property
    def _shows_path(self) -> bool:
        """True where a path has the place of the memory strip."""
        return self._wants_path and self._chain is not None

    def go_to_element(self, stage: int, cursor: Cursor) -> State:
        """Looks at an element of a stage, where that may be told."""
        if self._chain is None or stage == self._chain.at or self._move_to_stage(stage):
            return self.point(cursor)
        return self._yield()

    def stage_traces(self) -> dict[str, tuple[int, Trace]]:
        """By name as paths have it: the number of a stage of the chain that is looked at, and what it makes."""
        chain, links = self._chain, self._linked() if self.view.live else None
        if chain is None or links is None:
            return {}
        traces = {plain(one.name, 40): trace for one, trace in zip(links.stages, links.traces, strict=True)}
        return {one.name: (i, traces[one.name]) for i, one in enumerate(chain.stages) if one.name in traces}

    def _linked(self) -> Chain | None:
        """The links of the chain that is looked at; None without one, and where the present stage is broken."""
        end = next((one for one in self.document.session.experiments if one.view is self._end), None)
        if end is None or self._chain is None:
            return None
        from ...session.chains import chain_of

        if self._links is not None and self._links[0] is end:
            links = self._links[2]
            if self._links[1] is self.experiment or (links is not None and links.stages[-1] is end):
                return links  # a whole chain is the same for each of its stages
        self._links = end, self.experiment, chain_of(end, self.experiment)
        return self._links[2]

    def _colour_by_root(self) -> None:
        """Has colours stand for the roots of the chain, unless they are to stand for what the stage alone does."""
        links = self._linked() if self.view.live else None
        if links is not None and self.view.trace is not None:
            from ...scene.colour.root_colours import RootColours
            from .chain_path import dead_text

            roots, trace = RootColours(links, self._stage_in(links)), self.view.trace
            carried = roots.clamped if roots.may_clamp else None
            arrives, others = None, [one for one in links.stages if one is not self.experiment]
            if links.stages[-1].view is self._end and not any(map(self._hides, others)):
                arrives = roots.arrives if dead_text(links) else None
            colours = trace.colours if self._own_colours else roots
            self.view = replace(self.view, trace=trace.with_colours(colours, carried, arrives))

    def _stage_in(self, links: Chain) -> int:
        """The number of the present stage in a chain, which may be cut off at a broken one."""
        return next(i for i, one in enumerate(links.stages) if one is self.experiment)

    def step_stage(self, by: int) -> State:
        """Looks at the stage `by` further, or back, if there is one."""
        chain = self._chain
        if chain is None:
            return self._yield()
        if not 0 <= chain.at + by < len(chain.stages):
            self._news.append(
                f"{quote(self.experiment.name, 40)} is the chain's {'last' if by > 0 else 'first'} stage."
            )
        return self.go_to_stage(chain.at + by)

    def go_to_stage(self, stage: int, wire: str = "") -> State:
        """Looks at a stage of the chain, if there is one: at the element that the cursor's comes from or goes to.

        With the path of an input, which a `wire` fills, it is that one's first where the cursor's isn't there.
        """
        self._move_to_stage(stage, wire)
        return self._yield_drawn() if self.picture.is_fitted else self._yield()

    def _move_to_stage(self, stage: int, wire: str = "") -> bool:
        """`go_to_stage`; False where nothing moves, which news tell where somebody may wonder."""
        chain = self._chain
        if chain is None or not 0 <= stage < len(chain.stages) or (stage == chain.at and not wire):
            return False
        cursor, links = self.picture.cursor, self._linked()
        target = self.document.session.experiments[chain.stages[stage].number]
        if self._is_refused(target):
            return False
        numbers = {id(one): i for i, one in enumerate(links.stages)} if links is not None else {}
        if cursor is not None and links is not None and id(target) in numbers and self.view.live:
            from .chain_view import carried

            cursor = carried(links, numbers[id(self.experiment)], numbers[id(target)], cursor)
        else:
            cursor = None
        self.document.go(chain.stages[stage].number)
        inputs = [part.path for part in self.experiment.desc.inputs]
        if wire in inputs and (cursor is None or cursor.place != Place(False, inputs.index(wire))):
            k = inputs.index(wire)
            cursor = Cursor(Place(False, k), (0,) * self.experiment.desc.inputs[k].tensor.dimension_count)
        self._follow_another()
        if cursor is not None and self.picture.known.tells(cursor):
            self.picture.point(cursor)
        return True

    def open(self, document: Document) -> State:
        """Looks at another document."""
        self.document = document
        self._notices += document.session.told.values()
        self._viewed = None
        self._fields.restart()
        self._cell = None
        return self._yield_changed()

    def add_experiments(self, every: Sequence[Experiment]) -> State:
        """Adds experiments to the session as one edit, and looks at the first of them."""
        self.document.add(*every)
        return self.experiments_changed()

    def look_at_experiment(self, one: Experiment) -> State:
        """Looks at an experiment of the session; at one that isn't there as a copy without what a course says of it.

        With it comes all that it reads by wires.
        """
        items = self.document.session.experiments
        copy = dataclasses.replace(one, extra={})
        at = next((k for k, other in enumerate(items) if other in (one, copy)), None)
        if at is not None:
            return self.go_to_experiment(at - self.document.number)
        copies = [dataclasses.replace(stage, extra={}) for stage in one.stages]
        self.document.add(*copies)
        if len(copies) > 1:
            self.document.go(self.document.number + len(copies) - 1)
        return self.experiments_changed()

    def experiments_changed(self) -> State:
        """Takes over that experiments of the document came, went or changed their names."""
        before, now = self.view.experiment, self.experiment
        alike = dataclasses.replace(before, name=now.name, notes=now.notes, extra=now.extra)
        if alike == now and now.view is self._viewed and before.desc.inferred == now.desc.inferred:
            return self.words_changed()
        self.picture.cursor = None
        return self._after_history()

    def save(self, path: Path) -> State:
        """Writes the session to `path`, its file from now on. Raises SessionError where that can't be done."""
        self._keep_view()
        self.document.save(path)
        return self.words_changed()

    def keep(self) -> None:
        """Keeps unsaved changes for after a crash, and what is open for the next launch."""
        if self.keeper is not None:
            self.keeper.keep(self.document)
        if self.recent is not None:
            try:
                self.recent.remember(self.document.path, self.document.example)
            except DmlvizError as error:
                self.recent = None  # once is enough
                self._notices.append(str(error))
            except OSError:  # the folder that the path is relative to has gone
                self.recent = None

    # ---- the form

    def type_in_field(self, key: str, text: str) -> State:
        """Edits the experiment by the text of a form's row; what can't be read becomes a field error."""
        try:
            if key == "Operator":
                return self._choose_operator(text)
            changed = edited(self.experiment, key, text)
        except DmlvizError as error:
            self._fields.errors[key] = str(error)
            self._form = self._form_state()
            return self._yield()
        self._fields.errors.pop(key, None)
        return self._edit(changed, ("field", self.document.number, key))

    def _choose_operator(self, name: str) -> State:
        """Another operator is another desc, about the same tensor; the notes on the old one go with that."""
        kind = type_named(name)
        if kind is None:
            names = ", ".join(one.name for one in listed())
            raise DmlvizError(f"Operator is {quote(name)}, expected one of {names}.")
        before = self.experiment
        self._fields.errors.clear()
        if kind == before.desc.TYPE:
            return self._yield()
        if before.notes:
            old = operator_of(before.desc).name
            self._news.append(f"The notes were on {old}; undo brings them back. Open has examples of each operator.")
        from ...session.new_experiments import converted

        return self._edit(converted(before, kind))

    def leave_field(self, key: str) -> State:
        """The focus leaves a row: what couldn't be read goes with it, since the document never held it."""
        return self._leave([key])

    def leave_fields(self, but: str) -> State:
        """The focus leaves all rows but one; "" for all."""
        return self._leave([key for key in self._fields.errors if key != but])

    def _leave(self, keys: Sequence[str]) -> State:
        """Gives up what couldn't be read in rows; the next edit undoes by itself."""
        self.document.pause()
        if self._fields.leave(keys):
            self._form = self._form_state()
        return self._yield()

    def grow(self, key: str, more: int) -> State:
        """Adds a tensor behind the array's tensor `key` (`more` is 1), or removes that (-1)."""
        return self._edit(grown(self.experiment, key, more))

    def move_tensor(self, key: str, by: int) -> State:
        """Moves tensor `key` of an array `by` places further, with its values."""
        return self._edit(moved(self.experiment, key, by))

    def field_help(self, key: str) -> FieldHelp:
        """What there is to know about a row of the form."""
        from ..form.field_help import field_help  # nobody asks at the start

        rows = [row.key for row in self._form.rows]
        return field_help(self.experiment, self.view.report, key, rows, self._fields.errors.get(key, ""))

    # ---- rules and fixes

    def mend(self, number: int) -> State:
        """Makes fix `number`, counted as `State.fix` does, if there is one."""
        fix = self.state.fix(number)
        if fix is None:
            return self._yield()
        self._fields.restart()
        self.document.edit(self.document.experiment.mended(fix))
        return self._yield_changed()

    def look_at_next_reason(self) -> State:
        """Looks at the next broken rule, warning or field error, and leads to the row that it names."""
        rows = [row.key for row in self._form.rows]
        row = self._reasons.next_row(self.view, self._fields.errors, rows)
        self._draw_picture()
        return self._yield(row)

    def look_at_reason(self, number: int) -> State:
        """Looks at reason `number`, and leads to the row that it names."""
        self._reasons.look_at(number, self._fields.errors)
        return self.look_at_next_reason()

    # ---- the picture

    def fit(self, room: Room) -> State:
        """Lays the picture out for the room that it has."""
        if self.picture.fit(room):
            self._draw_picture()
        return self._yield()

    def point(self, cursor: Cursor) -> State:
        """Looks at an element; what plays stops."""
        self.picture.stop()
        self.picture.point(cursor)
        return self._yield_drawn()

    def show_whole(self) -> State:
        """Leaves the steps: all is shown."""
        self.picture.show_whole()
        return self._yield_drawn()

    def has_told(self, cursor: Cursor) -> bool:
        """True if an element was shown of an example whose picture was covered, as that asks about it."""
        return is_covered(self.document.example, self.experiment) and self.picture.has_told(cursor)

    def uncover(self) -> State:
        """Shows the whole picture of an example whose question is answered, from now on."""
        self._shown_whole.add(self._viewed)
        self.picture.uncover()
        return self._yield_drawn()

    def compare(self, *, marked: bool = False) -> State:
        """Counts what the last edit made of the outputs; with `marked`, what changed is marked until `unmark`."""
        self._effects.count()
        if marked:
            self._effects.mark()
        return self._yield_drawn()

    def unmark(self) -> State:
        """Marks no longer what the last edit changed."""
        self._effects.unmark()
        return self._yield_drawn()

    def forget_marks(self) -> None:
        """Has the next state mark no longer what the last edit changed."""
        self._effects.unmark()

    def turn_zoom(self, by: int) -> State:
        """Draws cells smaller or larger; stays until the operator changes."""
        self.picture.turn_zoom(by)
        return self._yield_drawn()

    def turn_picture(self) -> State:
        """Has rows and columns change places in every tensor; the next time, back again."""
        self.view = replace(self.view, turned=not self.view.turned)
        self.picture.turn(self.view)
        return self._yield_drawn()

    def recolour(self) -> State:
        """Has colours stand for the other thing that they can stand for; the next time, for the first again."""
        own = self.view.trace is None or self.view.trace.operator.recoloured() is not None
        if self._chain is None or not self.view.live:
            self.view = self.view.coloured(not self.view.recoloured)
        else:  # the root, what the stage alone does, the other that it can be, and the root again
            turns = self._own_colours and own and not self.view.recoloured
            self._own_colours = turns or not self._own_colours
            self.view = self.view.coloured(turns)
            self._colour_by_root()
            if self.view.trace is not None:
                self._news.append(f"Colours: {self.view.trace.colours.identity_of}")
        self.picture.turn(self.view)
        return self._yield_drawn()

    def turn_memory(self) -> State:
        """Shows or hides the memory strip, from now on; where the path has its place, that goes."""
        if self._shows_path:
            self._wants_path, self.picture.tells_memory = False, True
        self.picture.turn_memory()
        self._prefer("memory", self.picture.memory)
        return self._yield_drawn()

    # ---- steps

    def go(self, step: int) -> State:
        """Shows the picture after `step` steps."""
        self.picture.go(step)
        return self._yield_drawn()

    def go_by(self, by: int) -> State:
        """Goes `by` steps on from the present one; at a stage's end on to the next stage, at its beginning back."""
        if self._chain is not None and self._goes_on(by):
            return self._yield_another()
        self.picture.go_by(by)
        return self._yield_drawn()

    def go_last(self) -> State:
        """Shows the picture after every step."""
        self.picture.go_last()
        return self._yield_drawn()

    def scrub(self, share: float) -> State:
        """Shows the step at `share` of all, 0 to 1."""
        self.picture.scrub(share)
        return self._yield_drawn()

    def play_or_pause(self, now: float, *, still: bool = False) -> State:
        """Plays the steps that are left, or stops; where nothing may move (`still`), goes a step on."""
        self.picture.play_or_pause(now, still=still)
        return self._yield_drawn()

    def tick(self, now: float) -> State | None:
        """Shows what the time has come for while it plays; None where that is what is shown already."""
        return self._yield_drawn() if self.picture.tick(now) else None

    def stop(self) -> State:
        """Stops what plays; its step is done."""
        self.picture.stop()
        return self._yield_drawn()

    def slow_down(self, by: int, now: float) -> State:
        """Plays slower, or faster where `by` is negative, from now on."""
        return self._turn_speed(lambda player: player.slower(by, now))

    def next_speed(self, now: float) -> State:
        """Plays at the next slower speed; the fastest after the slowest."""
        return self._turn_speed(lambda player: player.next_speed(now))

    def _turn_speed(self, turned: Callable[[Player], Player]) -> State:
        """Plays at another speed, which the user likes from now on."""
        player = turned(self.picture.player)
        self.picture.play(player)
        self._prefer("seconds", player.seconds)
        return self._yield_drawn()

    def turn_unit(self, by: int) -> State:
        """Makes each step another unit, from now on."""
        if self.picture.turn_unit(by):
            self._prefer("unit", self.picture.player.unit.value)
        return self._yield_drawn()

    # ---- values typed into cells

    def type_value(self) -> State:
        """Opens the cursor's cell for typing; its source's where the cursor is on an output element."""
        from ..form import cell_typing

        trace, cursor = self.view.trace, self.picture.cursor
        self.picture.stop()
        if trace is not None and cursor is not None and self.view.live:
            self._cells += 1
            try:
                self._cell = cell_typing.opened(self.experiment, trace, cursor, self._cells, self.picture.known)
                self.picture.point(self._cell.cursor)
            except DmlvizError as error:
                self._notices.append(str(error))
        return self._yield_drawn()

    def set_value(self, text: str, by: int) -> State:
        """Takes the text for the cell that is open, and opens the one `by` further; closes where there is none."""
        cell, trace = self._cell, self.view.trace
        if cell is None or trace is None:
            return self.leave_cell()
        from ..form import cell_typing

        target = cell_typing.beside(trace, cell.cursor, by)
        if text.strip() != cell.content:
            try:
                changed = cell_typing.with_text(self.experiment, trace, cell.cursor, text)
            except DmlvizError as error:
                self._cell = replace(cell, sentence=str(error))
                return self._yield()
            self._cell = None  # until the picture is of what it makes
            self.document.edit(changed)
            self._follow_document()
            trace = self.view.trace
        if trace is None or target is None:
            self.picture.point(cell.cursor)
            return self.leave_cell()
        self.picture.point(target)
        self._open_cell(target)
        return self._yield_drawn()

    def leave_cell(self) -> State:
        """Closes the cell; what was typed and not taken is given up."""
        self._cell = None
        return self._yield_drawn()

    def _open_cell(self, cursor: Cursor) -> None:
        """Opens an input element's cell for typing."""
        assert self.view.trace is not None
        self._cells += 1
        self._cell = CellState(cursor, value_of(self.view.trace, cursor)[0], "", self._cells)

    def _hold_cell(self) -> None:
        """Closes the cell where the cursor has left it; fills it anew where an edit was taken back under it."""
        cell, trace = self._cell, self.view.trace
        if cell is None:
            return
        gone = trace is None or not self.view.live or self.picture.cursor != cell.cursor
        if gone or trace is None or not is_inside(trace, cell.cursor):
            self._cell = None
        elif value_of(trace, cell.cursor)[0] != cell.content:
            self._open_cell(cell.cursor)

    # ---- long scans of values

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

    def scanned(self, report: Report) -> State:
        """Takes the report of a scan of the view that is looked at."""
        self.view = replace(self.view, report=report)
        self.picture.take_view(self.view)
        self._form = self._form_state()
        self._levels = level_strip(self.experiment, report)
        return self._yield_drawn()

    # ---- running

    def run(self, tell: TellRun, tell_readiness: TellReadiness) -> State:
        """Runs and times a valid desc, or cancels the run that goes on; both functions are called in threads."""
        if self.runs.running.busy:
            return self.cancel_run()
        if self.view.live:
            self.runs.start(self.view, tell, tell_readiness)
        return self._yield()

    def cancel_run(self) -> State:
        """Ends the run that goes on, if one does."""
        self._warms |= self.runs.cancel()
        return self._yield()

    def heard_run(self, number: int, running: Running) -> State:
        """Takes over how far run `number` is, or what came of it; nothing of a run that nobody waits for."""
        if self.runs.heard(number, running):
            self._warms |= not running.busy  # the process may have ended with the run
        return self._yield()

    def warm(self, tell: TellReadiness) -> State:
        """Gets the kernel of the operator on the screen ready; `tell` is told in a thread."""
        self.runs.warm(self.experiment, tell)
        return self._yield()

    def heard_readiness(self, readiness: Readiness) -> State:
        """Takes over how far a kernel is; once it is ready, the state asks for the wanted one if that is another."""
        wanted = self.runs.readiness(self.experiment)
        self._warms |= not readiness.stage and wanted is not None and wanted.name != readiness.name
        return self._yield()
