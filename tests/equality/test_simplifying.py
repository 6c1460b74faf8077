"""What is offered in the place of chains: each rule where it holds and where it doesn't, and NumPy on random chains."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.chain_sessions import rotate_half
from support.commands import call
from support.simplified_chains import drawn, told_apart, wrong

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.equality import rooted
from dmlviz.equality.deciding import Answer, Verdict
from dmlviz.equality.simplifying import Offer, best_of, offers
from dmlviz.errors import DmlvizError
from dmlviz.session.chains import Chain
from dmlviz.session.examples import example


@pytest.mark.parametrize("seed", range(25))
def test_offers_of_random_chains_change_no_element(seed: int) -> None:
    session, number, found = drawn(random.Random(f"simpler.{seed}"))
    assert not [fault for offer in found for fault in wrong(session, number, offer)]
    best, end = best_of(session, number)
    after = Chain(best.experiments[end])
    assert len(after.stages) <= len(Chain(session.experiments[number]).stages)
    for k in range(len(after.outputs)):
        assert np.array_equal(after.traces[-1].reference(k), session.experiments[number].links.reference(k))


Sizes = tuple[int, ...]


def test_rules_are_guesses_that_only_the_proof_makes_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooted, "same", lambda *_: Verdict(Answer.FOR_ALL))
    faults = []
    for seed in range(25):
        session, number, found = drawn(random.Random(f"simpler.{seed}"))
        faults += [fault for offer in found for fault in wrong(session, number, offer)]
    assert len(faults) > 2


# ---- the rules, each in a chain that it is made for


def stage(name: str, desc: dml.Desc, **values: Any) -> dml.Experiment:
    """A stage; of `values` those that are text are wires: "s 1" for the second output of s, "s" for its only one."""
    led: dict[str, Any] = {
        path: {"from": entry.split()[0], **({"output": f"OutputTensors[{entry[-1]}]"} if " " in entry else {})}
        if isinstance(entry, str)
        else entry
        for path, entry in values.items()
        if entry is not None
    }
    return dml.Experiment(name, desc, values=led)


def f32(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


def u32(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("UINT32", sizes)


def gather(name: str, source: str | None, indices: list[int], sizes: Sizes, axis: int = 1) -> dml.Experiment:
    desc = dml.Gather(f32(*sizes), u32(1, len(indices)), axis, 1)
    return stage(name, desc, InputTensor=source, IndicesTensor=[indices])


def tile(name: str, source: str | None, sizes: Sizes, *repeats: int) -> dml.Experiment:
    return stage(name, dml.Tile(f32(*sizes), repeats), InputTensor=source)


def reverse(name: str, source: str | None, sizes: Sizes, lengths: list[int]) -> dml.Experiment:
    desc = dml.ReverseSubsequences(f32(*sizes), u32(sizes[0], 1), 1)
    return stage(name, desc, InputTensor=source, SequenceLengthsTensor=lengths)


def split(name: str, source: str | None, sizes: Sizes, *parts: int) -> dml.Experiment:
    return stage(name, dml.Split(f32(*sizes), [f32(sizes[0], n) for n in parts], 1), InputTensor=source)


def join(name: str, *parts: tuple[str | None, int]) -> dml.Experiment:
    """A JOIN of two rows each: what each part reads, and its columns."""
    desc = dml.Join([f32(2, n) for _, n in parts], 1)
    return stage(name, desc, **{f"InputTensors[{i}]": source for i, (source, _) in enumerate(parts)})


CASES: dict[str, tuple[list[dml.Experiment], str, bool, tuple[int, int]]] = {
    "join of split in order": (
        [split("s", None, (2, 4), 1, 3), join("j", ("s 0", 1), ("s 1", 3)), tile("t", "j", (2, 4), 1, 2)],
        "JOIN j gives back InputTensor of s, through SPLIT s",
        True,
        (2, 128),
    ),
    "join of split, permuted": (
        [split("s", None, (2, 4), 1, 3), join("j", ("s 1", 3), ("s 0", 1))],
        "JOIN j of SPLIT s is one GATHER of InputTensor of s along axis 1",
        False,
        (1, 64 - 16),
    ),
    "split of join at the same cuts": (
        [
            join("j", (None, 1), (None, 3)),
            split("s", "j", (2, 4), 1, 3),
            join("k", ("s 1", 3), ("s 0", 1)),
        ],
        "SPLIT s gives back InputTensors[0] of j, InputTensors[1] of j, through JOIN j",
        True,
        (2, 128),
    ),
    "split of split": (
        [
            split("s", None, (2, 4), 1, 3),
            split("u", "s 1", (2, 3), 2, 1),
            join("j", ("u 1", 1), ("s 0", 1), ("u 0", 2)),
        ],
        "SPLIT u of SPLIT s is one SPLIT in 3",
        True,
        (1, 48),
    ),
    "join of join": (
        [join("j", (None, 1), (None, 3)), join("k", (None, 2), ("j", 4))],
        "JOIN k of JOIN j is one JOIN of 3",
        True,
        (1, 64),
    ),
    "gather of gather, for all": (
        [gather("g", None, [3, 1, 1], (8, 4)), gather("h", "g", [2, 0], (8, 3))],
        "GATHER h of GATHER g is one of InputTensor of g by indices of indices",
        True,
        (0, 192 + 12 - 16 - 8),
    ),
    "gather of gather": (
        [gather("g", None, [3, 1, 1], (2, 4)), gather("h", "g", [2, 0], (2, 3))],
        "GATHER h of GATHER g is one GATHER of InputTensor of g along axis 1",
        False,
        (1, 2 * 2 * 3 * 4 + 12),
    ),
    "tile of tile": (
        [tile("t", None, (2, 2), 1, 2), tile("u", "t", (2, 4), 3, 2)],
        "TILE u of TILE t is one TILE by [3, 4]",
        True,
        (1, 64),
    ),
    "gather of tile": (
        [tile("t", None, (2, 3), 1, 4), gather("g", "t", [11, 3, 4], (2, 12))],
        "GATHER g of TILE t is one GATHER of InputTensor of t along axis 1",
        False,
        (1, 2 * 24 * 4),
    ),
    "gather of all": (
        [tile("t", None, (2, 2), 1, 2), gather("g", "t", [0, 1, 2, 3], (2, 4))],
        "GATHER g gives back t",
        False,
        (1, 64 + 16),
    ),
    "tile by 1s": (
        [gather("g", None, [1, 0], (2, 2)), tile("t", "g", (2, 2), 1, 1)],
        "TILE t gives back g",
        True,
        (1, 32),
    ),
    "reverse twice": (
        [reverse("r", None, (2, 3), [3, 2]), reverse("q", "r", (2, 3), [3, 2]), tile("t", "q", (2, 3), 1, 2)],
        "REVERSE_SUBSEQUENCES q gives back InputTensor of r, through REVERSE_SUBSEQUENCES r",
        False,
        (2, 2 * (48 + 8)),
    ),
    "reverse by one length": (
        [reverse("r", None, (2, 4), [3, 3]), tile("t", "r", (2, 4), 1, 2)],
        "REVERSE_SUBSEQUENCES r is one GATHER of InputTensor of r along axis 1",
        False,
        (0, 8 - 16),
    ),
    "and back": (
        [gather("g", None, [2, 1, 0, 3], (2, 4)), tile("t", "g", (2, 4), 1, 2)],
        "GATHER g is REVERSE_SUBSEQUENCES of InputTensor of g by 3",
        False,
        (0, 16 - 8),
    ),
    "gathers of neighbours": (
        [
            tile("x", None, (2, 4), 1, 1),
            gather("g", "x", [2, 3], (2, 4)),
            gather("h", "x", [0, 1], (2, 4)),
            join("j", ("g", 2), ("h", 2), ("g", 2)),
        ],
        "GATHER h, GATHER g: parts of one SPLIT of x",
        False,
        (1, 16),
    ),
    "parts that nobody reads": (
        [split("s", None, (2, 4), 1, 2, 1), tile("t", "s 1", (2, 2), 2, 1)],
        "SPLIT s without the parts that nobody reads is one SLICE1",
        True,
        (0, 32),
    ),
}  # fmt: skip


def offered(experiments: list[dml.Experiment]) -> list[Offer]:
    return offers(told_apart(dml.Session(tuple(experiments))), len(experiments) - 1)


@pytest.mark.parametrize("case", CASES)
def test_a_rule_is_offered_with_what_it_saves(case: str) -> None:
    experiments, text, answer, saves = CASES[case]
    found = offered(experiments)
    offer = next((each for each in found if each.text == text), None)
    assert offer is not None, [each.text for each in found]
    assert (offer.for_all, (offer.dispatches, offer.bytes)) == (answer, saves)
    session = told_apart(dml.Session(tuple(experiments)))
    assert not wrong(session, len(experiments) - 1, offer)


@pytest.mark.parametrize(
    "experiments",
    [
        [reverse("r", None, (2, 4), [3, 2]), tile("t", "r", (2, 4), 1, 2)],  # a length for each row
        [gather("g", None, [1, 2, 0], (2, 3)), tile("t", "g", (2, 3), 1, 2)],  # no reversal
        [tile("t", None, (2, 2), 2, 1), gather("g", "t", [0, 2, 1], (4, 2), 0), reverse("r", "g", (3, 2), [1, 2, 1])],
        [reverse("r", None, (2, 3), [3, 2]), reverse("q", "r", (2, 3), [2, 3])],  # other lengths
    ],
)  # fmt: skip
def test_where_a_rule_doesn_t_hold_nothing_is_offered_by_it(experiments: list[dml.Experiment]) -> None:
    session = told_apart(dml.Session(tuple(experiments)))
    for offer in offered(experiments):
        assert not wrong(session, len(experiments) - 1, offer)
        assert "gives back" not in offer.text
        assert not offer.text.startswith("REVERSE_SUBSEQUENCES r is one GATHER")


def test_what_others_read_stays_and_reads_the_same() -> None:
    stages = [split("s", None, (2, 4), 1, 3), join("j", ("s 0", 1), ("s 1", 3)), tile("t", "j", (2, 4), 1, 2)]
    other = tile("other", "s 1", (2, 3), 2, 1)
    session = told_apart(dml.Session((other, *stages)))
    offer = next(each for each in offers(session, 3) if "gives back" in each.text)
    assert [one.name for one in offer.session.experiments] == ["other", "s", "t"]
    assert (offer.number, offer.dispatches) == (2, 1)
    assert not wrong(session, 3, offer)


def test_a_chain_of_which_nothing_is_left_is_one_copy_under_its_name() -> None:
    stages = [split("s", None, (2, 4), 1, 3), join("j", ("s 0", 1), ("s 1", 3))]
    session = told_apart(dml.Session(tuple(stages)))
    offer = offers(session, 1)[0]
    assert [(one.name, one.desc.TYPE) for one in offer.session.experiments] == [("j", "DML_OPERATOR_JOIN")]
    assert not wrong(session, 1, offer)


@pytest.mark.parametrize("fill", [None, {"fill": "random", "seed": 3}, {"fill": "constant", "value": 1}])
def test_indices_that_a_file_doesn_t_list_are_the_same_ones_afterwards(fill: object) -> None:
    first = stage("g", dml.Gather(f32(2, 5), u32(1, 4), 1, 1), IndicesTensor=fill)
    second = stage("h", dml.Gather(f32(2, 4), u32(1, 7), 1, 1), IndicesTensor=fill, InputTensor="g")
    session = dml.Session((first, second))
    found = offers(session, 1)
    assert {each.for_all for each in found} == {True, False}
    assert not [fault for offer in found for fault in wrong(session, 1, offer, is_other=True)]


def test_all_that_costs_nothing_makes_rotate_half_one_gather() -> None:
    chain = rotate_half().chain("twice")
    [only] = chain.simplified().stages
    assert (only.name, only.desc.TYPE) == ("twice", "DML_OPERATOR_GATHER")
    assert only.values["IndicesTensor"] == Listed((4, 5, 6, 7, 0, 1, 2, 3) * 2, (1, 16))
    assert chain.simplified(for_all_values=True) is chain
    x = np.arange(8, dtype="f4").reshape(1, 8)
    halves = dml.Split(dml.TensorDesc("FLOAT32", (1, 8)), [dml.TensorDesc("FLOAT32", (1, 4))] * 2, 1)
    joined = dml.Join([dml.TensorDesc("FLOAT32", (1, 4))] * 2, 1)
    less = dml.chain([(halves, [x]), (joined, [1, 0])]).simplified()
    assert less.run()[0].tolist() == [[4, 5, 6, 7, 0, 1, 2, 3]]
    assert len(less.stages) == 1


def test_a_giant_is_simplified_without_its_elements() -> None:
    n, parts = 65535, [dml.TensorDesc("UINT8", (65535, size)) for size in (1000, 64535)]
    cut = stage("s", dml.Split(dml.TensorDesc("UINT8", (n, n)), parts, 1))
    joined = stage("j", dml.Join(parts, 1), **{f"InputTensors[{k}]": f"s {k}" for k in (0, 1)})
    [offer] = offers(dml.Session((cut, joined)), 1)
    assert (offer.text, offer.for_all) == ("JOIN j gives back InputTensor of s, through SPLIT s", True)
    assert offer.bytes == 2 * n * n


def test_a_chain_with_too_many_inputs_says_so() -> None:
    stages = [reverse(f"r{n}", f"r{n - 1}" if n else None, (2, 3), [3, 2]) for n in range(40)]
    with pytest.raises(DmlvizError, match="expected at most 64"):
        offers(dml.Session(tuple(stages)), 39)


# ---- the command


def test_the_command_lists_offers_and_writes_one(tmp_path: Path) -> None:
    found = call("simplify", "chain-rotate-half")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines()[:3] == [
        "halves ▸ swapped ▸ twice: 2 offers",
        "  1  TILE twice of JOIN swapped of SPLIT halves is one GATHER of InputTensor of halves along axis 1",
        "     2 dispatches fewer, 64 bytes fewer; the same map, by indices of its own",
    ]
    file = tmp_path / "less.json"
    assert call("simplify", "chain-rotate-half", "twice", "--apply", "1", "-o", file).said == [
        f"wrote {file}: 1 experiment."
    ]
    less = dml.load(file).experiments[0]
    whole = example("chain-rotate-half").session().experiments[2]
    assert np.array_equal(less.links.reference(0), whole.links.reference(0))
    before = file.read_bytes()
    assert "exists already" in call("simplify", "chain-rotate-half", "--apply", "all", "-o", file).err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["gather-2"], "the session has no chains."),
        (["chain-tile-or-join-first"], 'NAME is missing, expected one of "tiled, then joined", "joined, then tiled".'),
        (["chain-rotate-half", "x"], 'no experiments are called "x", expected one of "halves", "swapped", "twice".'),
        (["chain-rotate-half", "--apply", "3"], '--apply is "3", expected all or a number from 1 to 2.'),
        (["chain-transpose", "--apply", "1"], '--apply is "1", expected all: there is no offer.'),
        (["chain-rotate-half", "-o", "x"], "-o and --force are given without --apply, expected --apply N too."),
    ],
)
def test_what_is_wrong_is_one_sentence(argv: list[str], said: str) -> None:
    found = call("simplify", *argv)
    assert (found.code, found.out, found.said) == (2, "", [said])
