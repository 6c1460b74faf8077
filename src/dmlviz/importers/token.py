"""A shared token, `dml1:...`: one experiment as a line of text."""

from __future__ import annotations

from pathlib import Path

from ..session.tokens import MOST_TEXT, TokenError, experiments_of, is_token
from .lib.found import Item, own_items
from .lib.imported import ImportFailedError

TITLE = "a shared token"
ORDER = 0


def knows(data: bytes, name: str) -> bool:
    """True if the text begins as a token of any version does."""
    return is_token(data[:256].lstrip(b"\xef\xbb\xbf \t\r\n").decode("utf-8", "replace"))


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """The experiment of the token. Raises ImportFailedError for one that is cut, damaged or newer."""
    if len(data) > 4 * MOST_TEXT:
        raise ImportFailedError(
            f"{name} has {len(data):,} bytes, expected a token of at most {MOST_TEXT:,} characters."
        )
    try:
        return [*own_items(experiments_of(data.decode("utf-8-sig", "replace")))]
    except TokenError as error:
        raise ImportFailedError(f"{name}: {error}") from None
