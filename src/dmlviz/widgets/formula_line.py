"""The cursor's element in numbers: where it comes from, or who reads it."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ..descs import Role
from ..scene.elements import value_of
from ..scene.figure import Cursor, Style
from ..tensors import brackets
from ..tracing import Trace
from .inks import Inks, inks_of

NAMED = 3
"""Readers are named up to this many, and counted beyond."""


class FormulaLine(Static):
    """`OutputTensor[2,0] = InputTensor[IndicesTensor[0,2],0] = InputTensor[1,0] = 3`, with the value in its colour."""

    def show(self, trace: Trace | None, cursor: Cursor | None, live: bool) -> None:
        """`live` is False where the picture is not of the desc as it stands: the value then has no colour."""
        if trace is None or cursor is None:
            self.update("", layout=False)
            return
        inks = inks_of(self.app.theme_variables, "surface")
        value, identity = value_of(trace, cursor)
        chip = Text(f" {value} ", inks.style(Style("cell", identity if live else -1, True)))
        make = self._origin if cursor.place.is_output else self._readers
        self.update(make(trace, cursor, chip, inks), layout=False)

    def _origin(self, trace: Trace, cursor: Cursor, chip: Text, inks: Inks) -> Text:
        styles = {
            "output": f"bold {inks.text.hex}",
            "via": f"bold {inks.accent.hex}",
            "source": inks.text.hex,
            "": inks.muted.hex,
        }
        pieces = trace.formula(cursor.place.number, cursor.index)
        at = next(i for i, (_, kind) in enumerate(pieces) if kind == "source")
        how, source, why = pieces[:at], pieces[at][0], pieces[at + 1 :]
        text = Text(style=inks.text.hex)
        for piece, kind in how:
            text.append(piece, styles[kind])
        if text.cell_len + len(source) + chip.cell_len + 3 > self.content_size.width:
            text.right_crop(len(" = "))  # it leads the second line where one is too short
            text.append("\n= ", styles[""])
        text.append(source, styles["source"]).append(" = ", styles[""]).append_text(chip)
        text.append("   " if why else "")
        for piece, kind in why:
            text.append(piece, styles[kind])
        if trace.source(cursor.place.number, cursor.index).clamped:
            by_index = any(part.field.role is Role.INDICES for part in trace.inputs)
            said = "clamped: DirectML promises no value here" if by_index else "clamped"
            text.append(f"  {said}", f"bold {inks.warning.hex}")
        return text

    def _readers(self, trace: Trace, cursor: Cursor, chip: Text, inks: Inks) -> Text:
        part = trace.inputs[cursor.place.number]
        text = Text(style=inks.text.hex)
        text.append(f"{part.path}{brackets(cursor.index)}", f"bold {inks.text.hex}")
        text.append(" = ", inks.muted.hex).append_text(chip)
        readers = trace.destinations(cursor.place.number, cursor.index)
        if not readers.counted:
            return text.append("  its readers are not counted", inks.muted.hex)
        if not len(readers):
            return text.append("  is never read (×0)", f"bold {inks.warning.hex}")
        names = [f"{trace.outputs[d.output].path}{brackets(d.index)}" for d in readers[:NAMED]]
        more = f" and {len(readers) - NAMED:,} more" if len(readers) > NAMED else ""
        text.append("  is read by " if part.field.role is Role.DATA else "  sends ", inks.muted.hex)
        return text.append(", ".join(names) + more).append(f"  ×{len(readers):,}", inks.muted.hex)
