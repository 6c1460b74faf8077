"""What a step moves, by the scene, and what lies in memory after it: stills and pages are held to that."""

from __future__ import annotations

from dmlviz.desc.indexing import unravel
from dmlviz.desc.values import Indices
from dmlviz.formats.page_text import shorts
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.recording.pictures import Picture
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.elements.cursor import part_of
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.steps.order import Unit

Cell = tuple[Place, int]


def moved(picture: Picture, step: int) -> set[Cell]:
    """What a step moves on both sides, with the cells that send it; nothing before the first."""
    trace, group, first = picture.trace, picture.steps.group(step), picture.steps.element(step)
    if group is None:
        return set()
    links = group.links(0, group.count)
    outputs = {(Place(True, int(k)), int(flat)) for k, flat in zip(links.output, links.flat, strict=True)}
    if picture.steps.unit in (Unit.ELEMENT, Unit.WHOLE):
        return outputs | {(Place(False, tensor), flat) for tensor, flat in partners(trace, first).wires}
    inputs = {(Place(False, int(k)), int(at)) for k, at in zip(links.tensor, links.source, strict=True) if k != NOWHERE}
    vias = links.via.tolist() if links.via is not None else []
    return outputs | inputs | {(Place(False, links.via_tensor), at) for at in vias}


def stretches(picture: Picture, step: int) -> dict[str, tuple[Place, Indices]]:
    """The elements of either tensor that a step by run or copy moves, by the title of their row of memory."""
    group = picture.steps.group(step)
    assert group is not None
    links = group.links(0, group.count)
    rows = [(Place(True, int(links.output[0])), links.flat)]
    if links.tensor[0] != NOWHERE:
        rows.append((Place(False, int(links.tensor[0])), links.source))
    titled = {}
    for place, flat in rows:
        part = part_of(picture.trace, place)
        size = part.tensor.data_type.item_size
        title = f"Memory of {part.path}, bytes {flat[0] * size:,} to {(flat[-1] + 1) * size - 1:,}"
        titled[title] = place, flat
    return titled


def in_memory(picture: Picture, place: Place, flat: Indices, step: int) -> list[str]:
    """What elements hold, and dots where they aren't written after a step."""
    if not place.is_output:
        return shorts(picture.trace.read(place.number, flat))
    index = unravel(flat, picture.trace.outputs[place.number].tensor.sizes)
    texts, steps = shorts(picture.trace.window(place.number, index)), picture.steps.when(place.number, index)
    return [text if at <= step else HIDDEN for text, at in zip(texts, steps.tolist(), strict=True)]
