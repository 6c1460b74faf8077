"""Asks for a coordinate, a flat index or a step to go to."""

from __future__ import annotations

from collections.abc import Mapping

from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...scene.words.go_to import example, find, find_in
from ...tracing import Trace
from ...workspace.shown.state import PictureState
from .asking import AskLine

Target = Cursor | int | tuple[int, Cursor]
"""An element, a step, or the element of another stage of the chain."""


class GoToDialog(AskLine[Target]):
    """The element or the step that is typed; None if the question was cancelled."""

    def __init__(self, picture: PictureState, stages: Mapping[str, tuple[int, Trace]]) -> None:
        """`picture` has a trace and steps; `stages` are those of its chain, by name."""
        trace, steps = picture.trace, picture.steps
        assert trace is not None
        assert steps is not None

        def target(text: str) -> Target:
            try:
                return find(text, trace, picture.cursor, steps.count, count_is_told=picture.count_is_told)
            except DmlvizError:
                if (other := find_in(text, stages)) is None:
                    raise
                return other

        hint = "2,0 or #17 in the tensor under the cursor · step 5"
        super().__init__("Go to an element or a step", target, example=example(trace.outputs[0]), hint=hint)
