"""What was taken out is told in one sentence wherever its name is still given."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import call
from support.driver import Driver

from dmlviz.errors import TaskError
from dmlviz.importers.lib.imported import ImportFailedError
from dmlviz.importers.lib.importing import read
from dmlviz.retired import INSTEAD, told
from dmlviz.session.examples import example
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.rules_told import ids
from dmlviz.session.settings import Store
from dmlviz.session.writing import dump
from dmlviz.teaching.tasks.tasks import task_of


def test_the_table_is_short_and_names_nothing_that_there_is() -> None:
    assert len(INSTEAD) <= 40
    assert not INSTEAD.keys() & ids().keys()
    assert told("check") == ""


def test_an_option_of_before_is_told_of_and_the_exit_code_is_2() -> None:
    found = call("rule", "--select=gather.fits")
    assert (found.code, found.out) == (2, "")
    assert found.said == ["`--select` was taken out; every rule counts; `--json` has the id of each check."]
    assert call("--diff").said == ["`--diff` was taken out; `--fix` prints what it changes."]


def test_a_file_may_be_called_like_a_command_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("simplify", "a.json").said == [told("dmlviz simplify")]
    assert call("check", "simplify").said == ["simplify: no such file, expected a file to open."]
    Path("simplify").touch()
    assert call("simplify", "a.json").said[0].startswith('found "simplify" and "a.json"')


@pytest.mark.parametrize("size", [(80, 24)])
async def test_a_key_of_before_is_told_of(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.retired.INSTEAD", {"O": "", "z": "never told"})
    await driver.press("O", "z")
    assert driver.notices == ["`O` was taken out."]


def test_a_kind_of_before_is_told_of_and_its_task_is_kept() -> None:
    assert call("quiz", "gather-2", "--kinds", "waits").said == [f"kind: {told('waits')}"]
    one = example("gather-2").session().experiments[0]
    session = Session((replace(one, extra={"task": {"ask": {"kind": "waits"}}}),))
    assert dump(parse(dump(session).encode(), "it", None)[0]) == dump(session)
    with pytest.raises(TaskError, match="`waits` was taken out"):
        task_of(session.experiments[0])
    with pytest.raises(TaskError, match="`cells` was taken out"):
        task_of(replace(one, extra={"task": {"ask": {"kind": "fill", "cells": [[2, 1]]}}}))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("it.cpp", "DML_PADDING1_OPERATOR_DESC desc = {}; desc.PaddingValue.Float32 = 0.5f; CreateOperator(desc);"),
        (
            "it.json",
            '{"dispatchables": {"a": {"type": "DML_OPERATOR_PADDING1", "desc": {"PaddingValue": {"Int8": 1}}}}}',
        ),
    ],
)
def test_an_operator_of_before_is_told_of_where_it_is_imported(name: str, text: str) -> None:
    with pytest.raises(ImportFailedError) as error:
        read(text.encode(), name)
    assert told("PADDING1").removesuffix(".") in str(error.value)


def test_settings_of_before_with_a_language_open_and_keep_it(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"lang": "de", "progress": false}')
    store = Store(file)
    assert (store.sentences, store.settings.progress) == ([], False)
    store.remember("progress", True)
    assert json.loads(file.read_text()) == {"lang": "de", "progress": True}
