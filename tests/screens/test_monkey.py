"""Random events: no exception, no lost session, and one that round-trips."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.effort import part
from support.monkey import rampage, session_of

from dmlviz.operators.registry import operators


@pytest.mark.slow
@pytest.mark.parametrize("type_", sorted(operators()))
def test_random_events_lose_nothing(type_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    asyncio.run(rampage(session_of(type_), seed=1000, count=part(600)))
