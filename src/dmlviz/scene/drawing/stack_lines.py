"""The tensors of one side line by line, as a window shows them."""

from __future__ import annotations

from ..elements.partners import Partners
from ..layout.stack import GAP, Stack
from ..look import Look
from ..spans import PLAIN, Line, Span, marked_window_of
from .figure_lines import figure_lines


def stack_lines(
    stack: Stack, top: int, count: int, left: int, width: int, look: Look, partners: Partners
) -> list[Line]:
    """What a window of `count` lines and `width` columns shows from line `top`, bodies scrolled by `left`."""
    if stack.beside:
        return _beside(stack, top, count, left, width, look, partners)
    lines: list[Line] = [[]] * min(count, max(0, stack.above - top))
    indent = [Span(" " * stack.before, PLAIN)] if stack.before else []
    while len(lines) < count and stack.figures:
        y = top + len(lines)
        if y >= stack.height:
            break
        number = stack.figure_at(y)
        figure, start = stack.figures[number], y - stack.tops[number]
        if start >= figure.height:
            lines.append([])
            continue
        share = min(count - len(lines), figure.height - start)
        drawn = figure_lines(figure, start, share, left, width - stack.before, look, partners)
        lines += [[*indent, *line] for line in drawn] if indent else drawn
    return lines + [[]] * (count - len(lines))


def _beside(stack: Stack, top: int, count: int, left: int, width: int, look: Look, partners: Partners) -> list[Line]:
    window: list[Line] = [[] for _ in range(count)]
    ends = [0] * count
    for figure, x, end in zip(stack.figures, stack.lefts, stack.lefts[1:], strict=False):
        if x - left >= width:
            break
        # What stands to its left is whole lines, so that only what scrolls out of the window is cut.
        first, start = max(0, stack.above - top), max(0, top - stack.above)
        lines = min(count - first, max(0, figure.height - start))
        drawn = figure_lines(figure, start, lines, 0, end - GAP - x, look, partners)
        for y, line in enumerate(drawn, first):
            if line:
                window[y] += [Span(" " * (x - ends[y]), PLAIN), *line] if x > ends[y] else line
                ends[y] = x + sum(len(span.text) for span in line)
    return [
        line if end <= width and not left else marked_window_of(line, left, width)
        for line, end in zip(window, ends, strict=True)
    ]
