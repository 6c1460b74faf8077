"""What a page has to show for a task to be answered on it: tables hold only the first rows of large tensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..desc.fields import Role
from ..desc.indexing import flat_in, ravel, unravel
from ..desc.values import Indices
from ..operators.maps import Place, tensors_among
from ..scene.elements.sources import flat_sources
from ..teaching.questions.question import Question
from ..tracing import Trace
from .pictures import Recorded
from .tables import MOST_LISTED


def unshown(question: Question, shown: Recorded, *, listed: bool) -> str:
    """The path of the first tensor of which a page leaves out what answers a question; "" where it shows enough.

    `listed` says that the tensors' sizes are listed, and no picture is drawn.
    """
    picture, parts = shown.picture, question.subject.desc.parts
    if listed or picture is None:
        return parts[MOST_LISTED].path if len(parts) > MOST_LISTED else ""
    trace, looks_up = picture.trace, question.kind.looks_up
    if looks_up == "sizes":
        drawn = {table.path for table in picture.tables}
        return next((part.path for part in parts if part.path not in drawn), "")
    if looks_up == "readers":
        whole = {table.path for table in picture.inputs if table.is_whole}
        steering = [part for part in trace.inputs if part.field.role is not Role.DATA]
        for part in steering:
            if part.path not in whole:
                return part.path
    flats = {table.place: table.contents.flat for table in picture.tables}
    for place, needed in _needed(question, trace):
        if not np.isin(needed, flats.get(place, np.empty(0, np.int64))).all():
            part = (trace.outputs if place.is_output else trace.inputs)[place.number]
            return part.path
    return ""


def _needed(question: Question, trace: Trace) -> Iterator[tuple[Place, Indices]]:
    """Tensors, and the flat indices (N,) of the elements of each that are asked about, or that are looked up."""
    kind, at = question.kind, question.at
    for output, flat in _asked(question, trace):
        sizes = trace.outputs[output].tensor.sizes
        if kind.draws_outputs:  # else choices have its place
            yield Place(True, output), flat
        sources = flat_sources(trace, output, unravel(flat, sizes))
        if kind.looks_up != "route":
            for number in tensors_among(sources.tensor):
                yield Place(False, number), sources.flat[sources.tensor == number]
        if sources.via is not None:
            yield Place(False, sources.via_tensor), sources.via
    if at is not None and not at.place.is_output:
        yield at.place, _flat_array(at.index, trace.inputs[at.place.number].tensor.sizes)
    if kind.form.how == "mark" and kind.form.takes_several:
        is_output = kind.form.side == "outputs"
        side = trace.outputs if is_output else trace.inputs
        for number, index in question.truth:
            yield Place(is_output, number), _flat_array(index, side[number].tensor.sizes)


def _asked(question: Question, trace: Trace) -> Iterator[tuple[int, Indices]]:
    """Outputs, and the flat indices (N,) of the elements of each that are asked for."""
    at = question.at
    if not question.kind.draws_outputs:
        (true,) = (choice.picture for choice in question.choices if choice.id == question.truth)
        for number, (sizes, _) in enumerate(true.outputs if true is not None else ()):
            if at is None:
                yield number, np.arange(int(np.prod(sizes)), dtype=np.int64)
                continue
            window = [np.arange(first, first + n) for first, n in zip(at.index, sizes, strict=True)]
            index = [axis.ravel() for axis in np.meshgrid(*window, indexing="ij")]
            yield at.place.number, ravel(index, trace.outputs[at.place.number].tensor.sizes)
        return
    if at is None or not at.place.is_output:
        return
    sizes = trace.outputs[at.place.number].tensor.sizes
    places = question.kind.places(question)
    yield at.place.number, np.array([flat_in(index, sizes) for index in places], np.int64)


def _flat_array(index: tuple[int, ...], sizes: tuple[int, ...]) -> Indices:
    """(1,) the flat index of an element."""
    return np.array([flat_in(index, sizes)], np.int64)
