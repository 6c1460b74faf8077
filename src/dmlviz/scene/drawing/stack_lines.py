"""The tensors of one side line by line, as a window shows them."""

from __future__ import annotations

from ..elements.partners import Partners
from ..layout.stack import Stack
from ..look import Look
from ..spans import Line
from .figure_lines import figure_lines


def stack_lines(
    stack: Stack, top: int, count: int, left: int, width: int, look: Look, partners: Partners
) -> list[Line]:
    """What a window of `count` lines and `width` columns shows from line `top`, bodies scrolled by `left`."""
    made: list[Line] = []
    for aside in stack.asides:
        figure = stack.figures[aside.number]
        made += [*figure_lines(figure, aside.top, aside.height, aside.left, width, look, partners), []]
    made = made[:count]
    while len(made) < count and stack.figures:
        y = top + len(made)
        if y >= stack.height:
            break
        number = stack.figure_at(y)
        figure, start = stack.figures[number], y - stack.tops[number]
        if start >= figure.height:
            made.append([])
            continue
        share = min(count - len(made), figure.height - start)
        made += figure_lines(figure, start, share, left, width, look, partners)
    return made + [[]] * (count - len(made))
