"""Reports in Markdown that hold sessions in blocks of code, as `dmlviz export --to markdown` writes them.

They may be quoted as a reply quotes them, stand in the middle of other text, and come with any line ends.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

from ..desc.npy_files import locate
from ..errors import DmlvizError, SessionError, ValuesError, plain
from ..formats.json_text import parse_json
from ..session.experiments import Experiment, Session
from ..session.places import session_places
from ..session.reading import parse
from .lib.imported import Imported, ImportFailedError, Remark
from .lib.pasted_text import as_text, fenced_blocks
from .lib.text_places import Read, moved

TITLE = "a report in Markdown"
ORDER = 20
MOST_FILES = 4096
"""Files of one field that are looked for."""

_BLOCK = re.compile(rb"(?:\A|[\r\n])[ \t>]*+(?:`{3,}+|~{3,}+)[^`\r\n]*+[\r\n]++[ \t>]*+\{")


def knows(data: bytes, name: str) -> bool:
    """True for text with a block of code that begins as an object does, and dmlviz's word anywhere."""
    return b'"dmlviz"' in data and _BLOCK.search(data) is not None


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """Experiments of all sessions in blocks of code; .npy files lie in `folder`. Raises ImportFailedError for none."""
    remarks: list[Remark] = []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8-sig", "replace")
        remarks.append(Remark(name, False, f"byte {error.start:,} and maybe others are not UTF-8, and are replaced."))
    experiments: list[Experiment] = []
    read: list[Read] = []
    for block in fenced_blocks(text):
        if not block.text.lstrip().startswith("{") or '"dmlviz"' not in block.text:
            continue
        where = f"line {block.line:,}"
        try:
            session, errors = _session(block.text, where, folder, remarks)
        except DmlvizError as error:
            remarks.append(Remark(where, False, str(error).removeprefix(f"{where}: ")))
            continue
        locate = partial(session_places, block.text.encode(errors="replace"), session, errors)
        read.append(Read(len(experiments), block.line, block.text, locate))
        experiments += session.experiments
        remarks += [Remark(where, True, experiment.desc.TYPE) for experiment in session.experiments]
        remarks += [Remark(where, False, str(error).removeprefix(f"{where}: ")) for error in errors]
    if not experiments:
        wrong = next((remark for remark in remarks if remark.where != name), None)
        why = f"{wrong.where}: {wrong.text}" if wrong else "expected a block of code that holds a dmlviz session."
        raise ImportFailedError(f"{name} has no session that can be read; {why}")
    return Imported(tuple(experiments), tuple(remarks), partial(moved, read, as_text(data) or ""))


def _session(text: str, where: str, folder: Path | None, remarks: list[Remark]) -> tuple[Session, list[SessionError]]:
    """The session in a block, and what could not be read; values in missing .npy files are left out, with a remark."""
    session, errors = parse(text.encode(errors="replace"), where, folder)
    if not errors or '"npy"' not in text:
        return session, errors
    document: Any = parse_json(text)
    for experiment in document["experiments"]:
        values = experiment.get("values") if isinstance(experiment, dict) else None
        if not isinstance(values, dict):
            continue
        for key, value in list(values.items()):
            several = value if isinstance(value, list) else [value]
            if len(several) > MOST_FILES:
                continue
            missing = [_is_missing(one, folder) for one in several]
            gone = (one["npy"] for one, is_gone in zip(several, missing, strict=True) if is_gone)
            remarks += [Remark(where, False, f"{plain(key, 40)}: {plain(file)} is missing.") for file in gone]
            if isinstance(value, list):
                values[key] = [None if is_gone else one for one, is_gone in zip(several, missing, strict=True)]
            elif missing[0]:
                del values[key]
    return parse(json.dumps(document).encode(), where, folder)


def _is_missing(entry: object, folder: Path | None) -> bool:
    """True for values in an .npy file that isn't there; False for any other values."""
    file = entry.get("npy") if isinstance(entry, dict) else None
    try:
        return isinstance(file, str) and not locate(file, "npy", folder).exists()
    except (ValuesError, OSError):
        return False
