"""Colours: told apart with every colour vision, read on every ground, and never alone."""

from __future__ import annotations

import asyncio
import itertools
import math
import re
from collections.abc import Iterator
from itertools import combinations

import pytest
from rich._palettes import STANDARD_PALETTE
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.segment import Segment
from support.colour_distance import VISIONS, apart, ciede2000, seen
from support.quiet_pilot import piloted
from textual.color import Color, rgb_to_lab
from textual.theme import Theme

from dmlviz.app import DmlvizApp
from dmlviz.scene.colour.palette import (
    CONSTANT,
    MUTED,
    PALETTES,
    RGB,
    SHADES,
    XTERM,
    contrast,
    fill,
    ink,
    rgb,
    shaded,
)
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import EDGE, Span, Style
from dmlviz.session import examples
from dmlviz.themes import DARK, DARK_16, LIGHT, LIGHT_16, THEMES, theme_for
from dmlviz.widgets.lib.inks import inks_of
from dmlviz.widgets.lib.painted import segments_of


def variables_of(theme: Theme) -> dict[str, str]:
    """What inks are made of."""
    names = ("background", "surface", "panel", "foreground", "accent", "warning", "error")
    return {**{name: getattr(theme, name) for name in names}, **theme.variables}


FEW = {DARK_16.name, LIGHT_16.name}


@pytest.mark.parametrize("vision", VISIONS)
def test_identity_colours_differ_with_every_colour_vision(vision: str) -> None:
    assert len(set(XTERM)) == 8
    assert all(16 <= index < 256 for index in XTERM)
    assert min(ciede2000(a, b) for a, b in combinations([seen(rgb(i), vision) for i in XTERM], 2)) >= 20


def test_identities_beyond_eight_look_like_none_before() -> None:
    """A to H, then I to P in other tones and underlined, then A's tones again, underlined."""
    tones = [fill(identity) for identity in range(16)]
    assert min(apart(one, other) for one, other in combinations(tones, 2)) >= 9
    for theme in THEMES:
        inks, looks = inks_of(variables_of(theme)), set()
        many = 24 if theme.name not in FEW else 14
        for identity in range(many):
            style = inks.style(Style("cell", identity))
            looks.add((style.bgcolor, bool(style.underline)))
            assert bool(style.underline) == (identity >= len(PALETTES[theme.variables["identity"]]))
        assert len(looks) == many


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_a_hairline_parts_from_the_ground_what_is_not_seen_on_it(theme: Theme) -> None:
    few, parted = theme.name in FEW, 0
    for panel, identity in itertools.product(("background", "surface"), range(24)):
        inks = inks_of(variables_of(theme), panel)
        style, hairline = inks.style(Style("cell", identity)), inks.hairlines.get(Style("cell", identity))
        assert style.bgcolor is not None
        seen_alone = contrast(shown(style.bgcolor, few), inks.paper.rgb) >= 3
        assert seen_alone == (hairline is None)
        if hairline is not None:
            assert hairline.color is not None
            assert contrast(shown(hairline.color, few), inks.paper.rgb) >= 3
            parted += 1
    assert parted


