"""Records behind the screens: what is frozen stays so, and what is kept beside their meaning has no part in it."""

from __future__ import annotations

import contextlib
import copy
import importlib
import pickle
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

import dmlviz
from dmlviz.formats.uncompared import Cache
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.stack import Stack
from dmlviz.scene.layout.tracks import Track
from dmlviz.teaching.tasks.tasks import Task

SHARED = (
    "desc",
    "operators",
    "running",
    "scene",
    "teaching",
    "timing.sampling",
    "timing.comparison",
    "worker",
    "workspace",
)
"""Packages whose records are handed from one to another: what was handed on mustn't change."""


@cache
def records() -> tuple[type[Struct], ...]:
    for module in pkgutil.walk_packages(dmlviz.__path__, "dmlviz."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # what wraps a library that isn't here
                importlib.import_module(module.name)
    found = {each for each in _below(Struct) if each.__module__.startswith("dmlviz.")}
    assert len(found) > 100
    return tuple(sorted(found, key=lambda each: (each.__module__, each.__qualname__)))


def _below(kind: type[Struct]) -> Iterator[type[Struct]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def made(kind: type[Any]) -> Any:
    """A record whose fields hold their own names; caches and marks hold nothing."""
    return kind(**{name: name for name in kind.__struct_fields__})


def test_shared_records_are_frozen() -> None:
    shared = [each for each in records() if each.__module__.removeprefix("dmlviz.").startswith(SHARED)]
    assert not [each for each in shared if not each.__struct_config__.frozen]


def test_a_frozen_record_refuses_every_change() -> None:
    for kind in records():
        if kind.__struct_config__.frozen:
            record = made(kind)
            for name in (*kind.__struct_fields__, "another"):
                with pytest.raises(AttributeError):
                    setattr(record, name, 1)
                with pytest.raises(AttributeError):
                    delattr(record, name)
            assert all(getattr(record, name) in (name, {}) for name in kind.__struct_fields__), kind


def test_records_are_compared_copied_and_pickled_by_their_fields() -> None:
    for kind in records():
        if kind.__struct_config__.eq and kind.__struct_config__.frozen:
            record = made(kind)
            copies = (made(kind), copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record)))
            assert all(each == record for each in copies), kind
            assert all(replace(record, **{name: {"another": ""}}) != record for name in kind.__struct_fields__[:1]), (
                kind
            )


def test_what_is_worked_out_of_a_record_is_no_part_of_it() -> None:
    tried = 0
    for kind in records():
        if kind.__struct_config__.dict and kind.__struct_config__.eq and kind.__struct_config__.frozen:
            record, tried = made(kind), tried + 1
            vars(record)["worked_out"] = 1
            assert record == made(kind), kind
            assert not vars(replace(record)), kind
    assert tried
    track = Track((3, 4), 2, 2)
    assert track.length == replace(track).length != replace(track, sizes=(3, 5)).length


LEFT_OUT = [
    (made(Figure), "drawn", Cache({1: 2}), "cell"),
    (made(Stack), "family", Cache(), "above"),
]


@pytest.mark.parametrize(("record", "name", "held", "counts"), LEFT_OUT, ids=lambda each: type(each).__name__)
def test_what_is_left_out_of_comparison_stays_left_out(record: Any, name: str, held: object, counts: str) -> None:
    default = replace(record, **{name: type(held)()})
    other = replace(record, **{name: held})
    assert getattr(other, name) is held
    assert default == other
    assert hash(default) == hash(other)
    assert replace(other, **{counts: "else"}) != default


def test_each_record_has_a_cache_of_its_own() -> None:
    fields = {name: name for name in Figure.__struct_fields__ if name != "drawn"}
    one, other = Figure(**fields), Figure(**fields)  # type: ignore[arg-type]
    one.drawn["line"] = "drawn"
    assert not other.drawn
    assert Stack(()).family is not Stack(()).family


def test_equal_records_of_what_cannot_be_hashed_hash_alike() -> None:
    unhashable = ("ask", "want", "wrong", "solutions")
    one, other = (replace(made(Task), **{name: {} for name in unhashable}) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    for name in unhashable:
        assert replace(one, **{name: {"other": 1}}) != one
