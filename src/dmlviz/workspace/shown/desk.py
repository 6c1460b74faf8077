"""One experiment that is looked at, without a screen: what question, lesson, level and wall share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from .picture import Picture, Room
from .state import PicturedState

if TYPE_CHECKING:
    from ...teaching.progress.progress import Answered, Progress


class Desk(ABC):
    """Its methods are what a user does. They return nothing: `state` says what came of them.

    What moves only the cursor, the zoom or the memory strip is a method of `picture`. A subclass says what may be told,
    by what `picture` hides, and what is shown besides, by `state`.
    """

    def __init__(self, picture: Picture, now: Callable[[], float]) -> None:
        """`now` gives seconds since 1970."""
        self.picture, self.now = picture, now
        self.still = False
        """Nothing may move by itself: to play is to go a step on."""
        self.seconds = picture.player.seconds
        """What a pass of the steps takes."""
        self._room: Room | None = None
        self._notices: list[str] = []

    @property
    @abstractmethod
    def state(self) -> PicturedState:
        """All that is shown now."""

    @property
    def can_step(self) -> bool:
        """True if steps can be shown."""
        return self.picture.live_steps is not None

    def notices(self) -> list[str]:
        """Sentences that nobody has been told yet, each once."""
        notices, self._notices = self._notices, []
        return notices

    def _record(self, progress: Progress, began: float, **answered: Any) -> Answered:
        """Appends an answer to what was asked at a time, and tells of what keeps it from its file."""
        from ...teaching.progress.progress import Answered, now_text  # the explorer keeps none

        now, told = self.now(), len(progress.problems)
        seconds = max(0.0, round(now - began, 1))
        progress.add(made := Answered(time=now_text(now), seconds=seconds, **answered))
        self._notices += progress.problems[told:]
        return made

    def fit(self, room: Room) -> None:
        """Lays the picture out for the room that it has."""
        self._room = room
        self._refit()

    def _refit(self) -> None:
        if self._room is not None:
            self.picture.fit(self._room)

    def step(self, by: int) -> None:
        """Shows the step so many further, where `can_step`."""
        if self.can_step:
            self.picture.go_by(by)

    def go(self, step: int) -> None:
        """Shows the picture after a step, where `can_step`."""
        if self.can_step:
            self.picture.go(step)

    def play(self) -> None:
        """Plays the steps that are left, or stops, where `can_step`; where nothing may move, goes a step on."""
        if self.can_step:
            self.picture.player = replace(self.picture.player, seconds=self.seconds)
            self.picture.play_or_pause(self.now(), still=self.still)

    def tick(self) -> bool:
        """Shows what the time has come for while steps play; False where that is what is shown already."""
        return self.picture.tick(self.now())
