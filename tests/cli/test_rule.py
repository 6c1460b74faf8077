"""`dmlviz rule`: every rule with a desc that breaks it, as `check` finds it; groups, and ids that there are none of."""

from __future__ import annotations

import json
import re

import pytest
from support.commands import call

from dmlviz.session.rules_told import ids


@pytest.mark.parametrize("id_", ids())
def test_the_desc_of_each_rule_breaks_it_and_its_fixes_are_those_of_check(id_: str) -> None:
    told = call("rule", id_)
    (read,) = json.loads(call("rule", id_, "--json").out)
    assert read["rule"] in told.out
    if read["example"] is None:
        assert told.out.endswith("\nNo example breaks it.\n")
        return
    session = told.out.partition("This breaks it:\n")[2].partition("\n\n")[0]
    assert json.loads(session) == read["broken_by"], "what is told can be copied"
    checked = call("check", "-", "--json", stdin=session)
    assert read["severity"] != "error" or checked.code == 1
    (experiment,) = (one for one in checked.json if one["name"] == read["experiment"])
    broken = next(check for check in experiment["checks"] if check["id"] == id_ and not check["ok"])
    for key in ("severity", "field", "message", "page"):
        assert broken[key] == read[key]
    assert [fix["label"] for fix in broken["fixes"]] == read["fixes"]
    for piece in (read["rule"], read["level"] or "", read["message"], *read["fixes"], read["address"] or ""):
        assert piece in told.out
    assert call("examples", read["example"]).code == 0


@pytest.mark.parametrize("id_", ["dtype.supported", "dimension_count.supported", "level.operator"])
def test_what_depends_on_the_level_holds_from_the_level_that_is_told(id_: str) -> None:
    (read,) = json.loads(call("rule", id_, "--json").out)
    first = re.search(r"holds it from (\w+) on", read["level"])
    assert first is not None

    def is_broken(*level: str) -> bool:
        told = call("check", "-", "--json", *level, stdin=json.dumps(read["broken_by"])).json[0]
        return any(check["id"] == id_ and not check["ok"] for check in told["checks"])

    assert is_broken()
    assert not is_broken("--level", first[1])


def test_the_list_has_every_rule_once_and_groups_and_operators_have_theirs() -> None:
    listed = re.findall(r"^  [✘!i·] (\S+)", call("rule").out, re.M)
    assert sorted(listed) == sorted(ids())
    assert re.findall(r"^  \S (\S+)", call("rule", "chain").out, re.M) == [i for i in ids() if i.startswith("chain.")]
    of_tile = re.findall(r"^  \S (\S+)", call("rule", "tile").out, re.M)
    assert of_tile == ["count.matches", "repeats.count", "repeats.positive", "sizes.repeat", "note.tile_float64"]
    assert call("rule", "TILE").out == call("rule", "tile").out
    assert "\nGATHER, GATHER_ELEMENTS\n" in call("rule").out


@pytest.mark.parametrize(
    ("word", "meant"),
    [("gather.fit", "did you mean gather.fits"), ("fits", "did you mean gather.fits? "), ("\x1b[1m", ""), ("", "")],
)
def test_a_rule_that_there_is_none_of_is_one_sentence(word: str, meant: str) -> None:
    found = call("rule", word)
    assert (found.code, found.out) == (2, "")
    (said,) = found.said
    assert said.startswith("there is no rule ")
    assert meant in said
    assert said.isprintable()


@pytest.mark.xfail(strict=True, reason="The core said once")
@pytest.mark.parametrize(
    ("id_", "page"),
    [
        ("tensor.total_size", "dml_buffer_tensor_desc"),
        ("tensor.alignment", "dml_buffer_tensor_desc"),
        ("sizes.positive", "dml_buffer_tensor_desc"),
        ("sizes.element_count", "dml_buffer_tensor_desc"),
        ("indices.leading", ""),
        ("tensor.strides", ""),
    ],
)
def test_a_rule_cites_the_page_that_has_it(id_: str, page: str) -> None:
    """What every tensor desc holds stands on a page of its own; a check of dmlviz's own stands on none."""
    (told,) = json.loads(call("rule", id_, "--json").out)
    assert (told["address"] or "").rpartition("ns-directml-")[2] == page
