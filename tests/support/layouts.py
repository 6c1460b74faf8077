"""Random cases in random rooms and zooms, and their pictures asked for elements and text."""

from __future__ import annotations

from itertools import product

from hypothesis import HealthCheck
from hypothesis import strategies as st

from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.spans import Line
from support.effort import tried

RELAXED = tried(40, suppress_health_check=list(HealthCheck))
ROOMS = st.sampled_from([(24, 8), (40, 10), (66, 14), (62, 24), (140, 36), (400, 200)])
ZOOMS = st.sampled_from([None, *Zoom])


def elements(figure: Figure) -> list[tuple[int, ...]]:
    return list(product(*map(range, figure.part.tensor.sizes)))


def text_of(line: Line) -> str:
    return "".join(span.text for span in line)
