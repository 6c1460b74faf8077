"""The JSON that a recorded page draws, and what it asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from dmlviz.recording.page import Data, page_of
from dmlviz.recording.tasks import Asked, Exercise, exercises_of
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.session.experiments import Session
from dmlviz.session.views import View
from dmlviz.teaching.tasks.tasks import AuthoredQuestion


def html_page(session: Session, **how: Any) -> str:
    """A session as a page."""
    return page_of(session, exercises_of(session, **how))


def json_of_page(page: str) -> Any:
    """A page's JSON."""
    (text,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def asked_in(exercises: Sequence[Exercise]) -> Iterator[tuple[int, Exercise, Asked, AuthoredQuestion]]:
    """Those that ask a question that a page takes answers to, with their numbers from 0."""
    for number, exercise in enumerate(exercises):
        task = exercise.task
        if task is not None and isinstance(task.question, AuthoredQuestion) and not task.reason:
            yield number, exercise, task, task.question


def by_unit(session: Session, unit: str) -> Session:
    """A session whose steps are by a unit."""
    every = (replace(one, view=one.view.holding(View(unit=unit))) for one in session.experiments)
    return Session(tuple(every))


class Shown(NamedTuple):
    """What a cell shows at a step."""

    text: str
    colours: Sequence[str] = ()
    """Fill, ink and letter, where they are told; else empty."""
    sign: str = ""


def cells_at(data: Data, colours: Mapping[str, Any], step: int) -> list[list[Shown]]:
    """The cells of each table after a step."""
    return [[*_cells_at(table, colours, step)] for table in data["tables"]]


def _cells_at(table: Data, colours: Mapping[str, Any], step: int) -> Iterator[Shown]:
    texts = table["texts"]
    told, shades = (table.get(key) or [0] * len(texts) for key in ("told", "shade"))
    placed, signs = table.get("placed") or told, table.get("sign") or [""] * len(texts)
    for k, id_ in enumerate(table["identity"]):
        is_shown, is_shaded = not table["out"] or told[k] <= step, "shade" in table and placed[k] <= step
        yield Shown(
            text=texts[k] if is_shown else HIDDEN,
            colours=colours[f"{id_} {shades[k]}" if is_shaded and shades[k] != -1 else f"{id_}"]
            if told[k] <= step and id_ >= 0
            else (),
            sign=signs[k] if is_shown else "",
        )
