"""What the grid measured: a result for each cell, what all of them come to, and the file they are kept in."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import msgspec
from cells import REGIMES, Wanted
from msgspec import Struct, field
from timer import OURS, PEERS, Sample

from dmlviz.timing.plain_copy import SEVERAL
from dmlviz.timing.sampling import Spread

FORMAT = 2


class Measurement(Struct, frozen=True):
    """The times of one way in one cell."""

    way: str
    """The function that was called: `take`."""
    threads: float
    """The median of `Sample.threads`."""
    warm: Spread
    first: Spread
    samples: tuple[float, ...]
    """The warm ones, in order."""

    @classmethod
    def of(cls, way: str, samples: Sequence[Sample]) -> Measurement:
        warm = [sample.warm for sample in samples]
        return cls(
            way=way,
            threads=median(sample.threads for sample in samples),
            warm=Spread.of(warm),
            first=Spread.of(sample.first for sample in samples),
            samples=tuple(float(f"{seconds:.4g}") for seconds in warm),
        )

    @property
    def seconds(self) -> float:
        """The median of warm calls."""
        return self.warm.median


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
    left_out: dict[str, str] = field(default_factory=dict)
    """Why a peer doesn't take part in this cell."""
    measurements: dict[str, Measurement]
    """By who was timed: `dmlviz` or `dmlviz run`, peers, `copy` by one thread and `copy N` by several."""

    @property
    def ours(self) -> Measurement | None:
        return self.measurements.get(OURS)

    @property
    def peers(self) -> dict[str, Measurement]:
        return {name: times for name, times in self.measurements.items() if name in PEERS}

    @property
    def best_peer(self) -> str | None:
        """The peer with the least median."""
        return min(self.peers, key=lambda name: self.peers[name].seconds, default=None)

    @property
    def ratio(self) -> float | None:
        """The best peer's median / ours; above 1 ours is faster."""
        if self.ours is None or self.best_peer is None:
            return None
        return self.peers[self.best_peer].seconds / self.ours.seconds

    @property
    def min_ratio(self) -> float | None:
        """The same of the least samples."""
        if self.ours is None or not self.peers:
            return None
        return min(peer.warm.min for peer in self.peers.values()) / self.ours.warm.min

    @property
    def copy_share(self) -> float | None:
        """How fast ours is where the plain copy of as many bytes, by as many threads as ours keeps busy, is 1."""
        if self.ours is None:
            return None
        several = [times for name, times in self.measurements.items() if name.startswith("copy ")]
        copy = several[0] if several and self.ours.threads >= SEVERAL else self.measurements.get("copy")
        return copy.seconds / self.ours.seconds if copy else None

    @property
    def gb_per_s(self) -> float | None:
        """10^9 bytes read and written in a second, at our median."""
        return (self.bytes_read + self.bytes_written) / self.ours.seconds / 1e9 if self.ours else None

    @property
    def overhead(self) -> float | None:
        """Seconds that `dml.run` takes more than the bound call, in the cells that time it."""
        run = self.measurements.get(f"{OURS} run")
        return run.seconds - self.ours.seconds if run and self.ours else None


class Results(Struct):
    """Everything that one or more runs of the grid measured."""

    dmlviz_bench: int
    """The format."""
    machine: dict[str, Any]
    rounds: int
    versions: dict[str, str] = field(default_factory=dict)
    """The versions of the peers that took part."""
    absent: dict[str, str] = field(default_factory=dict)
    """Why a peer took no part at all."""
    began: str = ""
    seconds: float = 0.0
    """Spent measuring."""
    cells: list[CellResult] = field(default_factory=list)

    @classmethod
    def load(cls, file: str | os.PathLike[str]) -> Results:
        """Ends the program with a sentence for a file that holds no results."""
        try:
            results = msgspec.json.decode(Path(file).read_bytes(), type=cls)
        except (OSError, msgspec.DecodeError) as error:
            raise SystemExit(f"{file} can't be read, expected what --json wrote: {error}") from None
        if results.dmlviz_bench != FORMAT:
            raise SystemExit(f"{file} has format {results.dmlviz_bench}, expected {FORMAT}.")
        return results

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes readable JSON, a line for each cell."""
        head = msgspec.structs.asdict(self)
        lines = ",\n  ".join(msgspec.json.encode(cell).decode() for cell in head.pop("cells"))
        inner = msgspec.json.format(msgspec.json.encode(head), indent=1).decode()[:-2]
        Path(file).write_text(f'{inner},\n "cells": [\n  {lines}\n ]\n}}\n', "utf-8")

    def rows(self) -> list[Row]:
        """A row for each regime that has cells with a ratio, in the grid's order."""
        row_of = {regime.name: regime.row or regime.name for regime in REGIMES}
        wanted = {row_of[regime.name]: regime.wanted for regime in REGIMES}
        cells: dict[str, list[CellResult]] = {name: [] for name in wanted}
        for cell in self.cells:
            if cell.ratio is not None:
                cells[row_of[cell.regime]].append(cell)
        return [Row(name, wanted[name], cells[name]) for name in wanted if cells[name]]

    def held_to_copy(self) -> list[CellResult]:
        """The cells with long runs, those that are slowest beside the plain copy first."""
        allocates = {regime.name for regime in REGIMES if regime.allocates}  # which no plain copy does
        compared = [
            cell
            for cell in self.cells
            if cell.held_to_copy and cell.copy_share is not None and cell.regime not in allocates
        ]
        return sorted(compared, key=lambda cell: cell.copy_share or 0)

    def overheads(self) -> list[float]:
        """What `dml.run` costs over the bound call, the dearest first."""
        return sorted((cell.overhead for cell in self.cells if cell.overhead is not None), reverse=True)


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
        ratios: dict[str, list[float]] = {}
        for cell in self.cells:
            ratios.setdefault(key(cell), []).append(_ratio(cell))
        return {name: geometric_mean(of_name) for name, of_name in ratios.items()}


def _ratio(cell: CellResult) -> float:
    assert cell.ratio is not None
    return cell.ratio
