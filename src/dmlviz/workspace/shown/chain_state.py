"""What a screen says of the chain that an experiment stands in: its stages, and the cursor's path through them."""

from __future__ import annotations

from msgspec import Struct

from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment


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
    detail: str
    """Its axis: `Axis 1`; "" for none."""
    mark: str
    """✔ for a valid one, ✘ for one that breaks a rule itself, … for one that only waits for another."""
    outputs: tuple[str, ...]
    """Sizes of each: `{1,4}`."""
    data_type: str
    roots: tuple[str, ...]
    """Sizes of its inputs that no wire fills."""
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
    stage: Experiment | None = None
    """Where a click leads, to its `cursor`."""
    cursor: Cursor | None = None


class PathState(Struct, frozen=True):
    """Where the cursor's element comes from and goes to, through all stages."""

    title: str
    lines: tuple[PathLine, ...]


class ChainState(Struct, frozen=True):
    """A chain, each stage behind those that it reads."""

    stages: tuple[StageState, ...]
    at: int
    """The stage that is looked at."""
    path: PathState | None = None
    """None where it isn't wanted."""
