"""Thousands of random events: no exception, no lost session, and one that round-trips.

`python tests/support/monkey.py EVENTS SEED` tries as many as one likes.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from support.monkey import bound_keys, rampage, session_of

from dmlviz.operators.registry import operators

MANY, FEW = 1200, 150
"""Events in a slow run, and in one for every change."""
NAMES = sorted(operators())


def test_the_monkey_knows_the_keys() -> None:
    keys = bound_keys()
    assert {"space", "f3", "ctrl+s", "ctrl+o"} <= set(keys)
    assert all(re.fullmatch(r"[a-z0-9_+]+|[A-Z]", key) for key in keys)


@pytest.mark.parametrize(
    "type_", [pytest.param(name, marks=pytest.mark.slow if i > 0 else ()) for i, name in enumerate(NAMES)]
)
def test_random_events_lose_nothing(type_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(rampage(session_of(type_), seed=1, count=FEW))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("type_", NAMES)
def test_thousands_of_random_events_lose_nothing(
    type_: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(rampage(session_of(type_), seed=1000 + seed, count=MANY))
