"""Both sides of a picture on one page, for previews."""

from __future__ import annotations

from ..elements.partners import Partners
from ..layout.arrange import Scene
from ..look import Look
from ..spans import PLAIN, Line, Span, length, window_of
from .stack_lines import stack_lines

GAP = 3


def page(scene: Scene, left: int, right: int, height: int, look: Look | None = None) -> list[Line]:
    """Inputs on `left` columns beside outputs on `right` ones, at most `height` lines; asks for what is seen alone."""
    look = look or Look()
    left, right = max(1, left), max(1, right)
    sides = []
    for stack, columns in ((scene.inputs, left), (scene.outputs, right)):
        count = min(height, stack.height)
        drawn = stack_lines(stack, 0, count, 0, columns, look, Partners())
        sides.append([_fitted(line, columns) for line in drawn])
    blank = [Span(" " * left, PLAIN)]
    lines = []
    for y in range(max(map(len, sides))):
        first = sides[0][y] if y < len(sides[0]) else blank
        second = sides[1][y] if y < len(sides[1]) else []
        lines.append([*first, Span(" " * GAP, PLAIN), *second])
    return lines


def _fitted(line: Line, width: int) -> Line:
    spans = window_of(line, 0, width)
    rest = width - length(spans)
    return [*spans, Span(" " * rest, PLAIN)] if rest else spans
