"""How colours look with another colour vision: Machado, Oliveira and Fernandes 2009, "A physiologically-based model for
simulation of color vision deficiency", at severity 1.0.
"""

from __future__ import annotations

import enum
from functools import lru_cache

from dmlviz.scene.colour.palette import RGB


class Vision(enum.Enum):
    """A kind of colour vision."""

    NORMAL = "normal"
    PROTAN = "protan"
    DEUTAN = "deutan"
    TRITAN = "tritan"


_MATRICES = {
    Vision.PROTAN: ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    Vision.DEUTAN: ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    Vision.TRITAN: ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


@lru_cache(maxsize=4096)
def seen(colour: RGB, vision: Vision) -> RGB:
    """The colour that `colour`, sRGB from 0 to 255, looks like with that colour vision."""
    if vision is Vision.NORMAL:
        return colour
    linear = [_linear_light(channel) for channel in colour]
    red, green, blue = (sum(m * c for m, c in zip(row, linear, strict=True)) for row in _MATRICES[vision])
    return _srgb_channel(red), _srgb_channel(green), _srgb_channel(blue)


def _linear_light(channel: int) -> float:
    """An sRGB channel from 0 to 255 as linear light from 0 to 1."""
    c = channel / 255
    return c / 12.92 if c <= 0.04045 else float(((c + 0.055) / 1.055) ** 2.4)


def _srgb_channel(linear: float) -> int:
    """Linear light, cut to 0 to 1, as an sRGB channel from 0 to 255."""
    c = min(max(linear, 0.0), 1.0)
    return round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055))
