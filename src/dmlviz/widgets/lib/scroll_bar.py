"""The bar of a picture that is scrolled: Textual's own, drawn once for each place that it stands at."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip

from .painted import Painted


class VerticalScrollBar(ScrollBar, Painted):
    """Draws what Textual's scroll bar draws, without the style cache, which takes longer than all rows beside it."""

    _kept: tuple[object, list[Strip]] | None = None

    def whole_strips(self) -> Sequence[Strip]:
        bar, (width, height) = self.render(), self.size
        assert isinstance(bar, ScrollBarRender)
        style = bar.style if isinstance(bar.style, Style) else Style.parse(bar.style)
        basis = width, height, bar.virtual_size, bar.window_size, bar.position, style
        if self._kept is None or self._kept[0] != basis:
            assert style.bgcolor is not None
            assert style.color is not None
            drawn = self.renderer.render_bar(
                size=height,
                virtual_size=bar.virtual_size,
                window_size=bar.window_size,
                position=bar.position,
                thickness=width,
                back_color=style.bgcolor,
                bar_color=style.color,
            )
            ground = Style(color=self.inks.text.rich_color, bgcolor=style.bgcolor)
            self._kept = basis, [Strip([Segment(text, ground + (look or ground))]) for text, look, _ in drawn.segments]
        return self._kept[1]
