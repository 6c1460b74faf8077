"""Cursors on an element of an output and of an input."""

from __future__ import annotations

from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor


def out(*index: int, number: int = 0) -> Cursor:
    return Cursor(Place(True, number), index)


def into(*index: int, number: int = 0) -> Cursor:
    return Cursor(Place(False, number), index)
