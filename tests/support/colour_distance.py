"""Oklab, Ottosson 2020: how far apart colours are to an eye, white being 100 from black."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dmlviz.scene.colour.palette import RGB

from .vision import Vision, linear_light, seen

Lab = tuple[float, ...]
_CONES = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_OPPONENTS = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


@lru_cache(maxsize=1 << 16)
def lab(colour: RGB) -> Lab:
    """Lightness, and how red and how yellow an sRGB colour is."""
    cones = np.cbrt(np.dot(_CONES, linear_light(colour)))
    return tuple(map(float, 100 * np.dot(_OPPONENTS, cones)))


def apart(one: RGB, other: RGB) -> float:
    """The least distance of two colours, over all visions."""
    return min(math.dist(lab(seen(one, vision)), lab(seen(other, vision))) for vision in Vision)
