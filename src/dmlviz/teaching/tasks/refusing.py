"""How what an author wrote is refused: in one sentence that names the member of the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import DmlvizError, TaskError, quote


def refused(field: str, value: object, expected: str) -> TaskError:
    """The error for a member of a file: what it holds, and what was expected."""
    return TaskError(f"{field} is {quote(value)}, expected {expected}.")


@contextmanager
def errors_naming(field: str) -> Iterator[None]:
    """Turns any DmlvizError inside into a TaskError that names `field`."""
    try:
        yield
    except TaskError:
        raise
    except DmlvizError as error:
        raise TaskError(f"{field}: {error}") from None
