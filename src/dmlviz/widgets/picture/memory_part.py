"""Linear memory where something is asked or told: the memory strip, and below it the steps."""

from __future__ import annotations

from collections.abc import Callable

from textual.containers import Vertical

from ...workspace.shown.state import PicturedState
from .memory_strip import MemoryStrip
from .transport import Transport


class MemoryPart(Vertical):
    """A memory strip with the steps' line: the same on every page that asks or tells. It takes the lines it needs."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        self._strip, self._steps = MemoryStrip(id=f"{id}-strip"), Transport(id=f"{id}-steps")
        super().__init__(self._strip, self._steps, id=id)
        self.display = False

    def present(self, state: PicturedState, say: Callable[..., str], *, steps: bool) -> None:
        """Shows another state; `say` says a sentence by its key, and `steps` is True where they can be shown."""
        picture = state.picture
        self.display = picture.shows_memory
        self._steps.display, self._steps.styles.height = steps, 1
        self.styles.height = picture.memory_lines + steps
        self._strip.present(state)
        if picture.steps is not None and picture.shows_memory:
            self._steps.show_words(picture, picture.step_in_words(say))
