"""Whatever bytes a reader is given, it gives experiments or one sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import pytest
from support import fuzzing
from support.effort import part

from dmlviz.errors import DmlvizError
from dmlviz.session.experiments import Experiment

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("name", sorted(fuzzing.KINDS))
def test_no_bytes_crash_a_reader(name: str) -> None:
    tally = fuzzing.play(name, 5, 0, part(12_000))
    assert not tally.crashes, tally.crashes[0]
    assert tally.inputs == part(12_000)
    assert 10 < tally.read < part(12_000) - 10  # the inputs get somewhere, and not everything is taken


def _reads(monkeypatch: pytest.MonkeyPatch, read: Callable[[bytes], Sequence[Experiment]]) -> None:
    monkeypatch.setattr(fuzzing, "inputs", lambda name, random: b"\x01\xff")
    monkeypatch.setitem(fuzzing.KINDS, "any", fuzzing.Kind(tuple, read))


def _raises(error: Exception) -> Sequence[Experiment]:
    raise error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("boo"), "ValueError: boo"),
        (DmlvizError("two\nlines."), "no line"),
        (DmlvizError("no full stop"), "no sentence"),
        (DmlvizError("x" * 5000 + "."), "5001 characters"),
    ],
)
def test_a_crash_is_seen(monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
    _reads(monkeypatch, lambda _: _raises(error))
    (crash,) = fuzzing.play("any", 1, 7, 8).crashes
    assert crash.startswith("any, input 7 of seed 1: ")
    assert said in crash
    assert crash.endswith("\n  01ff")


def test_nothing_at_all_and_too_much_work_are_crashes(monkeypatch: pytest.MonkeyPatch) -> None:
    _reads(monkeypatch, lambda _: ())
    assert "neither experiments nor a sentence" in fuzzing.play("any", 1, 0, 1).crashes[0]
    monkeypatch.setattr(fuzzing, "MOST_WORK", 0)
    _reads(monkeypatch, lambda _: _raises(DmlvizError("no.")))
    assert "took" in fuzzing.play("any", 1, 0, 1).crashes[0]


def test_inputs_are_always_the_same() -> None:
    for name in fuzzing.KINDS:
        assert fuzzing.inputs(name, Random("1/x/2")) == fuzzing.inputs(name, Random("1/x/2"))
