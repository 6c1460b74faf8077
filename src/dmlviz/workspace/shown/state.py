"""What the explorer shows at one moment: frozen values, which panels draw and tests ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property, partial

from msgspec import Struct, field

from ...operators.report import Fix
from ...scene.changes import Counts
from ...scene.elements.cursor import Cursor
from ...scene.elements.known import EVERYTHING, Known
from ...scene.elements.lookup import first_reader_of, source_of, value_of
from ...scene.elements.partners import Partners
from ...scene.layout.arrange import Scene
from ...scene.levels.strip import LevelStrip
from ...scene.look import Look
from ...scene.steps.order import Steps, Unit
from ...scene.steps.player import Phase, Player
from ...scene.view_state import ViewState
from ...session.document import Document
from ...session.experiments import Experiment
from ...tracing import Trace
from ...worker.client import Runner, same_run
from ...worker.states import Running

Later = Callable[..., None]
"""Calls what it is given with the rest of it in the screen's own thread, and shows what came of it."""


class Runs:
    """The runs of the experiment that is looked at, one at a time, in the worker process."""

    def __init__(self, experiment: Experiment) -> None:
        self.runner = Runner()
        self.running = Running()
        self.number = 0
        """Of the run whose words are heard."""
        self._experiment = experiment

    def follow(self, experiment: Experiment) -> None:
        """Looks at another desc: a time is never shown for one that it isn't of."""
        before, self._experiment = self._experiment, experiment
        if not same_run(before, experiment):
            self.cancel()
            self.running = Running()

    def start(self, later: Later) -> None:
        """Runs and times the experiment, a valid one."""
        self.number += 1
        self.running = Running("starting", since=time.monotonic())
        self.runner.start(self._experiment, partial(later, self.heard, self.number))

    def cancel(self) -> None:
        """Ends the run that goes on, if one does."""
        if self.running.busy:
            self.number += 1  # what is on its way is of no run any more
            self.runner.cancel()
            self.running = Running()

    def heard(self, number: int, running: Running) -> None:
        """Takes over how far run `number` is, or what came of it; nothing of a run that nobody waits for."""
        if number == self.number:
            self.running = running


class WireState(Struct, frozen=True):
    """A wired input of a stage."""

    path: str
    source: int
    """The number of the stage that it reads; -1 where it leads nowhere."""
    mark: str = ""
    """✘ where it doesn't fit, … where it waits for its source, ~ where it is read with other sizes; "" else."""
    output: int = 0
    """The number of the output that it reads."""


class StageState(Struct, frozen=True):
    """One experiment of a chain."""

    number: int
    """Its place in the session, from 0."""
    name: str
    operator: str
    mark: str
    """✔ for a valid one, ✘ for one that breaks a rule itself, … for one that only waits for another."""
    outputs: tuple[str, ...]
    """Sizes of each: `{1,4}`."""
    wires: tuple[WireState, ...]

    @property
    def reads(self) -> frozenset[int]:
        """The numbers of the stages that it reads directly."""
        return frozenset(wire.source for wire in self.wires)


class PathLine(Struct, frozen=True):
    """A line of the path: an element, where that comes from, and why."""

    left: str
    right: str
    why: str = ""


class PathState(Struct, frozen=True):
    """Where the cursor's element comes from and goes to, through all stages."""

    title: str
    lines: tuple[PathLine, ...]


class ChainState(Struct, frozen=True):
    """A chain, each stage behind those that it reads."""

    stages: tuple[StageState, ...]
    at: int
    path: PathState | None = None


MOST_MOVING = 4
"""Values that are shown on their way at once; the others are counted."""


class FormRow(Struct, frozen=True):
    """One field of the form, and one place where the focus can stand."""

    key: str
    """DirectML's path: `InputTensors[1]`; or Operator, FeatureLevel, DataType; with .DataType, .values or .add."""
    label: str
    text: str
    """What the field holds; empty where it is inferred."""
    choices: tuple[str, ...] = ()
    inferred: str = ""
    """What an empty field stands for."""
    remark: str = ""
    """A word at the right of the field: auto, given, or the lowest level."""
    group: int = 1
    """0 for what all tensors share, 2 for numbers and choices of the operator, 3 for counts."""
    tensor: str = ""
    """The path of the tensor that the row belongs to; of an array's, where it has an index."""
    hint: str = ""
    is_list: bool = False
    takes_letters: bool = False
    """True where a letter belongs to what is typed, as in `nan`; else whole numbers alone do."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """What stands beside a choice: the level that it needs where the present one is lower, `≥3_0`."""

    @property
    def is_array(self) -> bool:
        """True for what belongs to a tensor of an array, which can be removed."""
        return self.tensor.endswith("]")

    @property
    def adds(self) -> bool:
        """True for the row that adds a tensor to an array."""
        return self.key.endswith(".add")

    @property
    def is_sizes(self) -> bool:
        return self.key == self.tensor

    @property
    def is_typed(self) -> bool:
        return not self.choices and not self.adds


class FormState(Struct, frozen=True):
    """The form's rows, and what is wrong with them."""

    rows: tuple[FormRow, ...]
    broken: Mapping[str, str]
    """{row key: "error" or "warning"} of the rows that rules, or field errors, name."""
    errors: Mapping[str, str]
    """{row key: sentence} of the fields whose text can't be read."""
    refill: int = 0
    """Grows where the fields are to hold the document's text again, whatever is being typed."""
    strip: tuple[str, ...] = ()
    """The keys of the rows that decide what the operator does: see `strip_keys`."""


