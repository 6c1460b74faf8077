"""The chain that the experiment stands in: its stages, wires, colours by root, the cursor's path, and what is told."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ...errors import DmlvizError, quote
from ...scene.elements.cursor import Cursor
from ...scene.steps.order import Steps, Unit
from ...scene.view_state import ViewState
from ...session.document import Document
from ...session.examples import TASK, without_task
from ...session.examples import example as example_of
from ...session.experiments import Experiment
from ...session.views import ViewEntry
from ...session.wire_edits import free_name, unwire, wire
from ..shown.picture import Picture
from .edit_desk import EditDesk

if TYPE_CHECKING:
    from ...session.chains import Chain
    from ..shown.chain_state import ChainState
    from .chain_view import WireAsk


COVERED = "covered while its question is open: g answers, space plays, esc shows all"
"""What is said of a picture that would tell what is asked about it."""


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


UNWRITTEN = "is not written yet: end writes all of it, escape shows the whole."


class ChainDesk(EditDesk):
    """What of the explorer follows from wires; most sessions have none, and then `_chain` is None."""

    view: ViewState

    def __init__(self, document: Document, picture: Picture, now: Callable[[], float]) -> None:
        super().__init__(document, picture, now)
        self._viewed: ViewEntry | None = None  # that of the experiment that is looked at
        self._shown_whole: set[ViewEntry | None] = set()  # examples of which all was shown
        self._end: Experiment | None = None  # what the chain ends with
        self._chain: ChainState | None = None
        self._wants_path = False
        self._links: Chain | None = None  # of the chain that was looked at last

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
            self._news.append(f"{quote(one.name, 40)} {UNWRITTEN}")
            self.document.go(next(i for i, each in enumerate(self.document.session.experiments) if each is one))
            self._viewed = None  # it is opened as it was left

    # ---- wires and stages

    def wire_ask(self) -> WireAsk:
        """What the input under the cursor can be wired to."""
        from . import chain_view

        trace = self.view.trace if self.view.live else None
        path = chain_view.asked_path(self.experiment, trace, self.picture.cursor)
        return chain_view.wire_ask(self.document.session, self.document.number, path)

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

    def add_stage(self, kind: str) -> None:
        """Adds an experiment of an operator's type that reads the output under the cursor, and looks at it."""
        from ...session.new_experiments import continued

        here, names = self.experiment, [one.name for one in self.document.session.experiments]
        cursor = self.picture.cursor
        output = cursor.place.number if cursor is not None and cursor.place.is_output else 0
        try:
            if names.count(here.name) > 1:
                raise DmlvizError(f"{quote(here.name)} is no name of its own, expected one for a wire to lead to.")
            if not self.picture.known.whole:
                raise DmlvizError(f"{quote(here.name, 40)} {UNWRITTEN}")
            new = continued(here, min(output, len(here.desc.outputs) - 1), kind, here.feature_level)
        except DmlvizError as error:
            self._notices.append(str(error))
            return
        self.document.add(dataclasses.replace(new, name=free_name(new.name, names)))
        self.experiments_changed()

    def experiments_changed(self) -> None:
        """Takes over that experiments of the document came, went or changed their names."""
        raise NotImplementedError

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

    def go_on_path(self, number: int) -> None:
        """Looks at the element that a line of the path is about, where that may be told."""
        chain, every = self._chain_with_path(), self.document.session.experiments
        lines = chain.path.lines[number:] if chain is not None and chain.path is not None else ()
        if not lines or lines[0].cursor is None:
            return
        if lines[0].stage is not self.experiment:
            self.document.go(next(i for i, one in enumerate(every) if one is lines[0].stage))
            self._follow_another()
        if self.experiment is lines[0].stage:
            self.picture.stop()
            self.picture.point(lines[0].cursor)

    def _linked(self) -> Chain | None:
        """The links of the chain that is looked at; None without one, and where the present stage is broken."""
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
        """Has colours stand for the roots of the chain, unless they are to stand for what the stage alone does."""
        links, trace = self._linked(), self.view.trace
        if links is None or trace is None:
            return
        from ...scene.colour.root_colours import RootColours

        roots = RootColours(links, self._stage_in(links))
        colours = trace.colours if self.view.recoloured else roots
        self.view = replace(self.view, trace=trace.with_colours(colours, roots.clamped if roots.may_clamp else None))
