"""The hard week in small; `DMLVIZ_HARD_WEEK` says for how many seconds, and `DMLVIZ_HARD_WEEK_SEED` which one."""

from __future__ import annotations

import os

import pytest
from support.hard_week import week


@pytest.mark.slow
def test_a_hard_week_breaks_no_promise() -> None:
    assert week(float(os.environ.get("DMLVIZ_HARD_WEEK", "60")), int(os.environ.get("DMLVIZ_HARD_WEEK_SEED", "0"))) > 0
