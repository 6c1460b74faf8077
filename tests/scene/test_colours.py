"""Colours: told apart by every eye, read on every ground, and never alone."""

from __future__ import annotations

import asyncio
import itertools
import math
import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from rich._palettes import STANDARD_PALETTE
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.segment import Segment
from support.quiet_pilot import piloted
from textual.color import Color
from textual.theme import Theme

from dmlviz.app import DmlvizApp
from dmlviz.scene.colour.palette import (
    MUTED,
    PALETTES,
    RGB,
    SHADES,
    XTERM,
    contrast,
    fill,
    ink,
    letter,
    rgb,
    shaded,
)
from dmlviz.scene.colour.vision import Vision, seen
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import SHADED, Style
from dmlviz.screens.dialogs.colour_key import ColourKey
from dmlviz.session import examples
from dmlviz.themes import DARK, DARK_16, LIGHT, LIGHT_16, THEMES, theme_for
from dmlviz.widgets.inks import inks_of

FEW = {DARK_16.name, LIGHT_16.name}


def lab(colour: RGB) -> tuple[float, float, float]:
    """CIELAB of an sRGB colour, under D65."""
    c = np.array(colour) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    matrix = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
    x, y, z = np.array(matrix) @ linear / np.array((0.95047, 1.0, 1.08883))

    def f(t: float) -> float:
        return float(t ** (1 / 3)) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116

    return 116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))


