"""Whether anything of an answer is there before somebody has chosen it."""

from __future__ import annotations

from dmlviz.workspace.asking.ask_state import AskState


def is_untouched(state: AskState) -> bool:
    """True if nothing is chosen, marked, typed, pointed at, or under a cursor that would be taken."""
    entry, look = state.entry, state.picture.look
    chosen = any(option.chosen or option.at for option in entry.options) or (entry.none and entry.none.chosen)
    points = state.form.is_pointed and (look.cursor is not None or entry.pointed != "?")
    return not (chosen or points or any(entry.slots) or any(entry.taken))
