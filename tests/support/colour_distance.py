"""CIELAB and CIEDE2000: how far apart colours are to an eye."""

from __future__ import annotations

import math
from functools import lru_cache

from textual.color import Color, rgb_to_lab

from dmlviz.scene.colour.palette import RGB

from .vision import Vision, seen

Lab = tuple[float, float, float]


@lru_cache(maxsize=1 << 16)
def lab(colour: RGB) -> Lab:
    """CIELAB of an sRGB colour, under D65."""
    found = rgb_to_lab(Color(*colour))
    return found.L, found.a, found.b


def chroma(colour: RGB) -> float:
    """CIELAB's distance from grey."""
    return math.hypot(*lab(colour)[1:])


@lru_cache(maxsize=1 << 18)
def apart(one: RGB, other: RGB) -> float:
    """The least CIEDE2000 distance of two colours, over all visions."""
    return min(ciede2000(lab(seen(one, vision)), lab(seen(other, vision))) for vision in Vision)


def ciede2000(one: Lab, other: Lab) -> float:
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
