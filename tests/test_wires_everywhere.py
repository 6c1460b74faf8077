"""Sessions with wires, good and broken, through everything that is given a session: one sentence, or what was asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import call
from support.desks import done

import dmlviz as dml
from dmlviz.exporters.lib.exporting import targets
from dmlviz.session import examples
from dmlviz.session.document import Document
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse, read_file
from dmlviz.session.writing import dump
from dmlviz.workspace.explorer.workspace import Workspace

GOOD = "chain-rotate-half"
BROKEN: dict[str, tuple[str, str]] = {
    "as it is": ("", ""),
    "the source is invalid": ('"Axis": 1', '"Axis": 7'),
    "no such source": ('"from": "swapped"', '"from": "gone"'),
    "a hostile name": ('"from": "swapped"', '"from": "\\u001b[31m*/\\n"'),
    "a ring": ('{"InputTensor": [[1, 2, 3, 4, 5, 6, 7, 8]]}', '{"InputTensor": {"from": "swapped"}}'),
    "other elements": ('"Sizes": [1, 8]}, "Repeats"', '"Sizes": [1, 7]}, "Repeats"'),
    "another type": ('"FLOAT32", "Sizes": [1, 8]}, "Repeats"', '"UINT8", "Sizes": [1, 8]}, "Repeats"'),
    "no size at all": ('"Sizes": [1, 8]}, "Repeats"', '"Sizes": [0, 8]}, "Repeats"'),
    "half of a wire": ('"from": "swapped"', '"output": "swapped"'),
}


@pytest.fixture(params=[pytest.param(each, marks=[pytest.mark.slow] * (i % 3 > 0)) for i, each in enumerate(BROKEN)])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    before, after = BROKEN[request.param]
    text = dump(examples.example(GOOD).session())
    assert before in text
    path = tmp_path / "chain.json"
    path.write_text(text.replace(before, after, 1) if before else text)
    return path


def test_commands_answer_or_say_why(file: Path) -> None:
    for command in (["check"], ["check", "--json"], ["explain"], ["run", "--json"], ["quiz", "--json"]):
        told = call(command[0], file, *command[1:], stdin="")
        assert told.code in (0, 1, 2), told.err
        assert "\x1b" not in told.out + told.err
        if "--json" in command and command[0] != "quiz":
            json.loads(told.out)
    assert call("check", file).code == call("check", file, "--json").code
    for target in targets():
        told = call("export", file, "--to", target, "-o", file.parent / f"x-{target}", "--force")
        assert told.code in (0, 1, 2), (target, told.err)


def test_python_and_pages_show_what_there_is(file: Path) -> None:
    session, _ = parse(*read_file(file))
    assert dump(parse(*read_file(file))[0]) == dump(session)
    dml.record(session, "html")
    dml.record(session, "svg")
    for experiment in session.experiments:
        report = experiment.check()
        assert experiment._repr_html_()
        assert report._repr_html_()
        assert repr(report)
        for question in dml.questions(experiment):
            assert not experiment.has_loose_wires, question
        for check in report.errors:
            for fix in check.fixes:
                mended = experiment.mended(fix)
                assert fix.mends_all == (not mended.check().errors), (check.id, fix.text)


def test_the_workspace_goes_through_and_mends(file: Path) -> None:
    session, _ = parse(*read_file(file))
    workspace = Workspace(Document(session))
    before = dump(session)
    for number in range(len(session.experiments)):
        workspace.document.go(number)
        state: Any = done(workspace, workspace.experiments_changed)
        assert state.view.experiment is workspace.experiment
        for _ in range(3):
            if state.view.why.fixes:
                state = done(workspace, workspace.mend, 0)
    assert all(one.check().ok for one in workspace.document.session.experiments if not loose(one))
    while workspace.document.undo():
        workspace.experiments_changed()
    assert dump(workspace.document.session) == before


def loose(experiment: dml.Experiment) -> bool:
    """True if it, or what it reads, is wired to nothing: no fix knows what was meant."""
    reports = [stage.check() for stage in experiment.stages]
    return any(check.id in ("chain.source", "chain.cycle") for report in reports for check in report.errors)


def test_an_experiment_of_a_chain_alone_is_a_session_of_all_that_it_reads() -> None:
    last = examples.example(GOOD).session().experiments[-1]
    alone = Session((last,))
    assert alone.experiments[0].check().ok
    assert dump(alone) == dump(Session(last.stages))
    assert dml.export(last, "numpy")
