"""Pictures of the screen, as files."""

from __future__ import annotations

from pathlib import Path

from ..errors import SessionError, plain, reason_of
from ..session.whole_files import write_whole


def folder_for_pictures() -> Path:
    """The user's folder for downloads, or the current one where nobody knows the user's own; it needn't be there."""
    from platformdirs import user_downloads_path

    try:
        folder = user_downloads_path()
    except RuntimeError:
        return Path.cwd()
    return folder if folder.is_absolute() else Path.cwd()


def keep_picture(svg: str, name: str, folder: Path) -> Path:
    """Writes a picture into a folder, which is made where it is missing. Raises SessionError with one sentence."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, svg.encode())
    except (OSError, ValueError) as error:
        raise SessionError(f"{plain(str(path))} can't be written: {reason_of(error)}.") from None
    return path