class Moving(Struct, frozen=True):
    """The way from a source to a destination, and the values on it."""

    source: Cursor
    target: Cursor
    values: tuple[tuple[str, int], ...] = ()
    """(text, identity) of at most MOST_MOVING values."""
    more: int = 0
    """Values that move with them and aren't listed."""
    way: int = 0
    """From 0 at the source to `player.WAYS` at the destination."""


class PictureState(Struct, frozen=True, kw_only=True, dict=True):
    """The picture: its layout, the cursor in it, and how far its steps have come."""

    scene: Scene | None = None
    steps: Steps | None = None
    cursor: Cursor | None = None
    player: Player = field(default_factory=Player)
    look: Look = field(default_factory=Look)
    links: Partners = field(default_factory=Partners)
    known: Known = EVERYTHING
    """What may be told of where output elements come from: while steps are shown, what they have come to."""
    live: bool = False
    memory_lines: int = 0
    """Lines of the memory strip, with the empty one above it; 0 for none."""
    reveal: int = 0
    """Grows where the cursor's element is to be scrolled into sight."""

    @property
    def trace(self) -> Trace | None:
        return self.scene.trace if self.scene is not None else None

    @property
    def shows_memory(self) -> bool:
        return self.memory_lines > 0

    @property
    def step(self) -> int | None:
        """The step that is shown; None where everything is written and the cursor is free."""
        return self.player.step

    def step_in_words(self) -> str:
        """`step 2 of 6`, or `copy 2 of 6` of copies of memory.

        What is filled and comes from nowhere is no copy, and where there is some they are steps.
        """
        steps = self.steps
        if steps is None:
            return ""
        from ...teaching.words.catalogue import sentence  # no first frame needs it

        step, count = f"{min(self.step or 0, steps.count):,}", f"{steps.count:,}"
        if steps.unit is Unit.COPY and not steps.trace.has_constants:
            return sentence("page.copy_of", step=step, count=count)
        return sentence("page.step_of", step=step, count=count)

    @property
    def is_at_step(self) -> bool:
        """True if the cursor is on an element that the present step writes."""
        cursor, step = self.cursor, self.player.step
        if self.steps is None or cursor is None or not step or not cursor.place.is_output:
            return False
        return self.steps.step_of(cursor) == min(step, self.steps.count)

    @property
    def count_is_told(self) -> bool:
        """True if it may be told how many steps there are: sizes alone say so, or nothing is hidden."""
        return self.steps is None or self.steps.count_is_told or self.known.whole

    @property
    def lights_formula(self) -> bool:
        """True while the present step is at the rule: the formula is lit."""
        return self.player.phase is Phase.RULE

    @cached_property
    def moving(self) -> Moving | None:
        """The way of the cursor's element, and of what the present step moves with it; None where none is shown."""
        trace, cursor, player = self.trace, self.cursor, self.player
        if trace is None or cursor is None or not self.live or player.phase is Phase.SOURCE:
            return None
        target = cursor if cursor.place.is_output else first_reader_of(trace, cursor, self.known)
        if target is None or not self.known.tells(target):
            return None
        targets, count = [target], 1
        if self.steps is not None and player.step and cursor == self.steps.element(player.step):
            targets, count = self.steps.moved(player.step, MOST_MOVING)
        source = source_of(trace, target)  # of what an index sends too: the value comes from the data
        if source is None:  # what comes from nowhere passes no lane
            target = next((other for other in targets if other != target), target)
            source = source_of(trace, target)
        if source is None:
            return None
        if player.way is None:
            return Moving(source, target)
        return Moving(
            source=source,
            target=target,
            values=tuple(value_of(trace, cursor) for cursor in targets),
            more=count - len(targets),
            way=player.way,
        )


class PicturedState(Struct, frozen=True, kw_only=True):
    """What every screen with an experiment shows of it."""

    picture: PictureState


class State(PicturedState, frozen=True, kw_only=True):
    """All that the explorer shows. What didn't change since the state before is the same object."""

    document: Document
    """Not frozen: what it is now, whenever somebody asks."""
    view: ViewState
    form: FormState
    levels: LevelStrip
    chosen: int | None
    run: Runs
    """As they are now, as `document`."""
    counts: Counts | None = None
    """How much the last edit changed of the outputs; None while any of them is hidden, and until it is counted."""
    chain: ChainState | None = None
    """None where the experiment neither reads another one nor is read."""
    cover: str = ""
    """What is said over a picture that is covered; empty for a whole one."""

    @property
    def path(self) -> PathState | None:
        """Of the cursor's element; None where it isn't shown."""
        return self.chain.path if self.chain is not None else None

    @property
    def plays(self) -> bool:
        """True while the picture's steps play."""
        return self.picture.player.playing

    def fix(self, number: int) -> Fix | None:
        """The fix that is listed at `number`, from 0 (-1 is the first), for the broken rule that is shown, or None."""
        why, at = self.view.why, max(number, 0)
        # Where a warning is looked at, the panels go on showing the last broken rule.
        listed = why.errors[min(self.chosen or 0, len(why.errors) - 1)].fixes if why.errors else ()
        return why.fixes[listed[at]] if at < len(listed) else None
