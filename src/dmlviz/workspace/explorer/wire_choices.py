"""What an input can be wired to: every output of the session that doesn't read it, those that fit first."""

from __future__ import annotations

from msgspec import Struct

from ...desc.value_sources import Wired
from ...errors import plain
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment, Session
from ...session.wiring import stages_of, wire_text, wires
from ...tracing import Trace


class WireChoice(Struct, frozen=True):
    """An output, and what reading it would do to the tensor."""

    name: str
    output: str
    text: str
    """With what would become of the tensor."""
    is_now: bool = False
    """It is what fills the tensor."""


class WireAsk(Struct, frozen=True):
    """An input that can be wired."""

    path: str
    tensor: str
    now: str
    """What it reads; "" where no wire fills it."""
    choices: tuple[WireChoice, ...]


def asked_path(one: Experiment, trace: Trace | None, cursor: Cursor | None) -> str:
    """The path of the input that the cursor is on, or that its element comes from; of the first input else."""
    inputs = one.desc.inputs
    n = 0
    if cursor is not None and not cursor.place.is_output:
        n = cursor.place.number
    elif cursor is not None and trace is not None and trace.desc is one.desc:
        n = max(0, trace.source(cursor.place.number, cursor.index).tensor)
    return inputs[min(n, len(inputs) - 1)].path


def wire_ask(session: Session, number: int, path: str) -> WireAsk:
    """What input `path` of an experiment can be wired to."""
    here = session.experiments[number]
    own = next(part.tensor for part in here.desc.inputs if part.path == path)
    names = [one.name for one in session.experiments]
    now = next((wire for part, wire in wires(here) if part.path == path), None)
    ranked: list[tuple[bool, WireChoice]] = []
    for one in session.experiments:
        if one is here or names.count(one.name) > 1 or any(stage is here for stage in stages_of(one)):
            continue
        for part in one.desc.outputs:
            if not part.tensor.can_exist:
                continue
            out = part.path if len(one.desc.outputs) > 1 else ""
            is_now = now is not None and now.source is one and one.desc.outputs[now.number].path == part.path
            fits = part.tensor.data_type is own.data_type and part.tensor.element_count == own.element_count
            remark = "" if part.tensor == own else "   as many elements" if fits else f"   {path} becomes that"
            text = f"{plain(one.name, 40)} {out}".rstrip() + f"  {part.tensor}{remark}"
            ranked.append((not fits, WireChoice(one.name, out, text, is_now=is_now)))
    choices = tuple(choice for _, choice in sorted(ranked, key=lambda pair: pair[0]))
    return WireAsk(path, str(own), wire_text(now) if isinstance(now, Wired) else "", choices)
