"""The search for the eight identity colours and their tones: `python -m support.identity_search`, from `tests`.

It takes some seconds, and prints what `dmlviz.scene.colour.palette` holds as `XTERM`, `LIGHTNESS` and `OTHER_TONE`, up
to the order of the colours, which was chosen by eye: the loud ones are the last. A change of a theme's grounds, accent
or status colours asks for another search.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from textual.color import Color

from dmlviz.scene.colour.palette import RGB, XTERM, lightness, rgb, toned
from dmlviz.themes import DARK, LIGHT

from .colour_distance import apart, chroma, ciede2000, hue, lab

LEAST = 20.0
"""CIEDE2000 between any two, for every colour vision."""
FROM_ACCENTS, TONES_FROM_ACCENTS = 15.0, 10.0
"""CIEDE2000 from the accent and status colours of both themes, and of a second tone from them."""
FROM_DARK, FROM_LIGHT = 20.0, 5.0
"""CIEDE2000 from what lies beside a cell: with dark grounds for all but one, with light ones for all."""


def rgb_of(name: str | None) -> RGB:
    """A colour of a theme."""
    return Color.parse(name or "").rgb


ACCENTS = [rgb_of(name) for theme in (DARK, LIGHT) for name in (theme.accent, theme.warning, theme.error)]
GROUNDS = {
    theme.name: [
        Color.parse(theme.background).blend(Color.parse(theme.foreground), share).rgb for share in (0, 0.1, 0.16)
    ]
    for theme in (DARK, LIGHT)
    if theme.background is not None and theme.foreground is not None
}
"""What lies beside a cell: the ground, an element that is not written, and one without an identity."""


def from_accents(colour: RGB) -> float:
    """How far a colour is from the nearest accent or status colour."""
    return min(ciede2000(lab(colour), lab(accent)) for accent in ACCENTS)


def candidates() -> list[int]:
    """xterm-256 colours that are no grey, red or pink (a pink is a light purple), and keep away from the accents."""

    def fits(index: int) -> bool:
        colour = rgb(index)
        if chroma(colour) < 25 or not 50 < hue(colour) < 335 or (hue(colour) > 314 and lightness(colour) > 45):
            return False
        return from_accents(colour) >= FROM_ACCENTS

    return [index for index in range(16, 256) if fits(index)]


def eights(found: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All choices of eight, of which every two are `LEAST` apart."""
    near = {one: {other for other in found if apart(rgb(one), rgb(other)) >= LEAST} for one in found}

    def more(chosen: tuple[int, ...], left: list[int]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == 8:
            yield chosen
        for i, each in enumerate(left):
            if len(left) - i >= 8 - len(chosen):
                yield from more((*chosen, each), [other for other in left[i + 1 :] if other in near[each]])

    return more((), list(found))


def seen_from(ground: str) -> Callable[[int], float]:
    """How far an index is from all grounds of a theme."""
    return lambda index: min(apart(rgb(index), each) for each in GROUNDS[ground])


def best_eight() -> tuple[int, ...]:
    """The eight of which one at most is near the dark grounds, and none near the light ones: the most muted of them."""
    dark, light = seen_from(DARK.name), seen_from(LIGHT.name)

    def is_seen(chosen: tuple[int, ...]) -> bool:
        return sorted(map(dark, chosen))[1] >= FROM_DARK and min(map(light, chosen)) >= FROM_LIGHT

    return min(filter(is_seen, eights(candidates())), key=lambda chosen: sum(chroma(rgb(index)) for index in chosen))


def climbed(choices: Sequence[Sequence[int]], worth: Callable[[list[int]], float]) -> tuple[float, list[int]]:
    """The best that is found by changing one choice at a time, from many beginnings; the same at every call."""
    dice = random.Random(1)
    best: tuple[float, list[int]] = (0.0, [])
    for _ in range(40):
        at = [dice.choice(each) for each in choices]
        before = -1.0
        while worth(at) > before:
            before = worth(at)
            for k, each in enumerate(choices):
                at[k] = max(each, key=lambda level: worth([*at[:k], level, *at[k + 1 :]]))
        best = max(best, (before, at))
    return best


def other_tones(chosen: Sequence[int]) -> tuple[float, list[int]]:
    """L* of a second tone of each colour, so that all sixteen are as far apart as can be; none is near black."""
    base = [rgb(index) for index in chosen]
    tones = {(k, level): toned(colour, level) for k, colour in enumerate(base) for level in range(30, 94, 2)}
    choices = [
        [
            level
            for level in range(30, 94, 2)
            if chroma(tones[k, level]) >= 18
            and (hue(colour) < 314 or level <= 44)
            and apart(tones[k, level], colour) > 8
            and from_accents(tones[k, level]) >= TONES_FROM_ACCENTS
        ]
        for k, colour in enumerate(base)
    ]

    def worth(levels: list[int]) -> float:
        second = [tones[k, level] for k, level in enumerate(levels)]
        return min(apart(one, other) for one, other in combinations([*base, *second], 2))

    return climbed(choices, worth)


def lightest_shades(chosen: Sequence[int], span: int = 18) -> tuple[float, list[int]]:
    """L* of the lightest shade of each colour, so that shades of two colours are as far apart as can be."""
    base = [rgb(index) for index in chosen]
    parts = [span * i // 3 for i in range(4)]
    choices = [range(max(30, round(lightness(c)) - 1), min(97, round(lightness(c)) + 20) + 1, 2) for c in base]
    tones = {
        (k, level): [toned(colour, level - part) for part in parts]
        for k, colour in enumerate(base)
        for level in choices[k]
    }

    def worth(levels: list[int]) -> float:
        shades = [tones[k, level] for k, level in enumerate(levels)]
        return min(apart(a, b) for one, other in combinations(shades, 2) for a in one for b in other)

    return climbed(choices, worth)


if __name__ == "__main__":
    print("eight", best_eight())
    print("tones", *other_tones(XTERM))
    print("lightest shades", *lightest_shades(XTERM))
