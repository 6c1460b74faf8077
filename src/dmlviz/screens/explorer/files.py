"""Opening, saving, importing and leaving: the questions that keep a session from being lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from textual.screen import Screen

from ...errors import DmlvizError, plain
from ...session.course import Card
from ...session.document import Document
from ...session.experiments import Session
from ...session.new_experiments import begun
from ...session.recovery import find
from ...workspace.explorer.workspace import Workspace
from ..downloads import Downloads, downloads_of

Answer = TypeVar("Answer")


class Files:
    """What a screen does with files: each method asks by dialogs over it, and tells by it."""

    def __init__(self, screen: Screen[Any], workspace: Workspace) -> None:
        self._screen, self._workspace = screen, workspace
        self._tell = screen.notify

    async def _ask(self, dialog: Screen[Answer]) -> Answer | None:
        return await self._screen.app.push_screen_wait(dialog)

    async def save(self) -> bool:
        return await self._save(self._workspace.document.path)

    async def save_as(self) -> None:
        await self._save(None)

    async def _save(self, path: Path | None) -> bool:
        """Saves to `path`, to a file that is asked for, or to a download; True if the session is in a file then."""
        if (downloads := downloads_of(self._screen.app)) is not None:
            return await self._download(downloads)
        from ..dialogs.asking import AskName, AskReplace

        doc = self._workspace.document
        while True:
            is_changed = path is not None and path == doc.path and doc.changed_on_disk()
            said = f"Somebody else has changed {plain(str(path))} since it was read."
            if is_changed and await self._ask(AskReplace(said)) is None:
                return False
            if path is None:
                path = await self._ask(AskName("Save as", str(doc.path or "session.json")))
                if path is None:
                    return False
                said = f"{plain(str(path))} is there already."
                if path.exists() and path != doc.path and not await self._ask(AskReplace(said)):
                    path = None
                    continue
            try:
                self._workspace.save(path)
            except DmlvizError as error:
                self._tell(str(error), severity="error", markup=False)
                path = None
                continue
            self._tell(f"saved to {plain(str(path))}", markup=False)
            return True

    async def _download(self, downloads: Downloads) -> bool:
        doc, session = self._workspace.document, self._workspace.document.session
        file = doc.path.name if doc.path is not None else "session.json"
        name = await downloads.send_session(doc.viewed(), file)
        if not name:
            text = "The browser didn't take the session's file, expected it to be saved."
            self._tell(text, severity="error", markup=False)
            return False
        doc.saved = session
        doc.pause()
        self._workspace.words_changed()
        self._tell(f"your browser has {name}", markup=False)
        return True

    async def may_leave(self) -> bool:
        """True if nothing would be lost: asks where there are unsaved changes."""
        from ..dialogs.asking import AskUnsaved

        if not self._workspace.document.dirty:
            return True
        answer = await self._ask(AskUnsaved())
        if answer == "save":
            return await self.save()
        return answer == "discard"

    async def open_another(self) -> None:
        """Opens what is chosen in the gallery, unless unsaved changes are to be kept; or adds an example."""
        from ..dialogs.gallery import Gallery

        workspace = self._workspace
        recent = workspace.recent.files if workspace.recent is not None else []
        chosen = await self._ask(Gallery(recent, files=downloads_of(self._screen.app) is None))
        if isinstance(chosen, Card):
            workspace.add_experiments(chosen.example.session().experiments)
            self._tell(f"added {plain(chosen.title)}. Undo takes it back.", markup=False)
        elif chosen is not None and await self.may_leave():
            workspace.open(chosen)
            if chosen.notice:
                self._tell(chosen.notice, markup=False)

    async def new(self) -> None:
        from ..dialogs.choose import ChooseOperator

        kind = await self._ask(ChooseOperator("A new session", self._workspace.experiment.desc.TYPE))
        if kind is not None and await self.may_leave():
            self._workspace.open(Document(Session((begun(kind),))))

    async def take_import(self) -> None:
        """Adds what is imported to the session, or opens it as its own; what isn't taken is there the next time."""
        from ..dialogs.file_opening import summary
        from ..dialogs.import_dialog import ImportDialog

        workspace = self._workspace
        dialog = ImportDialog(workspace.pasted)
        taken = await self._ask(dialog)
        workspace.pasted = dialog.text
        if taken is None:
            return
        imported, opens = taken
        doc = workspace.document
        opens = opens or (doc.is_offered and doc.path is None and not doc.past)  # an example that nobody asked for
        if opens and not await self.may_leave():
            return
        workspace.pasted = ""
        if opens:
            doc = Document(Session(imported.experiments))
            doc.saved = None  # no file holds it yet
            workspace.open(doc)
        else:
            workspace.add_experiments(imported.experiments)
            self._tell(f"added {summary(imported)}. Undo takes it back.", markup=False)

    async def offer_lost(self) -> None:
        """Offers sessions that a crashed explorer left behind, the newest first; keeps the open one before."""
        from ..dialogs.asking import AskLost

        workspace = self._workspace
        workspace.keep()
        if workspace.keeper is None:
            return
        left, said = find()
        for sentence in said:
            self._tell(sentence, severity="warning", markup=False, timeout=20)
        while left:
            lost = left.pop(0)
            answer = await self._ask(AskLost(lost, len(left)))
            if answer == "discard":
                lost.kept.remove()
                continue
            if answer == "open" and await self.may_leave():
                workspace.keeper.adopt(lost)
                workspace.open(lost.document)
            break