def test_a_hairline_stands_in_the_gaps_and_takes_no_room() -> None:
    def drawn(*parts: tuple[str, Style]) -> list[str]:
        return [segment.text for segment in segments_of([Span(*part) for part in parts], inks)]

    inks = inks_of(variables_of(LIGHT))
    cells = [Style("cell", identity) for identity in range(8)]
    assert all(inks.style(cell) for cell in cells)  # what has a hairline is known once it is asked for
    pale = next(cell for cell in cells if cell in inks.hairlines)
    dark = next(cell for cell in cells if cell not in inks.hairlines)
    assert drawn(("0 ", EDGE), (" 1 ", dark), (" ", EDGE), (" 2 ", dark)) == ["0 ", " 1 ", " ", " 2 "]
    assert drawn(("0 ", EDGE), (" 1 ", pale), (" ", EDGE), (" 2 ", pale)) == ["0", "▕", " 1 ", "▏", " 2 "]
    assert drawn(("0 ", EDGE), (" 1 ", dark), ("   ", EDGE), (" 2 ", pale)) == ["0 ", " 1 ", "  ", "▕", " 2 "]
    assert drawn(("▐", EDGE), (" 1 ", pale), ("▌", EDGE), (" 2 ", dark)) == ["▐", " 1 ", "▌", " 2 "]  # marks stay


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("kind", ["empty", "stale", "unread"])
def test_cells_without_a_colour_are_read_and_their_edges_seen(theme: Theme, kind: str) -> None:
    """What isn't written, a preview, what is never read: the text is read, and a hairline shows where the cell is."""
    few = theme.name in FEW
    for panel in ("background", "surface"):
        inks = inks_of(variables_of(theme), panel)
        style, hairline = inks.style(Style(kind)), inks.hairlines.get(Style(kind))
        assert style.color is not None
        assert style.bgcolor is not None
        assert contrast(shown(style.color, few), shown(style.bgcolor, few)) >= 4.5
        assert hairline is not None
        assert hairline.color is not None
        assert contrast(shown(hairline.color, few), inks.paper.rgb) >= 3


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_the_bars_beside_a_marked_cell_are_seen_on_every_identity(theme: Theme) -> None:
    """A bar as light as its cell has a line of the cell's ink between them, at both sides."""
    few, inks, parted = theme.name in FEW, inks_of(variables_of(theme)), 0
    cells = [Style("cell", identity, True) for identity in range(24)]
    cells += [Style("cell", identity, True, shade=shade) for identity in range(8) for shade in range(SHADES)]
    for cell in cells:
        line = [Span(text, style) for text, style in (("▐", EDGE), (" 1 ", cell), ("▌", EDGE))]
        bar, middle, _ = segments_of(line, inks)
        assert bar.style is not None
        assert bar.style.color is not None
        assert middle.style is not None
        assert middle.style.color is not None
        assert middle.style.bgcolor is not None
        light, ground = shown(bar.style.color, few), shown(middle.style.bgcolor, few)
        assert contrast(light, inks.paper.rgb) >= 3
        if middle.text == " 1 ":
            assert contrast(light, ground) >= 3
        else:
            assert middle.text == "▏1▕"
            assert contrast(shown(middle.style.color, few), ground) >= 4.5
            parted += 1
    assert parted or theme is LIGHT_16
    unmarked = [Span(" ", EDGE), Span(" 1 ", cells[1]), Span(" ", EDGE)]
    assert "".join(segment.text for segment in segments_of(unmarked, inks)).strip(" ▏▕") == "1"


@pytest.mark.parametrize("vision", VISIONS)
def test_shades_stay_with_their_identity_and_run_from_light_to_dark(vision: str) -> None:
    found = [[shaded(identity, n) for n in range(SHADES)] for identity in range(8)]
    for shades in found:
        steps = [rgb_to_lab(Color(*seen(shade, vision))).L for shade in shades]
        assert all(one > other for one, other in itertools.pairwise(steps))
        assert steps[0] - steps[-1] > 8
        if vision == "normal":
            assert steps[0] - steps[-1] > 16
    for one, other in combinations(found, 2):
        apart = [ciede2000(seen(a, vision), seen(b, vision)) for a in one for b in other]
        assert min(apart) >= 9


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


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_accent_and_status_keep_away_from_identity(theme: Theme) -> None:
    colours = PALETTES[theme.variables["identity"]]
    assert len(set(colours)) == (7 if theme.name in FEW else 8)
    for name in ("accent", "warning", "error"):
        mark = Color.parse(getattr(theme, name)).rgb
        assert min(ciede2000(mark, each) for each in colours) >= 15, name
        tones = [fill(identity, theme.variables["identity"]) for identity in range(16)]
        assert min(ciede2000(mark, each) for each in tones) >= 10, name
        shades = {shaded(i, n, theme.variables["identity"]) for i, n in itertools.product(range(8), range(SHADES))}
        assert min(ciede2000(mark, each) for each in shades) >= 10, name


