"""What a bench found: a result for each cell, and what all of them come to."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from dmlviz.errors import DmlvizError
from dmlviz.formats.regular_files import read_regular
from dmlviz.timing.plain_copy import SEVERAL
from dmlviz.timing.sampling import Spread

from .cells import COPY_WANTED, OVERHEAD_WANTED, REGIMES, Wanted
from .libraries import NAMES, TEXTBOOK

FORMAT = 2
MEASUREMENTS = {1: "entrants", 2: "measurements"}
"""What the formats that can be read call a cell's measurements."""
OURS = "dmlviz"


class Measurement(Struct, frozen=True):
    """The times of one way in one cell."""

    way: str
    """The function that was called: `take`."""
    warm: Spread
    first: Spread
    """First calls: each after the idle time of the others' turns."""
    threads: float
    """The median of the processor time of a sample as a multiple of its duration."""

    def to_json(self) -> dict[str, Any]:
        return {
            "way": self.way,
            "threads": self.threads,
            "warm": self.warm.to_json(),
            "first": self.first.to_json(),
            "samples": [_short(s) for s in self.warm.samples],
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Measurement:
        warm = Spread.from_json(found["warm"])
        warm = Spread(median=warm.median, min=warm.min, p95=warm.p95, n=warm.n, samples=tuple(found["samples"]))
        return cls(found["way"], warm, Spread.from_json(found["first"]), found["threads"])


def _short(seconds: float) -> float:
    return float(f"{seconds:.4g}")


class CellResult(Struct, frozen=True, kw_only=True):
    """One cell: all of its medians come from the same rounds."""

    id: str
    regime: str
    data_type: str
    name: str
    operator: str
    elements: int
    bytes_read: int
    bytes_written: int
    run_bytes: int
    held_to_copy: bool
    measurements: dict[str, Measurement]
    """By who was timed: `dmlviz` or `dmlviz run`, peers, `copy` by one thread and `copy N` by several."""
    left_out: dict[str, str] = field(default_factory=dict)
    """Why a peer doesn't take part in this cell."""

    @property
    def ours(self) -> Measurement | None:
        return self.measurements.get(OURS)

    @property
    def peers(self) -> dict[str, Measurement]:
        """The libraries; the textbook loop is none."""
        return {k: e for k, e in self.measurements.items() if k in NAMES}

    @property
    def best_peer(self) -> str | None:
        """The peer with the least median."""
        return min(self.peers, key=lambda k: self.peers[k].warm.median, default=None)

    @property
    def ratio(self) -> float | None:
        """The best peer's median / ours; above 1 ours is faster."""
        if self.ours is None or self.best_peer is None:
            return None
        return self.peers[self.best_peer].warm.median / self.ours.warm.median

    @property
    def min_ratio(self) -> float | None:
        """The same of the least samples."""
        if self.ours is None or not self.peers:
            return None
        return min(e.warm.min for e in self.peers.values()) / self.ours.warm.min

    @property
    def copy(self) -> Measurement | None:
        """The plain copy of as many bytes as are written, by as many threads as ours keeps busy."""
        several = [e for k, e in self.measurements.items() if k.startswith("copy ")]
        if several and self.ours is not None and self.ours.threads >= SEVERAL:
            return several[0]
        return self.measurements.get("copy")

    @property
    def copy_share(self) -> float | None:
        """How fast ours is where that copy is 1."""
        if self.ours is None or self.copy is None:
            return None
        return self.copy.warm.median / self.ours.warm.median

    @property
    def textbook_ratio(self) -> float | None:
        """How many times longer the textbook loop takes than ours, where it was timed."""
        if self.ours is None or TEXTBOOK not in self.measurements:
            return None
        return self.measurements[TEXTBOOK].warm.median / self.ours.warm.median

    @property
    def gb_per_s(self) -> float | None:
        """10^9 bytes read and written in a second, at our median."""
        return (self.bytes_read + self.bytes_written) / self.ours.warm.median / 1e9 if self.ours else None

    @property
    def overhead(self) -> float | None:
        """Seconds that `dml.run` takes more than the bound call, in the cells that time it."""
        run = self.measurements.get(f"{OURS} run")
        return run.warm.median - self.ours.warm.median if run and self.ours else None

    def to_json(self) -> dict[str, Any]:
        return {
            **{key: getattr(self, key) for key in _PLAIN},
            "ratio": self.ratio and round(self.ratio, 4),
            "copy_share": self.copy_share and round(self.copy_share, 4),
            "best_peer": self.best_peer,
            **({"textbook_ratio": round(self.textbook_ratio, 4)} if self.textbook_ratio else {}),
            "left_out": self.left_out,
            "measurements": {k: e.to_json() for k, e in self.measurements.items()},
        }

    @classmethod
    def from_json(cls, found: dict[str, Any], form: int = FORMAT) -> CellResult:
        """What `to_json` has made, or an earlier `form` of it."""
        measurements = {k: Measurement.from_json(e) for k, e in found[MEASUREMENTS[form]].items()}
        return cls(**{key: found[key] for key in _PLAIN}, measurements=measurements, left_out=found["left_out"])


_PLAIN = (
    "id", "regime", "data_type", "name", "operator", "elements", "bytes_read", "bytes_written", "run_bytes",
    "held_to_copy",
)  # fmt: skip


class Results(Struct):
    """Everything that one or more runs of the bench found."""

    machine: dict[str, Any]
    grid: str
    rounds: int
    versions: dict[str, str] = field(default_factory=dict)
    """The versions of the peers that took part."""
    absent: dict[str, str] = field(default_factory=dict)
    """Why a peer took no part at all."""
    cells: dict[str, CellResult] = field(default_factory=dict)
    began: str = ""
    seconds: float = 0.0
    """Spent measuring."""

    def to_json(self) -> str:
        """Readable JSON, a line for each cell."""
        head = {
            "dmlviz_bench": FORMAT,
            "machine": self.machine,
            "grid": self.grid,
            "rounds": self.rounds,
            "versions": self.versions,
            "absent": self.absent,
            "began": self.began,
            "seconds": round(self.seconds, 1),
        }
        lines = ",\n  ".join(json.dumps(cell.to_json(), ensure_ascii=False) for cell in self.cells.values())
        inner = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
        return f'{inner},\n "cells": [\n  {lines}\n ]\n}}\n'

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Results:
        """Raises DmlvizError for a file that is no result."""
        try:
            found = json.loads(read_regular(file))
            form = found["dmlviz_bench"]
            if form not in MEASUREMENTS:
                raise DmlvizError(f"{file} has format {form}, expected {FORMAT} or less.")
            cells = [CellResult.from_json(each, form) for each in found["cells"]]
            keys = ("machine", "grid", "rounds", "versions", "absent", "began", "seconds")
            held = cls(**{key: found[key] for key in keys})
        except OSError as error:
            raise DmlvizError(f"{file} can't be read: {error.strerror or error}.") from None
        except DmlvizError:
            raise
        except (ValueError, KeyError, TypeError):
            raise DmlvizError(f"{file} is no result of `benchmarks/bench.py`, expected what --json wrote.") from None
        held.cells = {cell.id: cell for cell in cells}
        return held

    def rows(self) -> list[Row]:
        """A row for each regime that has cells with a ratio, in the grid's order."""
        of: dict[str, list[CellResult]] = {}
        wanted: dict[str, Wanted | None] = {}
        for regime in REGIMES:
            wanted[regime.row or regime.name] = regime.wanted
        belongs = {regime.name: regime.row or regime.name for regime in REGIMES}
        for cell in self.cells.values():
            if cell.ratio is not None:
                of.setdefault(belongs.get(cell.regime, cell.regime), []).append(cell)
        names = [name for name in wanted if name in of] + [name for name in of if name not in wanted]
        return [Row(name, wanted.get(name), of[name]) for name in names]

    def held_to_copy(self) -> list[CellResult]:
        """The cells with long runs, those that are slowest beside the plain copy first."""
        found = [c for c in self.cells.values() if c.held_to_copy and c.copy_share is not None and _bound(c)]
        return sorted(found, key=lambda c: c.copy_share or 0)

    def textbook(self) -> dict[str, float]:
        """The geometric mean of each operator's `textbook_ratio`; empty where none was timed."""
        found: dict[str, list[float]] = {}
        for cell in self.cells.values():
            if cell.textbook_ratio is not None:
                found.setdefault(cell.operator, []).append(cell.textbook_ratio)
        return {name: geometric_mean(ratios) for name, ratios in found.items()}

    def overheads(self) -> list[CellResult]:
        """The cells that time what `dml.run` costs over the bound call, the dearest first."""
        return sorted((c for c in self.cells.values() if c.overhead is not None), key=lambda c: -(c.overhead or 0))


def _bound(cell: CellResult) -> bool:
    """False where outputs are allocated too, which no plain copy does."""
    return not any(regime.name == cell.regime and regime.allocates for regime in REGIMES)


class Row(Struct, frozen=True):
    """What a regime comes to."""

    name: str
    wanted: Wanted | None
    cells: Sequence[CellResult]

    @property
    def worst(self) -> CellResult:
        return min(self.cells, key=_ratio)

    @property
    def mean(self) -> float:
        """The geometric mean of the cells' ratios."""
        return geometric_mean(map(_ratio, self.cells))

    @property
    def operators(self) -> dict[str, float]:
        """The geometric mean of each operator."""
        return self._means(lambda cell: cell.operator)

    @property
    def types(self) -> dict[str, float]:
        """The geometric mean of each type."""
        return self._means(lambda cell: cell.data_type)

    def _means(self, key: Callable[[CellResult], str]) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for cell in self.cells:
            found.setdefault(key(cell), []).append(_ratio(cell))
        return {name: geometric_mean(ratios) for name, ratios in found.items()}

    @property
    def short(self) -> list[CellResult]:
        """The cells below the wanted worst ratio, the worst first."""
        if self.wanted is None:
            return []
        return sorted((c for c in self.cells if _ratio(c) < self.wanted.worst), key=_ratio)


def _ratio(cell: CellResult) -> float:
    assert cell.ratio is not None
    return cell.ratio


def geometric_mean(ratios: Iterable[float]) -> float:
    found = list(ratios)
    return math.exp(sum(map(math.log, found)) / len(found))


__all__ = ["COPY_WANTED", "OVERHEAD_WANTED", "CellResult", "Measurement", "Results", "Row", "geometric_mean"]
