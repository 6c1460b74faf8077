"""A session that is being edited: which experiment is looked at, which file it came from, what no file holds yet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import SessionError
from .experiments import Experiment, Session, same_entry, same_file
from .views import View, ViewEntry
from .whole_files import digest_of
from .wire_edits import edited, free_name, renamed, without
from .writing import save


class Document:
    """A session with its history, `past` and `future`, its file and the number of the experiment that is looked at.

    `saved` is what the file holds; None where there is no such file, which makes every session an unsaved one. `seen`
    is a digest of what the file held when it was read or written last; None where that isn't known.
    """

    def __init__(
        self, session: Session, path: Path | None = None, seen: str | None = None, *, example: str | None = None
    ) -> None:
        whole = session.whole  # what was taken out of its session brings what it reads
        self.number = len(whole) - len(session.experiments)
        if len({one.view for one in whole}) < len(whole):
            whole = tuple(replace(one, view=ViewEntry(one.view.written)) for one in whole)
        self.session = replace(session, experiments=whole)
        self.past: list[Session] = []
        self.future: list[Session] = []
        self._key: object = None
        self.seen = seen
        self.saved: Session | None = session
        self.views: dict[ViewEntry, View] = {}
        """How experiments are looked at now, where that isn't as their file says; it is no edit."""
        self.path = path
        self.example = example
        """The example that it was, for as long as it has no file."""
        self.notice = ""
        self.is_offered = False
        """True for an example that nobody asked for."""

    @property
    def experiment(self) -> Experiment:
        return self.session.experiments[self.number]

    def viewed(self) -> Session:
        """The session with the way that experiments are looked at now: what a file of it would hold."""
        if not self.views:
            return self.session
        return replace(self.session, experiments=tuple(map(self._with_live_view, self.session.experiments)))

    def _with_live_view(self, one: Experiment) -> Experiment:
        view = self.views.get(one.view)
        return one if view is None else replace(one, view=one.view.holding(view))

    @property
    def dirty(self) -> bool:
        """True if the session has changes that no file holds."""
        return self.saved is None or not same_file(self.session, self.saved)

    def changed_on_disk(self) -> bool:
        """True if somebody else has written the document's file since it was read or saved."""
        now = digest_of(self.path) if self.path is not None else None
        return None not in (now, self.seen) and now != self.seen

    def save(self, path: Path) -> None:
        """Writes the session to `path`, its file from now on. Raises SessionError where that can't be done."""
        save(self.viewed(), path)
        self.path = path
        self.saved = self.session
        self.seen = digest_of(path)
        self.pause()

    # ---- experiments: every change is one that can be undone

    def edit(self, one: Experiment, key: object = None) -> None:
        """Replaces the experiment that is looked at, but for its view; edits of one key in a row undo as one."""
        one = one.with_lists_nested()
        view = self.experiment.view
        one = one if one.view is view else replace(one, view=view)
        self.edit_session(edited(self.session, self.number, one), key)

    def go(self, number: int) -> None:
        """Looks at another experiment; behind the last comes the first."""
        self.pause()
        self.number = number % len(self.session.experiments)

    def add(self, *every: Experiment) -> None:
        """Puts experiments behind the present one, as one edit, each under a name of its own; looks at the first."""
        items = self.session.experiments
        after = self.number + 1
        made = list[Experiment]()
        taken = {one.name for one in items}
        for one in every:
            name = free_name(one.name, taken)
            taken.add(name)
            made.append(replace(one, name=name, view=ViewEntry(one.view.written)))
        names = [one.name for one in every]
        once = {old: new.name for old, new in zip(names, made, strict=True) if names.count(old) == 1}
        self.rewrite(replace(self.session, experiments=(*items[:after], *renamed(made, once), *items[after:])), after)

    def duplicate(self) -> None:
        one = self._with_live_view(self.experiment)
        if isinstance(task := one.extra.get("task"), dict):  # its id stays with the experiment that is copied
            one = replace(one, extra={**one.extra, "task": {key: task[key] for key in task if key != "id"}})
        self.add(one)

    def delete(self) -> None:
        """Takes the experiment out; what reads it is filled by default. Raises SessionError for the only one."""
        items = self.session.experiments
        if len(items) == 1:
            raise SessionError("this is the session's only experiment, expected another that stays.")
        self.rewrite(without(self.session, self.number), min(self.number, len(items) - 2))

    def move(self, by: int) -> None:
        """Moves the experiment `by` places down the list, or up it; it stops at the ends."""
        items = list(self.session.experiments)
        to = min(max(self.number + by, 0), len(items) - 1)
        items.insert(to, items.pop(self.number))
        self.rewrite(replace(self.session, experiments=tuple(items)), to)

    def rename(self, name: str) -> None:
        self.edit(replace(self.experiment, name=name))  # with what names it in wires
        self.pause()

    def rewrite(self, session: Session, number: int | None = None) -> None:
        """Replaces the session as an edit of its own, and looks at experiment `number`, where one is given."""
        self.edit_session(session)
        self.pause()
        self.number = self.number if number is None else number

    # ---- history

    def edit_session(self, session: Session, key: object = None) -> None:
        """Makes `session` the present one, as `edit`; nothing can be redone then. One that is written alike is none."""
        if same_file(session, self.session):
            return
        if key is None or key != self._key:
            self.past.append(self.session)
        self._key = key
        self.future.clear()
        self.session = session

    def pause(self) -> None:
        self._key = None

    def undo(self) -> bool:
        """Takes the last edit back, and looks at what it changed; False if there is none."""
        return self._move(self.past, self.future)

    def redo(self) -> bool:
        """Makes the edit again that was taken back last, and looks at what it changed; False if there is none."""
        return self._move(self.future, self.past)

    def _move(self, source: list[Session], target: list[Session]) -> bool:
        self._key = None
        if not source:
            return False
        before = self.session
        self.session = source.pop()
        target.append(before)
        self.number = _changed_number(before, self.session, self.number)
        return True


def _changed_number(before: Session, after: Session, number: int) -> int:
    """The experiment to look at after `before` became `after`: the one that was edited, or that came or went."""
    was, now = ([one.view for one in each.experiments] for each in (before, after))  # edits keep them
    if was != now:
        seen = {*was} ^ {*now} or {was[number]}  # where none came or went, they changed places
        longer = max(now, was, key=len)
        return min(next(i for i, view in enumerate(longer) if view in seen), len(now) - 1)
    pairs = [*zip(before.experiments, after.experiments, strict=True)]
    differ = [i for i, pair in enumerate(pairs) if not same_entry(*pair)]  # its readers do, too
    views = {now[i] for i in differ}
    first = [i for i in differ if views.isdisjoint(s.view for one in pairs[i] for s in one.stages[:-1])]
    return [*first, *differ, number][0]