@pytest.mark.parametrize("theme", [DARK_16, LIGHT_16], ids=lambda t: t.name)
def test_terminals_of_16_colours_are_respected(theme: Theme) -> None:
    names = ("accent", "warning", "error", "foreground", "background", "surface")  # panels are told from the picture
    colours = [Color.parse(getattr(theme, name)).rgb for name in names]
    assert Color.parse(theme.panel or "").rgb != Color.parse(theme.surface or "").rgb  # and fields from their panel
    for colour in (*colours, *PALETTES[theme.variables["identity"]]):
        assert shown(RichColor.from_rgb(*colour), few=True) == colour
    assert len(set(colours)) == len(names)
    assert theme_for(theme.dark, "standard") is theme
    assert theme_for(theme.dark, "256") is (DARK if theme.dark else LIGHT)


# ---- the weights of text

GROUNDS = ("background", "surface", "panel")


@pytest.mark.parametrize("theme", THEMES, ids=lambda t: t.name)
def test_every_weight_of_text_is_read_on_every_ground(theme: Theme) -> None:
    """On the picture, on panels and on fields; scroll bars are seen on all of them too."""
    variables = variables_of(theme)
    for ground in GROUNDS:
        paper = Color.parse(variables[ground]).rgb
        told = {
            name: contrast(Color.parse(variables[name]).rgb, paper)
            for name in ("foreground", "ruler", "hint", "accent", "warning", "error", "scrollbar")
        }
        assert told.pop("scrollbar") >= 3, ground
        assert min(told.values()) >= 4.5, (ground, told)
        assert told["foreground"] >= told["ruler"] >= told["hint"]
        if theme.name not in FEW:  # steps that are seen from far away
            assert told["foreground"] >= 1.3 * told["ruler"]
            assert told["ruler"] >= 1.3 * told["hint"]
            apart_from_text = [told[name] for name in ("accent", "warning", "error")]
            assert min(apart_from_text) >= told["hint"] * 0.8  # no word that needs attention is weaker than a hint
    if theme.name not in FEW:
        chosen = Color.parse(theme.primary).rgb
        assert (
            min(contrast(Color.parse(variables[name]).rgb, chosen) for name in ("foreground", "ruler", "hint")) >= 4.5
        )


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
    ("join-2-axis-2", (200, 50), ("home", ".")),
    ("rule-dtype-supported", (80, 24), ("f2",)),
    ("split-1", (120, 36), ("f2", "tab", "tab", "tab", "tab", "x")),
    ("gather-2", (120, 36), ("question_mark",)),
    ("gather-2", (120, 36), ("enter", "down", "enter", "m")),
    ("rule-sizes-sum", (120, 36), ("o",)),
    ("gather-2", (80, 24), ("v",)),
    ("rule-sizes-sum", (80, 24), ("ctrl+e",)),
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
        asyncio.run(look(*state))


def test_the_tone_of_constants_keeps_away_from_what_has_a_meaning() -> None:
    tone = rgb(CONSTANT)
    identities = [fill(k) for k in range(16)] + [shaded(k, shade) for k in range(8) for shade in range(SHADES)]
    assert min(apart(tone, other) for other in identities) >= 12
    themes = [(theme, Color.parse(theme.background or ""), theme.foreground or "") for theme in (DARK, LIGHT)]
    accents = [
        Color.parse(name or "").rgb for theme, *_ in themes for name in (theme.accent, theme.warning, theme.error)
    ]
    assert min(ciede2000(tone, other) for other in accents) >= 15
    grounds = [ground.blend(Color.parse(ink), share).rgb for _, ground, ink in themes for share in (0, 0.1, 0.16)]
    assert min(apart(tone, ground) for ground in grounds) >= 6
    assert math.hypot(*rgb_to_lab(Color(*tone))[1:]) > 25  # it is no grey
    assert contrast(ink(tone), tone) > 4.5
