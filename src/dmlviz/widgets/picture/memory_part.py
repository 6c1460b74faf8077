"""Linear memory where something is asked or told: the memory strip, and below it the steps."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.containers import Vertical

from ...workspace.shown.state import PictureState
from .memory_strip import MemoryStrip
from .picture_pane import Pictured
from .transport import Transport


class MemoryPart(Vertical):
    """A memory strip with the steps' line: the same on every page that asks or tells. It takes the lines it needs.

    Its clicks are what the page's keys do.
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002
        self._strip, self._steps = MemoryStrip(id=f"{id}-strip"), Transport(id=f"{id}-steps")
        super().__init__(self._strip, self._steps, id=id)
        self.display = False
        self._picture = PictureState()

    def present(self, state: Pictured, say: Callable[..., str], *, steps: bool) -> None:
        """Shows another state; `say` says a sentence by its key, and `steps` is True where they can be shown."""
        picture = self._picture = state.picture
        self.display = picture.shows_memory
        self._steps.display, self._steps.styles.height = steps, 1
        self.styles.height = picture.memory_lines + steps
        self._strip.present(state)
        if picture.steps is not None and picture.shows_memory:
            self._steps.show_steps(picture, picture.step_in_words(say), covered=picture.player.step is None)

    @on(Transport.Pressed)
    async def _on_pressed(self, event: Transport.Pressed) -> None:
        event.stop()
        steps, step = self._picture.steps, self._picture.player.step
        if event.name == "play":
            await self.run_action("screen.do('play')")
        elif steps is not None:  # while nobody has stepped, all is written and none is shown
            back = steps.count if step is None else step
            places = {"first": 0, "back": back - 1, "forward": (step or 0) + 1, "last": steps.count}
            await self._go(places[event.name])

    @on(Transport.Scrubbed)
    async def _on_scrubbed(self, event: Transport.Scrubbed) -> None:
        event.stop()
        if self._picture.steps is not None:
            await self._go(self._picture.steps.step_at(event.share))

    async def _go(self, step: int) -> None:
        await self.run_action(f"screen.do('go', ({step},))")
