"""The libraries that the kernels are held against, each a module with `version` and `ways`; see `timing.peers.ways`.

A module imports its library when it is imported itself, and not before.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Protocol, cast

from dmlviz.desc.base import Desc
from dmlviz.desc.values import Array
from dmlviz.timing.peers.ways import Way

NAMES = ("numpy", "torch", "onnxruntime")
"""The libraries, in the order in which results show them."""
TEXTBOOK = "textbook"
"""The peer that is no library: the textbook loop. It is timed where it is asked for, and is never the best peer."""
PEERS = (*NAMES, TEXTBOOK)
_MODULES = {
    "numpy": "dmlviz.timing.peers.numpy_peer",
    "torch": "grid.peers.torch_peer",
    "onnxruntime": "grid.peers.onnxruntime_peer",
    TEXTBOOK: "dmlviz.timing.peers.textbook_peer",
}


class Library(Protocol):
    """What a module of a library offers."""

    def version(self) -> str:
        """The library's version. Raises ImportError where it isn't installed."""

    def ways(self, desc: Desc, arrays: Sequence[Array], outs: Sequence[Array] | None) -> list[Way]:
        """Its ways to `desc` on input `arrays`: into `outs`, or into outputs that each call allocates.

        Raises CannotExpressError where it has none.
        """


def library(name: str) -> Library:
    """The module of one of `PEERS`. Raises ImportError where its library isn't installed."""
    return cast(Library, importlib.import_module(_MODULES[name]))
