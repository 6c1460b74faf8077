"""The colour key: what colours and marks stand for."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Label

from ...desc.base import Desc
from ...operators.base import Operator
from ...scene.cells.contents import NOWHERE_SIGN
from ...scene.colour.palette import fill, ink, letter, tones
from ...scene.spans import Style
from ...widgets.lib.inks import inks_of
from .dialog import Dialog

MARKS = (
    ("▐ 3 ▌", "the element under the cursor, and those that belong to it"),
    ("  ·  ", "not written yet, at this step"),
    ("  3! ", "its index or length lies outside the range and is clamped"),
    ("  3- ", "its index is negative and counts from the end"),
    (" 3₁  ", "element 1 of a sequence that is reversed: shades run from light to dark, and what stays is muted"),
    ("  ×2 ", "read by two elements of the output, told once all is written; ×0 is never read"),
)


class ColourKey(Dialog[None]):
    """What colours and marks stand for in this picture."""

    BINDINGS = [Binding("escape,p,q,enter,space", "dismiss", "Close", show=False, id="colours.close")]

    def __init__(self, operator: Operator[Desc], colours: Operator[Desc], filled_by: str = "") -> None:
        """`colours` stand for `operator` as it is, or recoloured; `filled_by` is the field of the constant, or ""."""
        super().__init__()
        self._filled_by = filled_by
        self._operator, self._colours = operator, colours

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog colours", can_focus=False):
            yield Label("Colour key", classes="question")
            yield Label(
                f"In {self._operator.name} a colour and its letter stand for {self._colours.identity_of}: "
                f"the same wherever they are.{self._recolour_hint} "
                "When the colours come again, they are underlined and have another tone.",
                classes="meaning",
            )
            yield Label(self._tones, classes="tones")
            for mark, meaning in MARKS:
                with Horizontal(classes="mark"):
                    yield Label(mark, classes="sign")
                    yield Label(meaning)
            if path := self._filled_by:
                nowhere = inks_of(self.app.theme_variables, "surface").style(Style("nowhere"))
                with Horizontal(classes="mark"):
                    yield Label(Text(f" {NOWHERE_SIGN} 7 ", nowhere), classes="sign")
                    yield Label(f"from nowhere: no input is read, {path} fills it")
            yield Label("esc closes", classes="hint")

    @property
    def _tones(self) -> Text:
        """The palette, with its letters."""
        inks, palette = inks_of(self.app.theme_variables, "surface"), self.app.theme_variables.get("identity", "xterm")
        told = Text()
        for identity in range(len(tones(palette))):
            ground = fill(identity, palette)
            told.append(f" {letter(identity)}  ", inks.on(ground, ink(ground))).append(" ")
        return told

    @property
    def _recolour_hint(self) -> str:
        """A sentence on what recolouring would make colours stand for; "" where there is nothing else."""
        other = self._operator if self._colours is not self._operator else self._operator.recoloured()
        return f" Recolour, in the palette, has them stand for {other.identity_of}." if other is not None else ""

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()
