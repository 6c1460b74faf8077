"""The names that exports are offered to be saved as: no two targets write to one file, and none over the session."""

from __future__ import annotations

from pathlib import Path

import pytest

from dmlviz.exporters.lib import exporting
from dmlviz.exporters.lib.writing import stem_of
from dmlviz.operators.registry import operators
from dmlviz.session.experiments import Session
from dmlviz.session.new_experiments import fresh


@pytest.mark.parametrize("path", [None, Path("lesson.json")])
@pytest.mark.parametrize("kind", operators())
def test_each_target_has_a_file_name_of_its_own(kind: str, path: Path | None) -> None:
    session = Session((fresh(kind),))
    names = [exporting.suggested(session, target, path) for target in exporting.targets()]
    assert len(set(names)) == len(names)
    assert not {"lesson.json", "session.json"} & set(names)
    for name, target in zip(names, exporting.targets(), strict=True):
        assert name.endswith(exporting.target_of(target).SUFFIX)
    scripts = [name for name in names if name.endswith(".py")]
    assert len({stem_of(name) for name in scripts}) == len(scripts) > 1, "arrays beside them are named after it"
