"""What is known of an experiment's run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ..timing.comparison import Comparison


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
