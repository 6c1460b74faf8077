"""A session and its edits, for undo and redo."""

from __future__ import annotations

from .experiments import Session, same_file


class History:
    """A session and the ones before and after it. Edits that share a `key` and follow each other count as one."""

    def __init__(self, session: Session) -> None:
        self.now = session
        self._past: list[Session] = []
        self._future: list[Session] = []
        self._key: object = None

    def edit(self, session: Session, key: object = None) -> None:
        """Makes `session` the present one, which ends what can be redone; nothing where both are written alike."""
        if same_file(session, self.now):
            return
        if key is None or key != self._key:
            self._past.append(self.now)
        self._key = key
        self._future.clear()
        self.now = session

    def pause(self) -> None:
        """Has the next edit count by itself, whatever its key."""
        self._key = None

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def undo(self) -> bool:
        """Makes the session before the last edit the present one; False if there is none."""
        return self._move(self._past, self._future)

    def redo(self) -> bool:
        """Makes the session that was undone last the present one; False if there is none."""
        return self._move(self._future, self._past)

    def _move(self, source: list[Session], target: list[Session]) -> bool:
        """Makes the last of `source` the present session, and puts that into `target`; False if `source` is empty."""
        self._key = None
        if not source:
            return False
        target.append(self.now)
        self.now = source.pop()
        return True
