"""Asks for a coordinate, a flat index or a step to go to."""

from __future__ import annotations

from ...scene.elements.cursor import Cursor
from ...scene.words.go_to import example, find
from ...workspace.shown.state import PictureState
from .asking import AskLine

Target = Cursor | int
"""An element, or a step."""


class GoToDialog(AskLine[Target]):
    """The element or the step that is typed; None if the question was cancelled."""

    def __init__(self, picture: PictureState) -> None:
        """`picture` has a trace and steps."""
        trace, steps = picture.trace, picture.steps
        assert trace is not None
        assert steps is not None

        def target(text: str) -> Target:
            return find(text, trace, picture.cursor, steps.count, count_is_told=picture.count_is_told)

        hint = "2,0 or #17 in the tensor under the cursor · step 5"
        super().__init__("Go to an element or a step", target, example=example(trace.outputs[0]), hint=hint)
