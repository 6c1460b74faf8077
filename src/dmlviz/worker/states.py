"""What is known of a kernel that is got ready, and of an experiment's run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ..timing.comparison import Comparison


class Readiness(Struct, frozen=True):
    """How far the kernel of an operator is on its way into the process that runs it."""

    name: str
    """The operator's."""
    stage: str = ""
    """What is done now: "starting" the process, "loading" or "compiling"; "" where nothing is."""
    since: float = 0.0
    """When the stage began, as time.monotonic() has it."""
    ready: bool = False
    from_cache: bool = False
    """It is ready and didn't have to be compiled."""
    seconds: float = 0.0
    """Compiling or loading it."""
    trouble: str = ""


class Running(Struct, frozen=True):
    """What is known of an experiment's run: nothing yet, how far it is, its timing, or why it didn't run."""

    stage: str = ""
    """"starting", "compiling", "allocating", "running", "timing", "textbook", in that order; "" for none."""
    since: float = 0.0
    """When the stage began, as time.monotonic() has it."""
    comparison: Comparison | None = None
    trouble: str = ""
    agreed: int = 0
    """Output elements that were compared with the picture's own."""

    @property
    def busy(self) -> bool:
        return bool(self.stage)
