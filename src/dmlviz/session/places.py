"""Where the fields of a session's experiments stand in its file."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..errors import SessionError
from ..formats.json_places import JsonPlaces, Places


def session_places(data: bytes, count: int, errors: Sequence[SessionError]) -> Places:
    """The places in the session file that `data` is, of which `count` experiments could be read, and these not."""
    lost = {error.experiment for error in errors}
    taken = (i for i in itertools.count() if i not in lost)
    roots = {k: f"/experiments/{i}" for k, i in enumerate(itertools.islice(taken, count))}
    roots |= {-1 - k: f"/experiments/{e.experiment}" for k, e in enumerate(errors) if e.experiment is not None}
    return JsonPlaces(data.decode("utf-8-sig", "replace")).fields(roots)
