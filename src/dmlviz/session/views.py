"""The `view` of an experiment, such as {"step": 3, "unit": "run", "turned": true}: where somebody has left off looking.

It has no part in what the desc means.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, ValidationError, convert, to_builtins


class View(Struct, frozen=True, omit_defaults=True):
    """What is looked at, and how; each field has the value that it has where nobody has changed anything."""

    step: Annotated[int, Meta(ge=0)] | None = None
    """The step that is shown, counted in `unit`; None where everything is written."""
    unit: Annotated[str, Meta(pattern="^(element|run|slice|whole)?$")] = ""
    """What a step is; "" for what the user likes best, or for elements where there is a step."""
    turned: bool = False
    """Rows and columns change places."""


class ViewEntry(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """What a file holds as an experiment's view; each has its own, through all edits, which tells live views apart."""

    written: Any = UNSET
    """Its JSON; UNSET where there is none."""

    @cached_property
    def view(self) -> View:
        """The view; where none is written, or one of the wrong shape, it is as if nobody had looked."""
        try:
            return View() if self.written is UNSET else convert(self.written, View)
        except ValidationError:
            return View()

    def holding(self, view: View) -> ViewEntry:
        """A new entry with that view, and with what is unknown as it was."""
        before = self.written if isinstance(self.written, dict) else {}
        unknown = {key: entry for key, entry in before.items() if key not in View.__struct_fields__}
        return ViewEntry({**to_builtins(view), **unknown} or UNSET)
