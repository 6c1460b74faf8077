"""Formulas in pieces: what an element's formula says, and where its lines break."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.fields import Role
from ...desc.tensors import brackets
from ...desc.values import Constant, Filled
from ...operators.maps import Place
from ...tracing import Source, Trace
from ..cells.contents import NOWHERE_SIGN
from ..elements.cursor import Cursor, part_of
from ..elements.known import EVERYTHING, Known
from ..elements.lookup import filled_by, reads_text, some_moved, value_of

Piece = tuple[str, str]
"""A text and its kind: "output", "via", "source", "value", "warn", or "" for what stands between."""
Term = list[Piece]
"""Pieces that stay on one line where it is wide enough."""
REMARK = 50
"""Columns kept for what is odd about a source."""
UNWRITTEN = "· not written yet"
NAMED = 3
"""Readers are named up to this many, and counted beyond."""


def terms(trace: Trace, cursor: Cursor, known: Known = EVERYTHING) -> list[Term]:
    """Where an output's element comes from, or who reads an input's, as far as known."""
    if not cursor.place.is_output:
        return _readers(trace, cursor, known)
    if known.tells(cursor):
        return _origin(trace, cursor)
    name = f"{part_of(trace, cursor.place).path}{brackets(cursor.index)}"
    return [[(name, "output"), (" = ", ""), (UNWRITTEN, "")]]


def _remark(trace: Trace, source: Source) -> str:
    """What is odd about a source, with the cell's sign; "" for nothing."""
    sign = "! " if source.clamped else f"{NOWHERE_SIGN} " if source.nowhere else ""
    return sign + flags_text(trace, source)


def flags_text(trace: Trace, source: Source) -> str:
    """What is odd about a source, in words; "" for nothing."""
    if source.clamped:
        by_index = any(part.field.role is Role.INDICES for part in trace.inputs)
        return "clamped: DirectML doesn't promise a value" if by_index else "clamped"
    if source.nowhere:
        return "constant"
    return "negative: counts from the end" if source.negative else ""


def _origin(trace: Trace, cursor: Cursor) -> list[Term]:
    """Where an output's element comes from, its value, and what is odd about that."""
    pieces = trace.formula(cursor.place.number, cursor.index)
    at = next(i for i, (_, kind) in enumerate(pieces) if kind == "source")
    formula: list[Term] = [[]]
    for piece in pieces[: at + 1]:
        if piece[0].startswith(" ") and formula[-1]:
            formula.append([])
        formula[-1].append(piece)
    formula[-1] += [(" = ", ""), (f" {value_of(trace, cursor)[0]} ", "value")]
    if why := pieces[at + 1 :]:
        formula.append([("   ", ""), *why])
    source = trace.source(cursor.place.number, cursor.index)
    if remark := _remark(trace, source):
        formula.append([("   ", ""), (remark, "" if source.nowhere else "warn")])
    return formula


def _readers(trace: Trace, cursor: Cursor, known: Known) -> list[Term]:
    """Who reads an input's element, as far as known: the first few by name, how many, and the cells they go through."""
    part, tells_all = trace.inputs[cursor.place.number], known.whole
    is_data, name = part.field.role is Role.DATA, f"{part.path}{brackets(cursor.index)}"
    formula: list[Term] = [[(name, "output"), (" = ", ""), (f" {value_of(trace, cursor)[0]} ", "value")]]
    readers: Sequence[Cursor] | None = None if tells_all else known.readers(trace, cursor)
    count = len(readers or ())
    if tells_all and (all_readers := trace.destinations(cursor.place.number, cursor.index)).counted:
        readers, count = [Cursor(Place(True, r.output), r.index) for r in all_readers[:NAMED]], len(all_readers)
    if readers is None:
        why = "its readers are not counted" if trace.prepared else "counting its readers…"
        return [*formula, [("   ", ""), (why, "")]]
    if not count:
        so_far = "is not read so far" if is_data else "decides nothing so far"
        return [*formula, [("   ", ""), ("is never read (×0)", "warn") if tells_all else (so_far, "")]]
    verb = "is read by" if is_data else "decides"
    names = [f"{trace.outputs[reader.place.number].path}{brackets(reader.index)}" for reader in readers[:NAMED]]
    formula += _listed(f"   {verb} ", names, "source")
    if count > NAMED:
        formula.append([(f" and {count - NAMED:,} more" if tells_all else " and more", "source")])
    if not tells_all:
        return [*formula, [(" so far", "")]]
    formula.append([(f"   {reads_text(count)}", "")])
    sources = [trace.source(reader.place.number, reader.index) for reader in readers]
    if is_data:
        cells = dict.fromkeys((s.via.tensor, s.via.index) for s in sources if s.via is not None)
        formula += _listed("   through ", [f"{trace.inputs[k].path}{brackets(index)}" for k, index in cells], "via")
    elif not is_data and (why := _remark(trace, sources[0])):
        formula.append([("   ", ""), (why, "warn")])
    return formula


def _listed(lead: str, names: Sequence[str], kind: str) -> list[Term]:
    """Names with commas behind all but the last, and `lead` before the first."""
    last = len(names) - 1
    return [[(" " if n else lead, ""), (f"{name}{',' * (n < last)}", kind)] for n, name in enumerate(names)]


def wrapped(formula: Sequence[Term], width: int) -> list[list[Piece]]:
    """Lines of at most `width` columns, broken between terms, and within a term only where it is longer than a line."""
    lines: list[list[Piece]] = [[]]
    used = 0
    for term in formula:
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


def tallest(trace: Trace, width: int, *, remarks: bool = True) -> int:
    """How many lines the formulas of outputs take, as far as their last elements tell; with a remark if `remarks`.

    It is asked with the largest index and length values that fit the desc, so that the room tells nothing of the map.
    What has more to say is cut.
    """
    steered = remarks and any(part.field.role is not Role.DATA for part in trace.inputs)
    remark = [[(" " * min(REMARK, width), "")]] if steered else []
    values = []
    for k, part in enumerate(trace.inputs):
        bound = None if part.field.role is Role.DATA else trace.operator.bound(trace.desc, k)
        values.append(trace.values[k] if bound is None else Filled(part.tensor, Constant(max(0, bound - 1))))
    largest = Trace(trace.desc, values, patient=False)
    last = len(trace.outputs) - 1
    ends = [Cursor(Place(True, k), tuple(n - 1 for n in trace.outputs[k].tensor.sizes)) for k in {0, last}]
    if filled_by(trace) and (moved := some_moved(trace)) is not None:
        ends.append(moved)
    return max(len(wrapped(_origin(largest, end) + remark, width)) for end in ends)
