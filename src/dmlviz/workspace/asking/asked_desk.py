"""One experiment that something is asked about, in a picture that tells nothing of the answer."""

from __future__ import annotations

from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, is_inside, part_of
from ...scene.elements.known import NOTHING
from ...scene.layout.arrange import Answers
from ...scene.look import EntryKind
from ...scene.steps.player import Player
from ...scene.view_state import ViewState
from ...teaching.questions.question import Question
from ...tracing import Trace
from ..shown.desk import Desk
from ..shown.picture import Picture, Signs
from .answering import hides_memory, unit_of
from .asked_desc import places_of


class AskedDesk(Desk):
    """What question, practice, lesson and wall share."""

    view: ViewState
    question: Question | None
    open: bool
    """Nothing may tell the answer."""
    draws_open: bool
    """Tensors tell nothing of it."""

    @property
    def is_pictured(self) -> bool:
        """True if tensors are drawn as in the explorer."""
        return self.view.live and (self.draws_open or not self.open)

    @property
    def trace(self) -> Trace:
        assert self.view.trace is not None
        return self.view.trace

    def _look_anew(self, player: Player | None, *, more: int = 0, is_legible: bool = True) -> None:
        """Makes the picture anew: with linear memory where that is asked about, and cells that are so much wider."""
        question, picture = self.question, Picture(player, is_legible=is_legible)
        self.picture = picture
        picture.wants_memory = unit_of(question, self.view.experiment).is_memory
        picture.memory = None if picture.wants_memory else False
        picture.tells_memory = not self.open or question is None or not hides_memory(question)
        picture.answers = Answers(not self.open or question is None or question.kind.draws_outputs, more=more)
        if self.is_pictured:
            picture.look_at(self.view)
        picture.hidden = NOTHING if self.open else None

    def _asked(self) -> Cursor | None:
        """The element that is asked about, or the first of them, where that is drawn; None for none."""
        places = places_of(self.question) if self.question is not None else []
        drawn = (cursor for cursor in places if self.picture.answers.outputs or not cursor.place.is_output)
        return next((cursor for cursor in drawn if is_inside(self.trace, cursor)), None)

    def _first_of(self, place: Place) -> Cursor:
        return Cursor(place, (0,) * len(part_of(self.trace, place).tensor.sizes))

    def _signs_asked(self) -> Signs:
        """Signs on the elements that are asked about, where that may be seen."""
        question = self.question
        if question is None or question.kind.about_memory or not question.kind.draws_outputs:
            return []  # which cells an order begins with is what it asks
        places = places_of(question)
        return [(place, EntryKind.ASKED if place.place.is_output else EntryKind.ABOUT, "") for place in places]
