"""The colour key: what colours and marks stand for, and how they look with another colour vision."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.filter import LineFilter
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Label

from ...desc.base import Desc
from ...operators.base import Operator
from ...scene.cells.contents import NOWHERE_SIGN
from ...scene.colour.palette import fill, ink, letter, tones
from ...scene.colour.vision import Vision, seen
from ...scene.spans import Style
from ...widgets.lib.inks import inks_of
from ...widgets.lib.seen_filter import SeenAs
from .dialog import Dialog

VISIONS = tuple(Vision)
CHOOSES = "1 to 5 show the whole screen with that colour vision"
COLOURS_OFF = "NO_COLOR: everybody sees these greys"
COLOURLESS = (Vision.MONOCHROME,)
"""What is seen where NO_COLOR is set: nobody sees colours then, so five rows would be one row five times."""
MARKS = (
    ("▐ 3 ▌", "the element under the cursor, and those that belong to it"),
    ("  ·  ", "not written yet, at this step"),
    ("  3! ", "its index or length lies outside the range and is clamped"),
    ("  3- ", "its index is negative and counts from the end"),
    (" 3₁  ", "element 1 of a sequence that is reversed: shades run from light to dark, and what stays is muted"),
    ("  ×2 ", "read by two elements of the output, told once all is written; ×0 is never read"),
)


class VisionTable(Widget, can_focus=True):
    """The palette with each colour vision; a click or a digit shows the whole screen so."""

    class Chosen(Message):
        """Everything is to be shown with this colour vision."""

        def __init__(self, vision: Vision) -> None:
            super().__init__()
            self.vision = vision

    def __init__(self, vision: Vision) -> None:
        super().__init__()
        self._vision = vision

    @property
    def visions(self) -> tuple[Vision, ...]:
        """The visions of the table, a row each; one alone where the app shows no colours."""
        return COLOURLESS if self.app.no_color else VISIONS

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters but `SeenAs`, which shows the screen with another vision: here all stand side by side."""
        return [line_filter for line_filter in super().get_line_filters() if not isinstance(line_filter, SeenAs)]

    def show(self, vision: Vision) -> None:
        """Marks the row of a vision."""
        self._vision = vision
        self.refresh()

    def render_line(self, y: int) -> Strip:
        inks, visions = inks_of(self.app.theme_variables, "surface"), self.visions
        plain, muted = inks.style(Style("plain")), inks.style(Style("dim"))
        number, rest = divmod(y, self._lines_a_row)
        if rest or number >= len(visions):
            return Strip.blank(self.size.width, plain)
        vision = visions[number]
        here = vision is self._vision or len(visions) == 1
        segments = [
            Segment("● " if here else "  ", inks.style(Style("letter"))),
            Segment(f"{number + 1} " if len(visions) > 1 else "", inks.style(Style("axis"))),
            Segment(f"{vision.value:<11}", inks.style(Style("letter")) if here else plain),
            Segment(f"{vision.meaning:<18}", muted),
        ]
        palette = self.app.theme_variables.get("identity", "xterm")
        for identity in range(len(tones(palette))):
            ground = seen(fill(identity, palette), vision)
            segments += [Segment(f" {letter(identity)}  ", inks.on(ground, ink(ground))), Segment(" ", plain)]
        return Strip(segments).adjust_cell_length(self.size.width, plain)

    @property
    def _lines_a_row(self) -> int:
        return max(1, self.size.height // len(self.visions))

    def on_click(self, event: events.Click) -> None:
        number = event.y // self._lines_a_row
        if number < len(self.visions) > 1:
            self.post_message(self.Chosen(self.visions[number]))


class ColourKey(Dialog[None]):
    """What colours and marks stand for in this picture."""

    LOW = 30  # below, a colour vision has one line instead of two
    BINDINGS = [
        Binding("escape,p,q,enter,space", "dismiss", "Close", show=False, id="colours.close"),
        *(Binding(str(n), f"see({n - 1})", f"Colour vision {n}", show=False, id=f"colours.{n}") for n in range(1, 6)),
    ]

    def __init__(self, operator: Operator[Desc], colours: Operator[Desc], vision: Vision, filled_by: str = "") -> None:
        """`colours` stand for `operator` as it is, or recoloured; `filled_by` is the field of the constant, or ""."""
        super().__init__()
        self._filled_by = filled_by
        self._operator, self._colours, self._vision = operator, colours, vision

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog colours", can_focus=False):
            yield Label("Colour key", classes="question")
            yield Label(
                f"In {self._operator.name} a colour and its letter stand for {self._colours.identity_of}: "
                f"the same wherever they are.{self._recolour_hint} "
                "When the colours come again, they are underlined and have another tone.",
                classes="meaning",
            )
            yield VisionTable(self._vision)
            for mark, meaning in MARKS:
                with Horizontal(classes="mark"):
                    yield Label(mark, classes="sign")
                    yield Label(meaning)
            if path := self._filled_by:
                nowhere = inks_of(self.app.theme_variables, "surface").style(Style("nowhere"))
                with Horizontal(classes="mark"):
                    yield Label(Text(f" {NOWHERE_SIGN} 7 ", nowhere), classes="sign")
                    yield Label(f"from nowhere: no input is read, {path} fills it")
            yield Label(f"{COLOURS_OFF if self.app.no_color else CHOOSES} · esc closes", classes="hint")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return super().check_action(action, parameters) and not (action == "see" and self.app.no_color)

    def on_resize(self) -> None:
        self.set_class(self.app.no_color, "colourless")

    @property
    def _recolour_hint(self) -> str:
        """A sentence on what recolouring would make colours stand for; "" where there is nothing else."""
        other = self._operator if self._colours is not self._operator else self._operator.recoloured()
        return f" Recolour, in the palette, has them stand for {other.identity_of}." if other is not None else ""

    def action_see(self, number: int) -> None:
        """Shows the whole screen with the vision of that number."""
        self.query_one(VisionTable).post_message(VisionTable.Chosen(VISIONS[number]))

    def on_vision_table_chosen(self, event: VisionTable.Chosen) -> None:
        self.query_one(VisionTable).show(event.vision)

    def on_click(self, event: events.Click) -> None:
        if event.widget is self:
            self.dismiss()
