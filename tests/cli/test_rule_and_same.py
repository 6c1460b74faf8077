"""`dmlviz rule`, which rules are DirectML's, and `dmlviz same`: verdicts and their exit codes."""

from __future__ import annotations

import json
import re

import pytest
from support.commands import call, document, experiment

from dmlviz.operators.registry import operator_of
from dmlviz.session import examples
from dmlviz.session.rules_told import ids, rule
from dmlviz.session.writing import dump
from dmlviz.teaching.misconceptions import misconceptions


@pytest.mark.drawn(16)
@pytest.mark.parametrize("id_", ids())
def test_the_desc_of_each_rule_breaks_it_and_its_fixes_are_those_of_check(id_: str) -> None:
    told = call("rule", id_)
    (read,) = json.loads(call("rule", id_, "--json").out)
    assert read["rule"] in told.out
    if read["example"] is None:
        assert told.out.endswith("\nNo example violates it.\n")
        return
    session = told.out.partition("This desc violates it:\n")[2].partition("\n\n")[0]
    assert json.loads(session) == read["broken_by"], "what is told can be copied"
    checked = call("check", "-", "--json", stdin=session)
    assert read["severity"] != "error" or checked.code == 1
    (experiment,) = (one for one in checked.json if one["name"] == read["experiment"])
    broken = next(check for check in experiment["checks"] if check["id"] == id_ and not check["ok"])
    assert all(broken[key] == read[key] for key in ("severity", "field", "message", "page"))
    assert [fix["label"] for fix in broken["fixes"]] == read["fixes"]
    fixes = [f"fix {number}: {label}" for number, label in enumerate(read["fixes"], 1)]
    for piece in (read["message"], *fixes, read["address"] or ""):
        assert piece in told.out
    assert call("examples", read["example"]).code == 0


def test_the_list_has_every_rule_once_and_groups_and_operators_have_theirs() -> None:
    told, listed = call("rule").out, re.findall(r"^  [✘!i·] (\S+)", call("rule").out, re.M)
    assert sorted(listed) == sorted([*ids(), *misconceptions()])
    assert listed[-len(misconceptions()) :] == [*misconceptions()], "behind the rules"
    assert re.findall(r"^  \S (\S+)", call("rule", "chain").out, re.M) == [i for i in ids() if i.startswith("chain.")]
    of_tile = re.findall(r"^  \S (\S+)", call("rule", "tile").out, re.M)
    assert of_tile == ["count.matches", "repeats.count", "repeats.positive", "sizes.repeat", "note.tile_float64"]
    assert call("rule", "TILE").out == call("rule", "tile").out
    assert (told.startswith("every operator\n"), "\nGATHER, GATHER_ELEMENTS\n" in told) == (True, True)
    for word in ("gather.fit", "fits", "\x1b[1m"):
        found = call("rule", word)
        assert (found.code, found.out) == (2, "")
        (said,) = found.said
        assert (said.startswith("there is no rule "), said.isprintable()) == (True, True)
    assert 'did you mean "sizes.match"? expected' in call("rule", "sizes.mach").err


@pytest.mark.drawn(16)
@pytest.mark.parametrize("id_", misconceptions())
def test_a_misconception_is_explained_with_an_example_that_tells_it_from_the_truth(id_: str) -> None:
    (read,) = json.loads(call("rule", id_.lower(), "--json").out)
    told = call("rule", id_).out
    assert all(read[key] in told for key in ("believed", "operators", "holds"))
    assert read["believed"] == misconceptions()[id_].name
    if read["example"] is not None:
        assert call("examples", read["example"]).code == 0
        found = {one.name: one for one in examples.example(read["example"]).session().experiments}
        told_by = found[read["experiment"]]
        (held,) = (rule for rule in operator_of(told_by.desc).misreadings() if rule.id == id_)
        assert held.differs(told_by.desc, told_by.trace().read)


OF_TENSORS = ("tensor.total_size", "tensor.alignment", "sizes.positive", "sizes.element_count")


@pytest.mark.parametrize("id_", [*OF_TENSORS, "indices.leading", "tensor.strides"])
def test_a_rule_cites_the_page_that_has_it(id_: str) -> None:
    """What every tensor desc holds stands on a page of its own; a check of dmlviz's own stands on none."""
    (told,) = json.loads(call("rule", id_, "--json").out)
    page = "dml_buffer_tensor_desc" if id_ in OF_TENSORS else ""
    assert (told["address"] or "").rpartition("ns-directml-")[2] == page


@pytest.mark.parametrize("id_", ["count.matches", "indices.leading", "tensor.dimension_count", "tensor.strides"])
def test_what_no_page_forbids_is_invalid_but_not_invalidarg(id_: str) -> None:
    """It is DirectML's word: only documented rules carry it, and none that a note of the report doubts."""
    doubted = [dump(examples.example(name).session()) for name in ("note-tile-float64", "note-join-dimensions")]
    for given in (rule(id_).session_text, *doubted):
        for line in ("check -", "check - --json", "check - --github", "explain -", "export - --to markdown"):
            told = call(*line.split(), stdin=given)
            assert "E_INVALIDARG" not in told.out
            assert "no feature level accepts it" not in told.out.lower()
            assert line != "check -" or "failed" in told.out


# ---- same -------------------------------------------------------------------------------------------------------


def test_a_difference_is_told_with_both_paths() -> None:
    example = "chain-tile-or-join-first"
    done = call("same", example, "tiled, then joined", "joined, then tiled")
    assert done.code == 1
    assert done.out.splitlines() == [
        "Different: of all 8 elements, the first that differs is [0,2]: here it reads InputTensor[0,0] of first twice, "
        "and there InputTensors[1][0,0] of joined; inputs with equal values count as one.",
        "  tiled, then joined[0,2] ⇠ first twice[0,2] ⇠ InputTensor[0,0] of first twice",
        "  joined, then tiled[0,2] ⇠ joined[0,2] ⇠ InputTensors[1][0,0] of joined",
    ]
    assert call("same", example, "3", "5[0]").out == done.out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("chain-rotate-half halves[1] 1[1]", 0, "Equivalent: "),
        ("inline-reverse 1 1", 2, "Equivalent for these index values: "),
        ("- 1 1", 2, "Not decided: "),
        ("gather-2 1 y", 2, "no experiments are called"),
        (
            "inline-split 4 1",
            2,
            '"4" has 1 outputs and "1" 3, expected the same number, or one output of each, such as NAME[0].',
        ),
        ("chain-rotate-half twice halves[2]", 2, '"halves[2]" is no output, expected halves[0] to [1].'),
    ],
)
def test_verdicts_have_their_exit_codes(words: str, code: int, said: str) -> None:
    long = experiment("long", InputTensor={"DataType": "UINT8", "Sizes": [2**32 - 1]}, Repeats=[1])
    done = call("same", *words.split(), stdin=document(long))
    assert (done.code, bool(done.said)) == (code, not done.out)
    assert (done.out or done.said[0]).startswith(said)
