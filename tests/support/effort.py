"""How many random examples a property is held against: some at every run of the tests, all of them in CI."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, settings

EFFORT = os.environ.get("DMLVIZ_TESTS", "quick")
"""quick; full: more examples of a property; new: all of them, and others at every run."""
FULL = EFFORT in ("full", "new")


def choose_profile() -> None:
    """Sets what properties go by; none fails by the time it takes.

    Every run but a new one makes the same examples: it fails for what was changed, and never by chance.
    """
    slow = [HealthCheck.too_slow]
    settings.register_profile("new", deadline=None, suppress_health_check=slow, print_blob=True)
    settings.register_profile("full", settings.get_profile("new"), derandomize=True, max_examples=part(100))
    settings.register_profile("quick", settings.get_profile("full"))
    settings.load_profile(EFFORT)
    if EFFORT == "quick":  # else examples hold numbers of all modules of dmlviz that happen to be imported
        with suppress(ImportError):  # Hypothesis parses each of them for that; an old one doesn't
            from hypothesis.internal.conjecture import providers

            if hasattr(providers, "_local_constants"):
                providers._get_local_constants = lambda: providers._local_constants


def tried(most: int, **more: Any) -> settings:
    """The settings of a property that is held against `most` random examples where everything is tried."""
    return settings(max_examples=part(most), **more)


def part(most: int) -> int:
    """All where the examples are new, a third in CI, a tenth at every run; 10 at least."""
    return min(most, max(10, most // {"new": 1, "full": 3}.get(EFFORT, 10)))
