"""Misconceptions as `dmlviz rule` explains them: what is believed, what holds instead, and an example that tells."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import Any

from ..errors import DmlvizError
from ..operators.registry import operator_of, operators
from ..operators.wrong_rules import Misreading
from ..session import examples
from ..session.experiments import Experiment


@cache
def misconceptions() -> dict[str, Misreading[Any]]:
    """Every wrong rule about an operator by its id; several operators may have it."""
    every = {rule.id: rule for one in operators().values() for rule in reversed(one.misreadings())}
    return dict(sorted(every.items(), key=lambda known: (known[0][0], len(known[0]), known[0])))


def named(word: str) -> str:
    """The id that a word is, in any case; "" for no misconception."""
    return next((id_ for id_ in misconceptions() if id_.lower() == word.lower()), "")


def listed() -> list[str]:
    return ["", "Misconceptions", *(f"  · {id_:<4} {rule.name}" for id_, rule in misconceptions().items())]


def explained(id_: str) -> dict[str, Any]:
    """A misconception in words: with the operators that it is about, and the first example where it answers wrongly."""
    holders = [one for one in operators().values() if any(rule.id == id_ for rule in one.misreadings())]
    names = ", ".join(one.name for one in holders)
    told = {"id": id_, "believed": misconceptions()[id_].name, "operators": names}
    for shipped in examples.all_examples():
        for experiment in shipped.session().experiments:
            if says := _says(experiment, id_):
                return told | {"holds": says, "example": shipped.name, "experiment": experiment.name}
    plain = re.sub(r"\{(\w+)[^}]*\}", r"\1", misconceptions()[id_].feedback)
    return told | {"holds": plain, "example": None, "experiment": None}


def _says(experiment: Experiment, id_: str) -> str:
    """What holds instead, with the experiment's own numbers; "" where its desc doesn't tell."""
    desc = experiment.desc
    with suppress(DmlvizError):  # it can't be traced
        for rule in operator_of(desc).misreadings():
            can_tell = rule.id == id_ and (rule.accepts is not None or experiment.check().ok)
            if can_tell and rule.differs(desc, experiment.trace().read):
                said: str = rule.says(desc)
                return said
    return ""
