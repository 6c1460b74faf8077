"""What is known of a kernel that is got ready, and of an experiment's run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ..kernels.lib.kernel import KernelState
    from ..timing.comparison import Comparison
    from ..timing.sampling import Timing


class Readiness(Struct, frozen=True):
    """How far the kernel of an operator is on its way into the process that runs it."""

    name: str
    """The operator's."""
    stage: str = ""
    """What is done now: "starting" the process, "loading" or "compiling"; "" where nothing is."""
    since: float = 0.0
    """When the stage began, as time.monotonic() has it."""
    state: KernelState | None = None
    """COMPILED or CACHED where it is ready."""
    seconds: float = 0.0
    """Compiling or loading it."""
    kept: bool = True
    """It is on disk for the next process."""
    trouble: str = ""

    @property
    def ready(self) -> bool:
        return self.state is not None

    @property
    def from_cache(self) -> bool:
        """True if it is ready and didn't have to be compiled."""
        from ..kernels.lib.kernel import KernelState

        return self.state is KernelState.CACHED


class Running(Struct, frozen=True):
    """What is known of an experiment's run: nothing yet, how far it is, its timing, or why it didn't run."""

    stage: str = ""
    """"starting", "compiling", "allocating", "running", "timing", "textbook", in that order; "" for none."""
    share: float = 0.0
    """How much of "timing" is done."""
    since: float = 0.0
    """When the stage began, as time.monotonic() has it."""
    comparison: Comparison | None = None
    trouble: str = ""
    agreed: int = 0
    """Output elements that were compared with the picture's own."""

    @property
    def busy(self) -> bool:
        return bool(self.stage)

    @property
    def timing(self) -> Timing | None:
        return self.comparison.ours if self.comparison is not None else None


Tell = Callable[[Running], None]
TellReadiness = Callable[[Readiness], None]
