"""What a bench times now, on stderr."""

from __future__ import annotations

import math
import sys
import time

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

SAID_EVERY = 10.0
"""Seconds between two lines of progress where stderr is no terminal."""


class Progress:
    """What is timed now: a bar where stderr is a terminal, else a line now and then."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._began = time.monotonic()
        self._said = -math.inf
        self._bar: Bar | None = None
        if sys.stderr.isatty():
            self._bar = Bar(
                BarColumn(20),
                TextColumn("{task.completed}/{task.total}"),
                TimeElapsedColumn(),
                TextColumn("{task.description}"),
                console=Console(stderr=True),
                transient=True,
                auto_refresh=False,  # no thread of ours may take a core while something is timed
            )
            self._task = self._bar.add_task("starting", total=total)

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, done: int, cell: str, what: str) -> None:
        """`what` happens in `cell`, after `done` cells."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, description=f"{cell} {what}")
            self._bar.refresh()
        elif done and time.monotonic() - self._said > SAID_EVERY:
            self._said = time.monotonic()
            self.say(f"{done} of {self._total} cells, {self._said - self._began:.0f} s: {cell}")

    def say(self, sentence: str) -> None:
        """A sentence that stays."""
        if self._bar is not None:
            self._bar.console.print(f"dmlviz: {sentence}", markup=False, highlight=False, soft_wrap=True)
        else:
            print(f"dmlviz: {sentence}", file=sys.stderr, flush=True)
