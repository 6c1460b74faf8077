"""Where the fields of a session's experiments stand in its file."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..errors import SessionError
from ..formats.json_places import Places, json_places
from .experiments import Session


def session_places(data: bytes, session: Session, errors: Sequence[SessionError]) -> Places:
    """The places in the session file that `data` is, whose session is `session`; `errors` say what can't be read."""
    lost = {*session.told, *(error.experiment for error in errors)}
    taken = (i for i in itertools.count() if i not in lost)
    roots = {k: f"/experiments/{i}" for k, i in enumerate(itertools.islice(taken, len(session.experiments)))}
    roots |= {-1 - k: f"/experiments/{e.experiment}" for k, e in enumerate(errors) if e.experiment is not None}
    found = json_places(data.decode("utf-8-sig"))
    return {k: found[root] for k, root in roots.items()}
