"""What the screens read from elsewhere: files that are opened, and what is said of what is imported."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from ... import opening
from ...importers.lib import importing
from ...importers.lib.imported import Imported
from ...operators.report import Report
from ...session.document import Document

LISTED = (".json", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".onnx")
"""How the names of files end that are offered to be opened; others are opened where they are named."""
PASTED = "the text"
"""What text without a file is called in sentences."""


class Opened(Struct, frozen=True):
    """A document, and what was found where that was no session file."""

    document: Document
    imported: Imported | None = None


def is_known(text: str) -> bool:
    """True if `text` looks like something that an importer can read. Quick."""
    return importing.is_known(text.encode(errors="replace"), PASTED)


def open_file(path: Path) -> Opened:
    """The document in a file: a session, or what was imported, without a file yet. Raises DmlvizError."""
    file = opening.open_file(path)
    if file.errors:
        raise file.errors[0]
    doc = Document(file.session, file.path, file.seen)
    if file.path is not None:
        return Opened(doc)
    doc.saved = None
    return Opened(doc, Imported(file.session.experiments, file.remarks))


def summary(imported: Imported) -> str:
    """How many experiments were read, and how much of the source was left, on one line."""
    count, left = len(imported.experiments), sum(remark.left for remark in imported.remarks)
    every = f"{count:,} {'experiment' if count == 1 else 'experiments'}"
    return f"{every}; {left:,} {'place was' if left == 1 else 'places were'} ignored" if left else every


def importable() -> str:
    """What the importers can read, as a list for a sentence."""
    return importing.formats()


def first_trouble(report: Report) -> str:
    """The first rule that is broken, or what else is to be known of a desc; "" for nothing."""
    told = [f"{cause.first.id}: {cause.message}" for cause in report.broken]
    told += [remark.message for remark in report.not_checked]
    told += [check.message for check in report.failures]
    return told[0] if told else ""
