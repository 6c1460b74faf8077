"""CIELAB and CIEDE2000: how far apart colours are to an eye."""

from __future__ import annotations

import math
from cmath import phase
from functools import lru_cache

from textual.color import Color, rgb_to_lab

from dmlviz.scene.colour.palette import RGB

from .vision import Vision, seen


@lru_cache(maxsize=1 << 18)
def apart(one: RGB, other: RGB) -> float:
    """The least CIEDE2000 distance of two colours, over all visions."""
    return min(ciede2000(seen(one, vision), seen(other, vision)) for vision in Vision)


def ciede2000(one: RGB, other: RGB) -> float:
    """Sharma, Wu and Dalal 2005."""
    light, dark = rgb_to_lab(Color(*one)), rgb_to_lab(Color(*other))
    mean = (math.hypot(light.a, light.b) + math.hypot(dark.a, dark.b)) / 2
    g = 1.5 - 0.5 * math.sqrt(mean**7 / (mean**7 + 25**7))
    first, second = complex(light.a * g, light.b), complex(dark.a * g, dark.b)
    turn = phase(second * first.conjugate())
    hue = math.degrees(phase(first) + turn / 2) % 360
    lm, cm = (light.L + dark.L) / 2, (abs(first) + abs(second)) / 2

    def cos(degrees: float) -> float:
        return math.cos(math.radians(degrees))

    t = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue) + 0.32 * cos(3 * hue + 6) - 0.20 * cos(4 * hue - 63)
    dl = (dark.L - light.L) / (1 + 0.015 * (lm - 50) ** 2 / math.sqrt(20 + (lm - 50) ** 2))
    dc = (abs(second) - abs(first)) / (1 + 0.045 * cm)
    dh = 2 * math.sqrt(abs(first) * abs(second)) * math.sin(turn / 2) / (1 + 0.015 * cm * t)
    spin = math.sin(math.radians(60 * math.exp(-(((hue - 275) / 25) ** 2))))
    return math.sqrt(dl**2 + dc**2 + dh**2 - 2 * spin * math.sqrt(cm**7 / (cm**7 + 25**7)) * dc * dh)