def ciede2000(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    """Sharma, Wu and Dalal 2005."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 if a or b else 0.0 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1
    if c1 * c2 == 0:
        turn = 0.0
    elif abs(turn) > 180:
        turn -= math.copysign(360, turn)
    dl, dc, dh = l2 - l1, c2 - c1, 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    if c1 * c2 == 0:
        hm = h1 + h2
    elif abs(h1 - h2) <= 180:
        hm = (h1 + h2) / 2
    else:
        hm = (h1 + h2 + (360 if h1 + h2 < 360 else -360)) / 2

    def cos(degrees: float) -> float:
        return math.cos(math.radians(degrees))

    t = 1 - 0.17 * cos(hm - 30) + 0.24 * cos(2 * hm) + 0.32 * cos(3 * hm + 6) - 0.20 * cos(4 * hm - 63)
    sl = 1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rc = 2 * math.sqrt(cm**7 / (cm**7 + 25**7))
    rt = -math.sin(math.radians(60 * math.exp(-(((hm - 275) / 25) ** 2)))) * rc
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


def test_ciede2000_is_the_published_one() -> None:
    for one, other, want in (
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.5, 0.0), (50.0, 0.0, -2.5), 4.3065),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ):
        assert ciede2000(one, other) == pytest.approx(want, abs=1e-4)


@pytest.mark.parametrize("vision", [v for v in Vision if v is not Vision.MONOCHROME])
def test_identity_colours_differ_for_every_eye(vision: Vision) -> None:
    assert len(set(XTERM)) == 8
    assert all(16 <= index < 256 for index in XTERM)
    assert min(ciede2000(lab(a), lab(b)) for a, b in combinations([seen(rgb(i), vision) for i in XTERM], 2)) >= 20


def test_no_identity_looks_like_an_error_or_like_absence() -> None:
    """No red, no pink, no grey: hues in degrees of CIELAB, where red lies around 30 and pink around 350."""
    for index in XTERM:
        _, a, b = lab(rgb(index))
        assert math.hypot(a, b) >= 20, index
        hue = math.degrees(math.atan2(b, a)) % 360
        assert 45 < hue < 335, index


@pytest.mark.parametrize("vision", [v for v in Vision if v is not Vision.MONOCHROME])
def test_shades_stay_with_their_identity_and_run_from_light_to_dark(vision: Vision) -> None:
    found = [[shaded(identity, n) for n in range(SHADES)] for identity in range(8)]
    for shades in found:
        steps = [lab(seen(shade, vision))[0] for shade in shades]
        assert all(one > other for one, other in itertools.pairwise(steps))
        assert steps[0] - steps[-1] > 8
        if vision is Vision.NORMAL:
            assert steps[0] - steps[-1] > 16
    for one, other in combinations(found, 2):
        apart = [ciede2000(lab(seen(a, vision)), lab(seen(b, vision))) for a in one for b in other]
        assert min(apart) >= 9


def test_ink_is_read_on_every_shade() -> None:
    for palette, identity, n in itertools.product(PALETTES, range(8), range(SHADES)):
        shade = shaded(identity, n, palette)
        assert contrast(ink(shade), shade) >= 4.5
        assert (shade == fill(identity, palette)) or palette == "xterm"  # 16 colours have none


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_what_stays_in_a_sequence_is_muted_and_read(theme: Theme) -> None:
    variables = {n: getattr(theme, n) for n in ("background", "surface", "panel", "foreground", "accent", "error")}
    inks = inks_of({**variables, "warning": theme.warning or "", "identity": theme.variables["identity"]})
    paper = lab(Color.parse(theme.background).rgb)
    for identity in range(8):
        kept = inks.style(Style("cell", identity, shade=MUTED))
        assert kept.color is not None
        assert kept.bgcolor is not None
        ground = shown(kept.bgcolor, few=theme.name in FEW)
        assert contrast(shown(kept.color, few=theme.name in FEW), ground) >= 4.5
        assert ciede2000(lab(ground), paper) < ciede2000(lab(fill(identity, theme.variables["identity"])), paper)


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_what_a_cell_was_is_muted_and_read(theme: Theme) -> None:
    """And what is new, which was nothing."""
    variables = {n: getattr(theme, n) for n in ("background", "surface", "panel", "foreground", "accent", "error")}
    inks = inks_of({**variables, "warning": theme.warning or "", "identity": theme.variables["identity"]})
    few = theme.name in FEW
    for identity in range(-1, 8):
        was, now = inks.style(Style("previous", identity)), inks.style(Style("cell", identity))
        assert was.color is not None
        assert was.bgcolor is not None
        assert now.bgcolor is not None
        assert contrast(shown(was.color, few), shown(was.bgcolor, few)) >= 4.5
        assert shown(was.bgcolor, few) != shown(now.bgcolor, few)


def test_a_reversed_sequence_runs_from_light_to_dark_and_comes_out_from_dark_to_light() -> None:
    """`reverse-1`: {2, 4, 3} of 4 are reversed. Before and after differ in colour, and in what stands there."""
    trace = examples.example("reverse-1").session().experiments[0].trace()
    for zoom in (Zoom.LARGE, Zoom.VALUES, Zoom.BLOCKS):
        scene = arrange(trace, 120, 40, zoom)
        rows = [
            [
                [
                    (span.style.shade, "".join(c for c in span.text if c in "₀₁₂₃"))
                    for span in line
                    if span.style.kind == "cell"
                ]
                for line in stack_lines(stack, 0, stack.height, 0, 60, Look(), Partners())
            ]
            for stack in (scene.inputs, scene.outputs)
        ]
        before, after = (
            [row[:4] for row in side if row[3:] and any(text for _, text in row)] for side in rows
        )  # without the lengths
        for length, one, other in zip((2, 4, 3), before, after, strict=True):
            assert other == [*one[:length][::-1], *one[length:]]
            assert [shade for shade, _ in one[length:]] == [MUTED] * (4 - length)
            assert [shade for shade, _ in one[:length]] == sorted({shade for shade, _ in one[:length]})
            assert [sign for _, sign in one] == [*"₀₁₂₃"[:length], *[""] * (4 - length)]
    scene = arrange(trace, 120, 40, Zoom.OVERVIEW)
    pictures = [
        stack_lines(stack, 0, stack.height, 0, 60, Look(), Partners()) for stack in (scene.inputs, scene.outputs)
    ]
    codes = [
        [span.style.identity for line in lines for span in line if span.style.kind == "halves"] for lines in pictures
    ]
    assert codes[0][:2] == codes[1][1::-1]  # a row of two that change their places
    assert codes[0][0] != codes[0][1]
    assert min(codes[1]) >= SHADED


def test_an_eye_keeps_black_white_and_grey_and_confuses_what_it_should() -> None:
    for vision in Vision:
        for grey in ((0, 0, 0), (128, 128, 128), (255, 255, 255)):
            assert max(abs(a - b) for a, b in zip(seen(grey, vision), grey, strict=True)) <= 1
    red, green = (200, 60, 60), (90, 130, 60)
    for vision in (Vision.PROTAN, Vision.DEUTAN):
        told = ciede2000(lab(seen(red, vision)), lab(seen(green, vision)))
        assert told < ciede2000(lab(red), lab(green)) / 2
    assert len(set(seen(red, Vision.MONOCHROME))) == 1


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_accent_and_status_keep_away_from_identity(theme: Theme) -> None:
    colours = PALETTES[theme.variables["identity"]]
    assert len(set(colours)) == 8
    for name in ("accent", "warning", "error"):
        mark = lab(Color.parse(getattr(theme, name)).rgb)
        assert min(ciede2000(mark, lab(each)) for each in colours) >= 15, name
        shades = {shaded(i, n, theme.variables["identity"]) for i, n in itertools.product(range(8), range(SHADES))}
        assert min(ciede2000(mark, lab(each)) for each in shades) >= 10, name


@pytest.mark.parametrize("theme", [DARK_16, LIGHT_16], ids=lambda t: t.name)
def test_terminals_of_16_colours_are_respected(theme: Theme) -> None:
    """`NO_COLOR` and terminals of 16 colours are respected; `TEXTUAL_ANIMATIONS=none` makes playing a step a press."""
    names = ("accent", "warning", "error", "foreground", "background", "panel")
    colours = [Color.parse(getattr(theme, name)).rgb for name in names]
    for colour in (*colours, *PALETTES[theme.variables["identity"]]):
        assert shown(RichColor.from_rgb(*colour), few=True) == colour
    assert len(set(colours)) == len(names)
    assert theme_for(theme.dark, "standard") is theme
    assert theme_for(theme.dark, "256") is (DARK if theme.dark else LIGHT)


def test_ink_is_read_on_every_fill() -> None:
    for palette in PALETTES:
        for identity in range(16):
            assert contrast(ink(fill(identity, palette)), fill(identity, palette)) >= 4.5
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert [letter(n) for n in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_identity_never_colours_text(theme: Theme) -> None:
    variables = {n: getattr(theme, n) for n in ("background", "surface", "panel", "foreground", "accent", "error")}
    inks = inks_of({**variables, "warning": theme.warning or "", "identity": theme.variables["identity"]})
    for kind in ("cell", "title", "dim", "axis", "plain", "edge", "warn", "letter", "empty", "unread", "broken"):
        for identity in range(8):
            style = inks.style(Style(kind, identity))
            assert style.color is not None
            assert style.bgcolor is not None
            filled = tuple(style.bgcolor.get_truecolor()) == fill(identity, theme.variables["identity"])
            assert filled == (kind == "cell")
            assert tuple(style.color.get_truecolor()) != fill(identity, theme.variables["identity"])


# ---- what is on the screen


def shown(colour: RichColor, few: bool) -> RGB:
    """A colour as the terminal shows it; `few` is one of 16 colours."""
    if few:
        number = colour.downgrade(ColorSystem.STANDARD).number
        assert number is not None
        red, green, blue = STANDARD_PALETTE[number]
    else:
        red, green, blue = colour.get_truecolor()
    return red, green, blue


DRAWN = re.compile("[\u2500-\u25ff\u2580-\u259f\\s·…]*")
"""Lines, blocks and arrows: no text."""


def texts(app: DmlvizApp) -> Iterator[tuple[str, Segment]]:
    """Every piece of text of the screen or dialog that is in front."""
    inside = next(iter(app.screen.query(".dialog")), app.screen).region
    for y, strip in enumerate(app.screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            if inside.y <= y < inside.bottom and inside.x <= x < inside.right and not DRAWN.fullmatch(segment.text):
                yield segment.text, segment
            x += segment.cell_length


STATES: tuple[tuple[str, tuple[int, int], tuple[str, ...]], ...] = (
    ("gather-2", (120, 36), ("home", ".", ".", ".")),
    ("gather-3-as-printed", (120, 36), ()),
    ("warning-index-range", (120, 36), ()),
    ("join-2-axis-2", (200, 50), ("home", ".")),
    ("reverse-1", (80, 24), ()),
    ("rule-dtype-supported", (80, 24), ("f2",)),
    ("tile-1", (120, 36), ("f3", "f6", "tab", "tab")),
    ("split-1", (120, 36), ("f6", "tab", "tab", "tab", "tab", "x")),
    ("gather-2", (120, 36), ("p",)),
    ("gather-2", (120, 36), ("question_mark",)),
    ("gather-2", (120, 36), ("ctrl+o",)),
    ("gather-2", (120, 36), ("f12",)),
    ("gather-2", (120, 36), ("enter", "down", "enter", "m")),
    ("rule-sizes-sum", (120, 36), ("o",)),
    ("gather-2", (80, 24), ("v",)),
    ("gather-2", (80, 24), ("ctrl+g",)),
    ("tile-1", (200, 50), ("s", "b", ".")),
    ("tile-1", (100, 30), ("z", "z")),
    ("rule-sizes-sum", (80, 24), ("ctrl+e",)),
    ("gather-2", (80, 24), ("ctrl+n",)),
    ("gather-2", (80, 24), ("c",)),
    ("gather-2", (80, 24), ("n",)),
    ("gather-2", (80, 24), ("f1",)),
    ("gather-2", (120, 36), ("e", "x")),
)


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_all_text_is_read_in_every_theme(theme: Theme) -> None:
    async def look(example: str, size: tuple[int, int], keys: tuple[str, ...]) -> None:
        app = DmlvizApp(examples.example(example).session())
        app.theme = theme.name
        async with piloted(app, size) as pilot:
            await pilot.press(*keys)
            await pilot.pause()
            await pilot.pause()
            found, dim = 0, []
            for text, segment in texts(app):
                style = segment.style
                assert style is not None, text
                assert style.color is not None, text
                assert style.bgcolor is not None, text
                few = theme.name in FEW
                told = contrast(shown(style.color, few), shown(style.bgcolor, few))
                found += 1
                if told < 4.5:
                    dim.append((text, round(told, 1), str(style)))
            assert not dim, (example, keys, dim)
            assert found > 2

    for state in STATES:
        if not (theme.name in FEW and "p" in state[2]):  # what other eyes see can't be shown in 16 colours
            asyncio.run(look(*state))


# ---- the key


def test_the_key_shows_every_eye_and_turns_the_whole_screen_to_one() -> None:
    async def script() -> None:
        app = DmlvizApp(examples.example("gather-2").session())
        async with piloted(app, (120, 36)) as pilot:
            await pilot.press("p")
            assert isinstance(app.screen, ColourKey)
            await pilot.pause()
            text = "\n".join("".join(s.text for s in strip) for strip in app.screen._compositor.render_strips())
            assert "the slice along Axis" in text
            for vision in Vision:
                assert vision.value in text
            grounds = {s.style.bgcolor for strip in app.screen._compositor.render_strips() for s in strip if s.style}
            for vision, identity in itertools.product(Vision, range(8)):
                assert RichColor.from_rgb(*seen(fill(identity), vision)) in grounds
            await pilot.press("3")
            assert app.vision is Vision.DEUTAN
            await pilot.press("escape")
            await pilot.pause()
            grounds = {s.style.bgcolor for strip in app.screen._compositor.render_strips() for s in strip if s.style}
            assert RichColor.from_rgb(*seen(fill(0), Vision.DEUTAN)) in grounds
            assert RichColor.from_rgb(*fill(0)) not in grounds
            await pilot.press("p", "1", "escape")
            await pilot.pause()
            grounds = {s.style.bgcolor for strip in app.screen._compositor.render_strips() for s in strip if s.style}
            assert RichColor.from_rgb(*fill(0)) in grounds

    asyncio.run(script())


def test_the_key_works_by_mouse_alone() -> None:
    async def script() -> None:
        app = DmlvizApp(examples.example("gather-2").session())
        async with piloted(app, (120, 36)) as pilot:
            app.screen.action_colours()  # type: ignore[attr-defined]  # the palette's command
            await pilot.pause()
            await pilot.click("VisionTable", offset=(6, 8))
            assert app.vision is Vision.MONOCHROME
            await pilot.click(offset=(0, 0))
            assert not isinstance(app.screen, ColourKey)

    asyncio.run(script())
