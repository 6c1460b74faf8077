"""How many random examples a property is held against: some at every run of the tests, all of them in CI."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

FULL = os.environ.get("DMLVIZ_TESTS") == "full"


def choose_profile() -> None:
    """Sets what properties go by; none fails by the time it takes.

    Every run of the quick profile makes the same examples: it fails for what was changed, and never by chance.
    """
    slow = [HealthCheck.too_slow]
    settings.register_profile("full", deadline=None, suppress_health_check=slow, print_blob=True)
    settings.register_profile("quick", settings.get_profile("full"), derandomize=True, max_examples=_part(100))
    settings.load_profile("full" if FULL else "quick")


def tried(most: int, **more: Any) -> settings:
    """The settings of a property that is held against `most` random examples where everything is tried."""
    return settings(max_examples=most if FULL else _part(most), **more)


def _part(most: int) -> int:
    """A quarter, and 20 at least."""
    return min(most, max(20, most // 4))
