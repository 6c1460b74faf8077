"""The errors a caller can meet. Each message is one sentence: the field, what was found, what was expected."""

from __future__ import annotations

import json
import re
import sys
from typing import Any


class DmlvizError(ValueError):
    """Anything dmlviz refuses, a ValueError too; the message is one sentence that a user can act on."""


class InvalidDescError(DmlvizError):
    """The desc breaks a rule, so it can't be run."""

    def __init__(self, message: str, report: Any = None) -> None:
        """`report` is the report, or a function that makes it: of a large desc its fixes may take seconds."""
        super().__init__(message)
        self._report = report

    @property
    def report(self) -> Any:
        """Every check of the desc and the fixes, as `dmlviz.check` makes them; None where nothing is known."""
        if callable(self._report):
            self._report = self._report()
        return self._report

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.report)


class SessionError(DmlvizError):
    """A file can't be read as a session, or can't be written."""

    experiment: int | None = None
    """The number, from 0 and in its file, of the experiment that can't be read; None for the file as a whole."""


class TakenOutError(DmlvizError):
    """An operator was taken out; the sentence says what there is instead."""


class EmptyFileError(SessionError):
    """A file holds nothing at all."""


class ValuesError(DmlvizError):
    """Values, or an array, don't fit the tensor they are meant for."""


class TaskError(DmlvizError):
    """A task or a lesson in a session is not as it should be, or can't be asked."""


class ResourceError(DmlvizError):
    """The machine lacks the memory for what was asked."""


class FaultError(Exception):
    """A fault of dmlviz's own, its cause, has ended the explorer; the text, if any, says what becomes of its work."""


def reason_of(error: BaseException) -> str:
    """Why a file can't be written, as the end of a sentence; "not a file name" for what is no OSError."""
    if isinstance(error, OSError):
        return plain(error.strerror or str(error) or "the disk may be full")  # NumPy tells how much it could write
    return "not a file name"


def quote(subject: object, limit: int = 60) -> str:
    """`subject` as JSON would print it, on one line, cut to about `limit` characters: safe inside a sentence."""
    try:
        # Floats by themselves: a number beyond every float still tells how it was written.
        text = str(subject) if isinstance(subject, float) else json.dumps(subject, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(subject).__name__)
    # Control characters and lone surrogates would break the line or the terminal, so they are shown as escapes.
    text = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)
    return cut(text, limit)


def cut(text: str, most: int) -> str:
    """`text`, or as much of it as makes `most` characters with the ellipsis behind."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plain(text: str, limit: int = 200) -> str:
    """`text` without quotes around it, on one line, cut to about `limit` characters; its own quotes are as they are."""
    return cut(text if text.isprintable() else re.sub(r'\\(["\\])', r"\1", quote(text, sys.maxsize)[1:-1]), limit + 1)
