"""Both sides of a picture on one page, for previews."""

from __future__ import annotations

from ..elements.partners import Partners
from ..layout.arrange import Scene
from ..look import Look
from ..spans import PLAIN, Line, Span, window_of
from .stack_lines import stack_lines

GAP = 3


def page(scene: Scene, left: int, right: int, height: int, look: Look) -> list[Line]:
    """Inputs on `left` columns beside outputs on `right` ones, at most `height` lines; asks for what is seen alone."""
    inputs, outputs = (
        stack_lines(stack, 0, height, 0, max(1, columns), look, Partners())
        for stack, columns in ((scene.inputs, left), (scene.outputs, right))
    )
    return [
        [*window_of([*first, Span(" " * left, PLAIN)], 0, left), Span(" " * GAP, PLAIN), *second]
        for first, second in zip(inputs, outputs, strict=True)
    ]
