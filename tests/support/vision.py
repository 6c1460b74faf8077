"""How colours look with another colour vision: Machado, Oliveira and Fernandes 2009, "A physiologically-based model for
simulation of color vision deficiency", at severity 1.0.
"""

from __future__ import annotations

import enum
from functools import lru_cache

import numpy as np

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
    channels = np.array(colour) / 255
    light = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    light = np.clip(np.array(_MATRICES[vision]) @ light, 0, 1)
    channels = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    red, green, blue = np.rint(255 * channels).astype(int).tolist()
    return red, green, blue
