"""Opening, saving, importing and leaving: the questions that keep a session from being lost."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from textual.screen import Screen

from ...errors import DmlvizError, plain
from ...session.document import Document
from ...session.experiments import Session
from ...session.new_experiments import fresh
from ...session.recent_files import FIRST
from ...session.recovery import find
from ...workspace.workspace import Workspace
from ..downloads import Downloads

if TYPE_CHECKING:
    from ..dialogs.import_dialog import Held

Result = TypeVar("Result")
Severity = Literal["information", "warning", "error"]


class Ask(Protocol):
    """Shows a dialog, and gives its result once it is closed."""

    def __call__(self, screen: Screen[Result], /) -> Awaitable[Result | None]: ...


class Tell(Protocol):
    """Shows a sentence for some seconds."""

    def __call__(
        self, message: str, /, *, severity: Severity = ..., timeout: float | None = ..., markup: bool = ...
    ) -> None: ...


async def save(
    workspace: Workspace, path: Path | None, ask: Ask, tell: Tell, downloads: Downloads | None = None
) -> bool:
    """Saves to `path`, or to a file that is asked for, or to a download; True if the session is in a file then."""
    if downloads is not None:
        return await _download(workspace, downloads, tell)
    from ..dialogs.ask_changed import AskChanged
    from ..dialogs.ask_name import AskName
    from ..dialogs.ask_replace import AskReplace

    document = workspace.document
    while True:
        if path is not None and path == document.path and document.changed_on_disk():
            answer = await ask(AskChanged(str(path), document.difference_on_disk()))
            if answer is None:
                return False
            if answer == "both":
                path = free_path(path)
        if path is None:
            name = await ask(AskName("Save as", str(document.path or "session.json")))
            if name is None:
                return False
            path = Path(name).expanduser()
            if path.exists() and path != document.path and not await ask(AskReplace(name)):
                path = None
                continue
        try:
            workspace.save(path)
        except DmlvizError as error:
            tell(str(error), severity="error", markup=False)
            path = None
            continue
        tell(f"saved to {plain(str(path))}", markup=False)
        return True


def free_path(path: Path) -> Path:
    """A path beside `path` that no file has: `lesson 2.json`."""
    return next(
        found for n in itertools.count(2) if not (found := path.with_name(f"{path.stem} {n}{path.suffix}")).exists()
    )


async def _download(workspace: Workspace, downloads: Downloads, tell: Tell) -> bool:
    document, session = workspace.document, workspace.document.session
    name = await downloads.send_session(
        document.viewed(), document.path.name if document.path is not None else "session.json"
    )
    if not name:
        tell("The browser didn't take the session's file, expected it to be saved.", severity="error", markup=False)
        return False
    document.saved = session
    document.history.pause()
    workspace.words_changed()
    tell(f"your browser has {name}", markup=False)
    return True


async def may_leave(workspace: Workspace, ask: Ask, tell: Tell, downloads: Downloads | None = None) -> bool:
    """True if nothing would be lost: asks where there are unsaved changes."""
    from ..dialogs.ask_unsaved import AskUnsaved

    if not workspace.document.dirty:
        return True
    answer = await ask(AskUnsaved())
    if answer == "save":
        return await save(workspace, workspace.document.path, ask, tell, downloads)
    return answer == "discard"


async def open_another(workspace: Workspace, ask: Ask, tell: Tell, downloads: Downloads | None = None) -> None:
    """Opens what is chosen in the gallery, which stays where unsaved changes are to be kept; or adds an example."""
    from ..dialogs.gallery import Added, Gallery

    def leave() -> Awaitable[bool]:
        return may_leave(workspace, ask, tell, downloads)

    recent = workspace.recent.files if workspace.recent is not None else []
    leaves = leave if workspace.document.dirty else None
    found = await ask(Gallery(recent, leaves, files=downloads is None, opened=workspace.opened_examples))
    if isinstance(found, Added):
        workspace.add_example(found.card.name, found.experiments)
        tell(f"added {plain(found.card.title)}. Undo takes it back.", markup=False)
    elif found is not None:
        workspace.open(found)


async def new(workspace: Workspace, ask: Ask, tell: Tell, downloads: Downloads | None = None) -> None:
    """Begins a session with an operator that is chosen; asks again where unsaved changes are to be kept."""
    from ..dialogs.choose_operator import ChooseOperator

    kind: str | None = workspace.experiment.desc.TYPE
    while kind is not None:
        kind = await ask(ChooseOperator("A new session", kind))
        if kind is not None and await may_leave(workspace, ask, tell, downloads):
            workspace.open(Document(Session((fresh(kind),))))
            return


async def take_import(
    workspace: Workspace, ask: Ask, tell: Tell, downloads: Downloads | None = None, file: Held | None = None
) -> None:
    """Adds what is imported to the session, or opens it as one of its own; what isn't taken is there the next time.

    It begins with `file`, where there is one, and otherwise with what was pasted.
    """
    from ..dialogs.file_opening import summary
    from ..dialogs.import_dialog import ImportDialog

    found = await ask(ImportDialog(workspace.pasted, lambda: may_leave(workspace, ask, tell, downloads), file))
    if found is None:
        return
    workspace.pasted = "" if found.imported is not None else found.text
    if found.imported is None:
        return
    if found.opens:
        document = Document(Session(found.imported.experiments))
        document.saved = None  # no file holds it yet
        workspace.open(document)
        tell(f"opened {summary(found.imported)}", markup=False)
    else:
        workspace.add_experiments(found.imported.experiments)
        tell(f"added {summary(found.imported)}. Undo takes it back.", markup=False)


async def offer_lost(workspace: Workspace, ask: Ask, tell: Tell) -> None:
    """Offers each session that was left behind by an explorer that crashed, the newest first."""
    from ..dialogs.ask_lost import AskLost

    workspace.keep()
    example = workspace.document.example
    is_default = workspace.recent is not None and workspace.recent.first_launch and example == FIRST
    if example is not None and not is_default:  # what the first launch shows by itself, nobody chose
        workspace.mark_opened(example)
    if workspace.recent is not None and workspace.recent.first_launch:
        with contextlib.suppress(DmlvizError):
            workspace.recent.keep()
    if workspace.keeper is None:
        return
    found, sentences = find()
    for sentence in sentences:
        tell(sentence, severity="warning", markup=False, timeout=20)
    while found:
        lost = found.pop(0)
        answer = await ask(AskLost(lost, len(found)))
        if answer == "discard":
            lost.discard()
            continue
        if answer == "open" and await may_leave(workspace, ask, tell):
            workspace.keeper.adopt(lost)
            workspace.open(lost.document)
        else:
            lost.later()
        break
    for each in found:
        each.later()
