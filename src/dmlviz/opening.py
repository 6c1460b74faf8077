"""What a word on a command line names: a file, an example, standard input, a token, or what can be imported."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from .errors import SessionError, plain
from .session import examples, reading
from .session.examples import Example
from .session.experiments import Session
from .session.tokens import experiments_of, is_token
from .session.whole_files import digest

if TYPE_CHECKING:
    from .formats.json_places import Places
    from .importers.lib.imported import Remark

NEAR = 0.75
"""How like an example's name a word is that was meant for it, as difflib has it: `join1`, `Join-1`, `gather-2.json`."""
Dims = Mapping[str, int] | None
"""Sizes for the free dimensions of a model, by name."""


class Found(Struct, frozen=True):
    """A session, and how it was come by."""

    session: Session
    shown: str
    """What it was read from, as sentences call it."""
    path: Path | None = None
    """The session's own file; None where no file holds it as it is."""
    errors: tuple[SessionError, ...] = ()
    """One for each experiment of a session file that can't be read."""
    remarks: tuple[Remark, ...] = ()
    """What was made of each place of a source that was imported."""
    seen: str | None = None
    """A digest of what its file held."""
    saved: bool = True
    """False if no session file holds it: it came out of a token, or was imported."""
    example: str | None = None
    """The name of the example that it is."""
    locate: Callable[[], Places] = dict
    """Finds where the fields of the experiments, and of what `errors` are about, stand; anew each time."""

    def whole(self) -> Found:
        """Itself. Raises the first of its errors where not all can be read."""
        if self.errors:
            raise self.errors[0]
        return self


def find(word: str, **how: Any) -> Found:
    """The session that a word names; `-` is standard input. Raises DmlvizError, with one sentence, where it is none.

    What is on the disk comes before an example of that name. For `how` see `open_file`.
    """
    if is_token(word):
        return _own(Found(Session(experiments_of(word)), "the token", saved=False), how.get("dims"))
    if word == "-":
        return _session_in(sys.stdin.buffer.read(), "standard input", Path.cwd(), None, **how)
    if (example := example_of(word)) is not None:
        return _own(Found(example.session(), f"the example {word}", example=word), how.get("dims"))
    return open_file(Path(word), **how)


def _own(found: Found, dims: Dims) -> Found:
    """What was found, a session. Raises DmlvizError if there are `dims`, as it leaves no dimension free."""
    if dims:
        from .importers.lib import importing

        raise importing.no_free_dims(found.shown, "a session")
    return found


def example_of(word: str) -> Example | None:
    """The example that a word names, unless a file is called so. Raises SessionError for nearly one's name."""
    if os.path.lexists(word) or os.sep in word or "/" in word:
        return None
    known = examples.by_name()
    if word not in known and (near := difflib.get_close_matches(word.lower().removesuffix(".json"), known, 1, NEAR)):
        raise SessionError(f"{plain(word)}: no such file, and no example; did you mean the example {near[0]}?")
    return known.get(word)


def open_file(path: str | os.PathLike[str], **how: Any) -> Found:
    """The session in a file, or what can be imported from it. Raises DmlvizError, with one sentence, for neither.

    The sentence says what can be read, but of JSON what is wrong with it as a session, unless by `imports`. `dims` are
    sizes for the dimensions that a model leaves free; DmlvizError is raised for what has none.
    """
    return _session_in(*reading.read_file(path), Path(path), **how)


def _session_in(
    data: bytes, shown: str, folder: Path, path: Path | None, *, imports: bool = False, dims: Dims = None
) -> Found:
    """What `open_file` opens, of its bytes."""
    seen = digest(data)
    try:
        session, errors = reading.parse(data, shown, folder)
    except SessionError as error:
        no_session = error
    else:
        from .session.places import session_places

        locate = partial(session_places, data, session, errors)
        return _own(Found(session, shown, path, tuple(errors), seen=seen, locate=locate), dims)
    from .importers.lib import importing  # most files are sessions, which need none of it
    from .importers.lib.pasted_text import in_utf8

    source = importing.source_of(data, shown)
    if source is None and (text := in_utf8(data)) != data:
        return replace(_session_in(text, shown, folder, path, imports=imports, dims=dims), seen=seen)
    is_json = shown.lower().endswith(".json") or data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"", b"{", b"[")
    if getattr(source, "__name__", "").endswith(".session") or (source is None and not imports and is_json):
        raise no_session
    imported = importing.read(data, shown, folder, dims)
    session = Session(imported.experiments, plain(path.name) if path is not None else "", folder)
    return Found(session, shown, remarks=imported.remarks, saved=False, locate=imported.locate)
