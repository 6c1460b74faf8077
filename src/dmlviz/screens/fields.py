"""What is typed into the form: it becomes an edit, or a sentence about why it can't be read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import DmlvizError
from ..operators.registry import operators
from ..session.new_experiments import sample
from ..widgets.form import Form
from ..workspace.form_edits import edited

if TYPE_CHECKING:
    from .explorer.explorer import Explorer


def typed(explorer: Explorer, key: str, text: str) -> bool:
    """Edits the experiment by the text of a row; False where it can't be read: then a sentence says why."""
    explorer.query_one(Form).heard(key)
    try:
        if key == "Operator":
            _choose_operator(explorer, text)
            return True
        changed = edited(explorer.experiment, key, text)
    except DmlvizError as error:
        explorer.said[key] = str(error)
        return False
    explorer.said.pop(key, None)
    explorer.edit(changed, ("field", explorer.number, key))
    return True


def left(explorer: Explorer, key: str) -> bool:
    """Takes a row's sentence away as the row is left; True if there was one."""
    explorer.history.pause()
    # What couldn't be read goes with the focus; the document never held it.
    return explorer.said.pop(key, None) is not None


def blurred(explorer: Explorer) -> bool:
    """Takes away the sentences of all rows without the focus; True if there were any."""
    explorer.history.pause()
    kept = {key: text for key, text in explorer.said.items() if key == explorer.query_one(Form).focused_key()}
    goes = kept != explorer.said
    if goes:
        explorer.said = kept
    return goes


def _choose_operator(explorer: Explorer, name: str) -> None:
    """Another operator is another desc: the one of its first example, so that no form is ever empty."""
    found = sample(next(t for t, o in operators().items() if o.name == name))
    lowest = found.check().lowest_level
    assert lowest is not None
    level = max(explorer.experiment.feature_level, lowest)
    explorer.said.clear()
    values, folder = found.values, found.folder
    explorer.edit(replace(explorer.experiment, desc=found.desc, feature_level=level, values=values, folder=folder))
