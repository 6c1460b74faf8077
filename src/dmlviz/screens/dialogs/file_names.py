"""Names of files as people type them."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import SessionError, plain


def path_of(name: str) -> Path:
    """The path that a name means, with `~`; no file needs to be there. Raises SessionError where none can be."""
    try:
        path = Path(name).expanduser()
    except RuntimeError:  # no such user, or nobody knows where one's folder is
        begins = plain(name.partition("/")[0])
        raise SessionError(
            f"{plain(name)}: {begins} is nobody's folder, expected a path such as ./lesson.json."
        ) from None
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise SessionError(f"{plain(name)} can't be looked at: {reason}.") from None
    return path
