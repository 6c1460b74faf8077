"""A way is one library's call for a desc; a peer is a module of this package that knows its library's ways.

A peer imports its library when it is imported itself and not before. Every way it knows is given; which is fastest on
a desc is found by timing them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, cast

from ...desc.base import Desc
from ...desc.values import Array
from ...errors import DmlvizError

NAMES = ("numpy", "torch", "onnxruntime")
"""The libraries, in the order in which results show them."""
TEXTBOOK = "textbook"
"""The peer that is no library: the textbook loop. It is timed where it is asked for, and is never the best peer."""
PEERS = (*NAMES, TEXTBOOK)


class Way(NamedTuple):
    """One way to the outputs of a desc."""

    name: str
    """The library's function: `take`."""
    call: Callable[[], object]
    """Computes every output; what depends on sizes alone has been prepared."""
    outputs: Callable[[], Sequence[Array]]
    """Calls it and returns the outputs, in the desc's sizes or in any with as many elements."""


class CannotExpressError(DmlvizError):
    """A library has no function for a desc; the message is the reason, in a few words."""


class Library(Protocol):
    """What a module of this package offers."""

    def version(self) -> str:
        """The library's version. Raises ImportError where it isn't installed."""

    def ways(self, desc: Desc, arrays: Sequence[Array], outs: Sequence[Array] | None) -> list[Way]:
        """Its ways to `desc` on input `arrays`: into `outs`, or into outputs that each call allocates.

        Raises CannotExpressError where it has none.
        """


def library(name: str) -> Library:
    """The peer called `name`, one of `PEERS`. Raises DmlvizError for any other."""
    if name not in PEERS:
        raise DmlvizError(f"{name!r} is no peer, expected one of {', '.join(PEERS)}.")
    return cast(Library, importlib.import_module(f"{__package__}.{name}_peer"))
