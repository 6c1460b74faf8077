"""Formulas in pieces: what an element's formula says, and where its lines break."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.fields import Role
from ...desc.tensors import brackets
from ...operators.maps import Place
from ...tracing import Source, Trace
from ..elements.cursor import Cursor
from ..elements.lookup import reads, value_of

Piece = tuple[str, str]
"""A text and its kind: "output", "via", "source", "value", "warn", or "" for what stands between."""
Term = list[Piece]
"""Pieces that stay on one line where it is wide enough."""
REMARK = 50
"""Columns kept for what is odd about a source."""
NAMED = 3
"""Readers are named up to this many, and counted beyond."""


def terms(trace: Trace, cursor: Cursor) -> list[Term]:
    """Where an output's element comes from, or who reads an input's."""
    return _origin(trace, cursor) if cursor.place.is_output else _readers(trace, cursor)


def flags_text(trace: Trace, source: Source) -> str:
    """What is odd about a source, in words; "" for nothing."""
    if source.clamped:
        by_index = any(part.field.role is Role.INDICES for part in trace.inputs)
        return "clamped: DirectML promises no value here" if by_index else "clamped"
    return "negative: counts from the end" if source.negative else ""


def _origin(trace: Trace, cursor: Cursor) -> list[Term]:
    pieces = trace.formula(cursor.place.number, cursor.index)
    at = next(i for i, (_, kind) in enumerate(pieces) if kind == "source")
    made: list[Term] = [[]]
    for piece in pieces[: at + 1]:
        if piece[0].startswith(" ") and made[-1]:
            made.append([])
        made[-1].append(piece)
    made[-1] += [(" = ", ""), (f" {value_of(trace, cursor)[0]} ", "value")]
    if why := pieces[at + 1 :]:
        made.append([("   ", ""), *why])
    if said := flags_text(trace, trace.source(cursor.place.number, cursor.index)):
        made.append([("   ", ""), (said, "warn")])
    return made


def _readers(trace: Trace, cursor: Cursor) -> list[Term]:
    part = trace.inputs[cursor.place.number]
    is_data = part.field.role is Role.DATA
    head: Term = [
        (f"{part.path}{brackets(cursor.index)}", "output"),
        (" = ", ""),
        (f" {value_of(trace, cursor)[0]} ", "value"),
    ]
    readers = trace.destinations(cursor.place.number, cursor.index)
    if not readers.counted:
        said = "its readers are not counted" if trace.prepared else "counting its readers…"
        return [head, [("   ", ""), (said, "")]]
    if not len(readers):
        return [head, [("   ", ""), ("is never read (×0)", "warn")]]
    made = [head]
    first = readers[:NAMED]
    for i, found in enumerate(first):
        lead = ("   is read by " if is_data else "   sends ") if not i else " "
        name = f"{trace.outputs[found.output].path}{brackets(found.index)}"
        made.append([(lead, ""), (name + ("," if i < len(first) - 1 else ""), "source")])
    if len(readers) > NAMED:
        made.append([(f" and {len(readers) - NAMED:,} more", "source")])
    made.append([(f"   {reads(len(readers))}", "")])
    sources = [trace.source(found.output, found.index) for found in first]
    if is_data:
        cells = dict.fromkeys((s.via.tensor, s.via.index) for s in sources if s.via is not None)
        for i, (tensor, index) in enumerate(cells):
            lead = "   through " if not i else " "
            comma = "," if i < len(cells) - 1 else ""
            made.append([(lead, ""), (f"{trace.inputs[tensor].path}{brackets(index)}", "via"), (comma, "")])
    elif said := flags_text(trace, sources[0]):
        made.append([("   ", ""), (said, "warn")])
    return made


def short(trace: Trace, cursor: Cursor, width: int) -> Term:
    """An element in one line: where it comes from, its value, and how often that is read.

    Where `width` columns are too few, names and then the source give way: the value stays.
    """
    versions = [_short(trace, cursor, words, source) for words, source in ((True, True), (False, True), (False, False))]
    return next((each for each in versions if sum(len(text) for text, _ in each) <= width), versions[-1])


def _short(trace: Trace, cursor: Cursor, words: bool, with_source: bool) -> Term:
    value = (f" {value_of(trace, cursor)[0]} ", "value")
    place = cursor.place
    part = (trace.outputs if place.is_output else trace.inputs)[place.number]
    made: Term = [(f"{part.path}{brackets(cursor.index)}", "output"), (" = ", "")]
    tensor, index, verb, flags = place.number, cursor.index, "read " if part.field.role is Role.DATA else "sends ", ""
    if place.is_output:
        found = trace.source(place.number, cursor.index)
        tensor, index, verb = found.tensor, found.index, ""
        name = trace.inputs[tensor].path if words else trace.inputs[tensor].path.replace("Tensor", "")
        flags = flags_text(trace, found).partition(":")[0] if words else "!" * found.clamped or "-" * found.negative
        if with_source:
            made += [(f"{name}{brackets(index)}", "source"), (" = ", "")]
        if not words:
            made[0] = (made[0][0].replace("Tensor", "", 1), "output")
    made.append(value)
    read = trace.destinations(tensor, index)
    if read.counted:
        made.append((f" {verb}{reads(len(read))}" if len(read) else " never read ×0", "" if len(read) else "warn"))
    elif not trace.prepared:
        made.append((" counting…", ""))
    if flags:
        made.append((f" {flags}", "warn"))
    return made


def wrapped(found: Sequence[Term], width: int) -> list[list[Piece]]:
    """Lines of at most `width` columns, broken between terms, and within a term only where it is longer than a line."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for term in found:
        size = sum(len(text) for text, _ in term)
        if used and used + size > width:
            lines.append([])
            used = 0
        pieces = [*term]
        if not used and pieces:
            pieces[0] = (pieces[0][0].lstrip(" "), pieces[0][1]) if pieces[0][1] != "value" else pieces[0]
        for text, kind in pieces:
            while used + len(text) > width:
                room = width - used
                cut = text.rfind(",", 0, room) + 1 or (room if room >= width // 2 else 0)
                if cut:
                    lines[-1].append((text[:cut], kind))
                    text = text[cut:]
                lines.append([])
                used = 0
                if len(text) <= width:
                    break
            if text:
                lines[-1].append((text, kind))
                used += len(text)
    return lines


def tallest(trace: Trace, width: int) -> int:
    """How many lines the formulas of a trace take, as far as its far corners tell, with room for a remark."""
    remark = [[(" " * min(REMARK, width), "")]] if any(p.field.role is not Role.DATA for p in trace.inputs) else []
    corners = [_origin(trace, _last(trace, k)) + remark for k in {0, len(trace.outputs) - 1}]
    return max(len(wrapped(each, width)) for each in corners)


def _last(trace: Trace, output: int) -> Cursor:
    return Cursor(Place(True, output), tuple(n - 1 for n in trace.outputs[output].tensor.sizes))
