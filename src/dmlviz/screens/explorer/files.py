"""Opening, saving and leaving: the questions that keep a session from being lost."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import DmlvizError, plain
from ...session.document import Document
from ...session.experiments import Session
from ...session.new_experiments import fresh
from ...session.recovery import Kept, find

if TYPE_CHECKING:
    from .explorer import Explorer


async def save(explorer: Explorer, path: Path | None) -> bool:
    """Saves to `path`, or to a file that is asked for; True if the session is in a file then."""
    from ..dialogs.ask_name import AskName
    from ..dialogs.ask_replace import AskReplace

    document = explorer.document
    while True:
        if path is None:
            name = await explorer.app.push_screen_wait(AskName("Save as", str(document.path or "session.json")))
            if name is None:
                return False
            path = Path(name).expanduser()
            if path.exists() and path != document.path and not await explorer.app.push_screen_wait(AskReplace(name)):
                path = None
                continue
        try:
            document.save(path)
        except DmlvizError as error:
            explorer.notify(str(error), severity="error", markup=False)
            path = None
            continue
        explorer.notify(f"saved to {plain(str(path))}", markup=False)
        explorer.words_changed()
        return True


async def may_leave(explorer: Explorer) -> bool:
    """True if nothing would be lost: asks where there are unsaved changes."""
    from ..dialogs.ask_unsaved import AskUnsaved

    if not explorer.dirty:
        return True
    answer = await explorer.app.push_screen_wait(AskUnsaved())
    if answer == "save":
        return await save(explorer, explorer.path)
    return answer == "discard"


async def open_another(explorer: Explorer) -> None:
    """Opens what is chosen in the gallery."""
    from ..dialogs.gallery import Gallery

    if await may_leave(explorer):
        found = await explorer.app.push_screen_wait(
            Gallery(explorer.recent.files if explorer.recent is not None else [])
        )
        if found is not None:
            explorer.open_document(found)


async def new(explorer: Explorer) -> None:
    """Begins a session with an operator that is chosen."""
    from ..dialogs.choose_operator import ChooseOperator

    if await may_leave(explorer):
        kind = await explorer.app.push_screen_wait(ChooseOperator("A new session", explorer.experiment.desc.TYPE))
        if kind is not None:
            explorer.open_document(Document(Session((fresh(kind),))))


def keep(explorer: Explorer) -> None:
    """Lets a crash find what no file holds, and the next launch what was open last."""
    document = explorer.document
    if explorer.keeper is not None:
        dirty = document.dirty
        explorer.keeper.keep(Kept(document.session, document.path, document.number) if dirty else None)
    if explorer.recent is not None:
        try:
            explorer.recent.remember(document.path, document.example)
        except DmlvizError as error:
            explorer.recent = None  # once is enough
            explorer.notify(str(error), severity="warning", markup=False)


async def offer_lost(explorer: Explorer) -> None:
    """Offers each session that was left behind by an explorer that crashed, the newest first."""
    from ..dialogs.ask_lost import AskLost

    keep(explorer)
    if explorer.recent is not None and explorer.recent.first_launch:
        with contextlib.suppress(DmlvizError):
            explorer.recent.keep()
    if explorer.keeper is None:
        return
    found, said = find()
    for sentence in said:
        explorer.notify(sentence, severity="warning", markup=False, timeout=20)
    while found:
        lost = found.pop(0)
        answer = await explorer.app.push_screen_wait(AskLost(lost, len(found)))
        if answer == "discard":
            lost.discard()
            continue
        if answer == "open" and await may_leave(explorer):
            explorer.keeper.adopt(lost)
            explorer.open_document(lost.document)
        else:
            lost.later()
        break
    for each in found:
        each.later()
