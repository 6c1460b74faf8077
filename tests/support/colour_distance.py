"""How far apart colours are to an eye: CIEDE2000, and how they look with another colour vision: Machado, Oliveira and
Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency", at severity 1.0.
"""

from __future__ import annotations

import math
from cmath import phase
from functools import lru_cache

import numpy as np
from textual.color import Color, rgb_to_lab

from dmlviz.scene.colour.palette import RGB

VISIONS = {
    "normal": np.eye(3),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


@lru_cache(maxsize=4096)
def seen(colour: RGB, vision: str) -> RGB:
    """The colour that `colour`, sRGB from 0 to 255, looks like with that colour vision."""
    channels = np.array(colour) / 255
    light = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    light = np.clip(np.array(VISIONS[vision]) @ light, 0, 1)
    channels = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(255 * channels).astype(int).tolist()
    return red, green, blue


@lru_cache(maxsize=1 << 18)
def apart(one: RGB, other: RGB) -> float:
    """The least CIEDE2000 distance of two colours, over all visions."""
    return min(ciede2000(seen(one, vision), seen(other, vision)) for vision in VISIONS)


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
