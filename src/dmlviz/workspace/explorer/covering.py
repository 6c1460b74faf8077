"""Whether the picture of a shipped example is covered: where it would tell what the example asks about it."""

from __future__ import annotations

from typing import Any

from ...session.examples import TASK, without_task
from ...session.examples import example as example_of
from ...session.experiments import Experiment

COVERED = "covered while its question is open: g answers, space plays, esc shows all"
"""What is said of a picture that would tell what is asked about it."""


def is_covered(example: str | None, one: Experiment) -> bool:
    """True if the example of that name asks about elements of the picture of this experiment, as it stands in it.

    What it asks about another desc, with something changed, no picture of this one tells.
    """
    if example is None:
        return False
    asking = example_of(example).with_tasks().experiments
    tasks = (other.extra[TASK] for other in asking if TASK in other.extra and without_task(other) == one)
    task: Any = next(tasks, None)
    ask: Any = task.get("ask") if isinstance(task, dict) else None
    if not isinstance(ask, dict) or "change" in ask:
        return False
    from ...teaching.kinds.lib.asking import kinds

    kind = kinds().get(str(ask.get("kind")))
    return kind is not None and (kind.of_chains or (kind.pictured and kind.draws_outputs))
