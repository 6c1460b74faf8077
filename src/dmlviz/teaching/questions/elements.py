"""What is worth asking about: how well it tells wrong rules from the truth."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

SHOWN = 48
"""Elements of the outputs up to which all of them are drawn as a choice, or asked for."""


def most_telling(every: Iterable[tuple[Any, Any, Sequence[Any]]], dice: random.Random) -> Any | None:
    """Of (what is asked about, the right answer, those of wrong rules) what tells most from the truth, then apart.

    By chance among near ties; None for none.
    """
    found = [(at, [answer for answer in said if answer not in (None, truth)]) for at, truth, said in every]
    most = max((len(wrong) for _, wrong in found), default=0)
    tied = [(at, len({*wrong})) for at, wrong in found if len(wrong) == most]
    widest = max((apart for _, apart in tied), default=0)
    return dice.choice([at for at, apart in tied if apart >= widest - 1]) if tied else None
