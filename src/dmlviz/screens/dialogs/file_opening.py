"""What the screens read from elsewhere: files by their names, and what is said of what is imported."""

from __future__ import annotations

import os
from pathlib import Path

from ... import opening
from ...errors import SessionError, plain
from ...importers.lib.imported import Imported
from ...operators.report import Report
from ...session.document import Document

LISTED = (".json", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".onnx")
"""How the names of files end that are offered to be opened; others are opened where they are named."""
PASTED = "the text"
"""What text without a file is called in sentences."""


def path_of(name: str) -> Path:
    """The path that a name means, with `~`; no file needs to be there. Raises SessionError where none can be."""
    try:
        path = Path(name).expanduser()
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return path
    except RuntimeError:  # no such user, or nobody knows where one's folder is
        begins = plain(name.partition("/")[0])
        expected = "expected a path such as ./lesson.json"
        raise SessionError(f"{plain(name)}: no user has the folder {begins}, {expected}.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise SessionError(f"{plain(name)} can't be looked at: {reason}.") from None
    return path


def open_file(path: Path) -> Document:
    """The document in a file: a session, or what was imported, without a file yet. Raises DmlvizError."""
    file = opening.open_file(path).whole()
    doc = Document(file.session, file.path, file.seen)
    if not file.saved:
        doc.saved = None
        if any(remark.left for remark in file.remarks):
            doc.notice = f"imported {summary(Imported(file.session.experiments, file.remarks))}"
    return doc


def summary(imported: Imported) -> str:
    """How many experiments were read, and how much of the source was left, on one line."""
    count, left = len(imported.experiments), sum(remark.left for remark in imported.remarks)
    every = f"{count:,} {'experiment' if count == 1 else 'experiments'}"
    return f"{every}; {left:,} {'place was' if left == 1 else 'places were'} ignored" if left else every


def first_trouble(report: Report) -> str:
    """The first rule that is broken, or what else is to be known of a desc; "" for nothing."""
    told = [f"{cause.first.id}: {cause.message}" for cause in report.broken]
    told += [remark.message for remark in report.not_checked]
    told += [check.message for check in report.failures]
    return told[0] if told else ""
