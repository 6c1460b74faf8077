"""Random events: no exception, no lost session, and one that round-trips.

`python tests/support/monkey.py EVENTS SEED` tries as many as one likes.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from support.effort import part
from support.monkey import bound_keys, rampage, session_of

from dmlviz.operators.registry import operators


def test_the_monkey_knows_the_keys() -> None:
    keys = bound_keys()
    assert {"space", "f3", "ctrl+s", "ctrl+o"} <= set(keys)
    assert all(re.fullmatch(r"[a-z0-9_+]+|[A-Z]", key) for key in keys)


@pytest.mark.slow
@pytest.mark.parametrize("type_", sorted(operators()))
def test_random_events_lose_nothing(type_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(rampage(session_of(type_), seed=1000, count=part(600)))
