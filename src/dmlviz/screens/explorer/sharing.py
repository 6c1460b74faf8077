"""What goes out of and comes into the explorer by the clipboard: a token, and whatever is pasted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ...errors import DmlvizError
from ...session import tokens
from ..dialogs.copy_menu import take
from ..dialogs.file_opening import expected, is_known

if TYPE_CHECKING:
    from .explorer import Explorer


async def copy_token(explorer: Explorer) -> None:
    """Copies a token that holds the experiment, and says how long it is and what it is good for."""
    try:
        token = await asyncio.to_thread(tokens.to_token, explorer.experiment)
    except DmlvizError as error:
        explorer.notify(str(error), severity="error", markup=False)
        return
    await take(explorer, "the token", "token.txt", token, "`dmlviz TOKEN` opens it, and so does a paste here.")


def pasted(explorer: Explorer, text: str) -> None:
    """Offers to import what was pasted into no field, if it is anything that can be read."""
    if is_known(text):
        explorer.pasted = text
        explorer.action_import()
    else:
        explorer.notify(f"What was pasted can't be read as {expected()}. i opens the import.", markup=False)
