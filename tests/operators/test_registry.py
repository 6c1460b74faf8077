"""The registry: lists tell of operators that nobody has imported, the five first and their neighbours behind them."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from support.outside import Toy

from dmlviz import operators as package
from dmlviz.operators import registry
from dmlviz.operators.registry import listed, operators, type_named
from dmlviz.session import course, examples

FIVE = ["JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE"]
STARTED = """
import sys
import dmlviz.app
from dmlviz.session import examples
from dmlviz.workspace.form.form_rows import form_rows
experiment = examples.example("gather-2").session().experiments[0]
form_rows(experiment, experiment.check())
from dmlviz.operators.registry import listed
print([one.name for one in listed() if f"dmlviz.operators.{one.module}" in sys.modules])
"""


def test_a_start_imports_the_operator_on_the_screen_and_no_other() -> None:
    done = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['GATHER']"


def test_what_editors_and_disks_leave_beside_operators_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "._tile.py").write_bytes(b"\x00\x05\x16\x07\xb0\xff")
    (tmp_path / ".#tile.py").symlink_to("nobody@nowhere.1")
    (tmp_path / "tile.old.py").write_bytes(Path(registry.__file__).with_name("tile.py").read_bytes())
    before = listed()
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    assert registry._registry.__wrapped__().listed == {one.type: one for one in before}


def test_neighbours_stand_behind_the_five_wherever_operators_are_listed(toy: Toy) -> None:
    names = [one.name for one in listed()]
    paged = [one.name for one in listed() if one.page_number < math.inf]
    assert paged[:5] == FIVE
    assert names == [*paged, *sorted({*names} - {*paged} | {toy.name})]
    assert [one.neighbour for one in listed()] == [False] * 5 + [True] * (len(names) - 5)
    assert [operator.name for operator in operators().values()] == names
    assert [type_named(name) for name in names] == [*operators()] == [type_named(kind) for kind in operators()]
    assert type_named("NONE") is None
    cards = course.listed()
    groups = list(dict.fromkeys(card.group for card in cards))
    assert groups[1:7] == [*FIVE, "Related operators"]
    beside = [card for card in cards if card.group == "Related operators"]
    assert all({*card.operators} - {*FIVE} for card in beside)
    assert not any({*card.operators} - {*FIVE} for card in cards if card.group in groups[:6])
    own = [each.name for each in examples.all_examples()]
    assert own.index("tile-1") < own.index("slice-1") < own.index("inline-gather-indices")
