"""Work that is stopped ends at its next checkpoint: in exports, imports and files that are written."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlviz as dml
from dmlviz import stopping
from dmlviz.desc.values import Random
from dmlviz.exporters.lib import exporting, writing
from dmlviz.exporters.lib.writing import Export
from dmlviz.importers.lib.importing import read
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.writing import dump
from dmlviz.stopping import StoppedError, checkpoint, stoppable

HUGE = 2**14


class Wish(threading.Event):
    """A wish that is there from the checkpoint `after` on; it counts them."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def stops(job: Callable[[], Any], after: int) -> bool:
    """True if the job ends at its checkpoint `after`; False if it has fewer."""
    try:
        with stoppable(Wish(after)):
            job()
    except StoppedError:
        return True
    return False


def test_without_a_wish_nothing_is_stopped() -> None:
    checkpoint()
    assert not stops(lambda: None, 0)
    with stoppable(threading.Event()):
        checkpoint()
    assert list(stopping.checked("ab")) == ["a", "b"]


@pytest.mark.parametrize("target", exporting.targets())
def test_the_export_of_a_huge_session_stops_between_its_experiments(target: str) -> None:
    one = examples.example("gather-2").session()
    session = Session(one.experiments * 30)
    assert all(stops(lambda: exporting.export(session, target), after) for after in (0, 7, 29))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["numpy", "dxdispatch"])
def test_a_huge_fill_stops_at_its_next_piece(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """2^28 random elements would take minutes."""
    made: list[int] = []
    whole = Random.make

    def make(self: Random, flat: Any, data_type: Any) -> Any:
        made.append(len(flat))
        return whole(self, flat, data_type)

    monkeypatch.setattr(Random, "make", make)
    desc = dml.Tile(dml.TensorDesc("INT8", (HUGE, HUGE)), (1, 1))
    session = Session((Experiment("huge", desc, values={"InputTensor": Random()}),))
    assert stops(lambda: exporting.export(session, target), 8)
    assert sum(made) < HUGE * HUGE / 2


def test_an_import_stops_between_what_it_finds() -> None:
    one = examples.example("gather-2").session()
    text = dump(Session(one.experiments * 30)).encode()
    cpp = exporting.export(Session(one.experiments * 30), "cpp").data
    models = exporting.export(Session(one.experiments * 30), "dxdispatch").data
    calls = b"np.take(np.zeros((3, 2), np.float32), [0, 2], axis=0)\n" * 30
    for data in (text, cpp, models, calls):
        assert stops(partial(read, data, "x", None), 5), data[:40]
    assert len(json.loads(text)["experiments"]) == 30


def test_writing_that_is_stopped_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    array = np.arange(2**22, dtype=np.int64)
    export = Export("new", {"a-0.npy": array, "a-1.npy": array[:10]})
    (tmp_path / "a.py").write_text("old")
    after = 0
    while stops(lambda: writing.write(export, tmp_path / "a.py"), after):
        assert [each.name for each in tmp_path.rglob("*")] == ["a.py"], after
        assert (tmp_path / "a.py").read_text() == "old"
        after += 1
    assert after == 4, "before each of three files, and before they are put"
    assert (tmp_path / "a.py").read_text() == "new"
    assert np.array_equal(np.load(tmp_path / "a-0.npy"), array)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a-0.npy", "a-1.npy", "a.py"]
