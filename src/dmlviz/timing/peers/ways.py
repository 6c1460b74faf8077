"""A way is one library's call for a desc. A peer is a module of this package that knows its library's ways.

It gives every way that it knows; which is fastest on a desc is found by timing them. `ways(desc, arrays, outs)` makes
ways on input `arrays`: into `outs`, or into outputs that each call allocates where these are None. It raises
CannotExpressError where it has none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...desc.values import Array
from ...errors import DmlvizError


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
