"""What leaves an explorer in a browser tab: downloads, since the server's files are not open to it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from textual.app import App

from ..desc.npy_files import read_any_npy
from ..desc.value_sources import Npy
from ..desc.values import Array
from ..errors import ValuesError
from ..session.experiments import Session
from ..session.writing import dump
from .background_job import in_thread

NO_FILES = "This tab can't open or save the server's files: paste text instead. `dmlviz serve --files` allows files."
PATIENCE = 20.0
"""Seconds that a browser has to take a file."""


class Downloads:
    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: dict[str, asyncio.Future[bool]] = {}

    async def send(self, name: str, data: bytes, beside: Mapping[str, Array]) -> str:
        """Sends a file, or where files lie `beside` it a .zip of them all; its name, or "" if the browser took none."""
        from ..exporters.lib.writing import stem_of

        path = Path(name)
        name = f"{stem_of(path)}{path.suffix if path.suffix[1:].isalnum() and path.suffix.isascii() else ''}"
        if beside:
            name, data = f"{stem_of(name)}.zip", await in_thread(partial(packed, name, data, beside))
        key = self._app.deliver_binary(io.BytesIO(data), save_filename=name)
        if key is None:
            return ""
        self._waiting[key] = taken = asyncio.get_running_loop().create_future()
        try:
            return name if await asyncio.wait_for(taken, PATIENCE) else ""
        except TimeoutError:
            return ""
        finally:
            del self._waiting[key]

    async def send_session(self, session: Session, name: str) -> str:
        """Sends a session as a file, as `send` does, with the .npy files that it needs."""
        return await self.send(name, dump(session).encode(), await in_thread(partial(_npy_arrays, session)))

    def done(self, key: str, taken: bool) -> None:
        """Tells `send` whether the browser took the file of that `key`; nothing happens where nobody waits."""
        if (waiting := self._waiting.get(key)) is not None and not waiting.done():
            waiting.set_result(taken)


def downloads_of(app: object) -> Downloads | None:
    """The app's `Downloads`; None where the files of this machine are open to it."""
    downloads = getattr(app, "downloads", None)
    return downloads if isinstance(downloads, Downloads) else None


def packed(name: str, data: bytes, beside: Mapping[str, Array]) -> bytes:
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(name, data)
        for array_name, array in beside.items():
            with out.open(array_name, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


def _npy_arrays(session: Session) -> dict[str, Array]:
    """The arrays of the session's .npy files, by file name, without those that can't be read."""
    arrays: dict[str, Array] = {}
    for one in session.experiments:
        for path, source in one.settled().values.items():
            if isinstance(source, Npy) and source.file not in arrays:
                with suppress(ValuesError):  # one that is missing can't come along
                    arrays[source.file] = read_any_npy(source.file, path, one.folder)
    return arrays
