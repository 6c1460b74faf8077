"""Whether anything of an answer is there before somebody has chosen it."""

from __future__ import annotations

from dmlviz.workspace.asking.ask_state import AskState


def is_untouched(state: AskState) -> bool:
    """True if nothing is chosen, marked, typed or pointed at."""
    entry = state.entry
    chosen = any(option.chosen or option.at for option in entry.options) or (entry.none and entry.none.chosen)
    points = state.form.is_pointed and entry.pointed != "?"
    return not (chosen or points or any(entry.slots))
