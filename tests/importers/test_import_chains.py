"""What reads another's output in a source is wired to it here; what stands between is a root with its name."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from support.effort import part
from support.random_chains import CHAINS, errors, random_chain, same_chains, wires_of

from dmlviz.desc.value_sources import Wired
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import ImportFailedError
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session


def dispatched(*operators: tuple[str, Any, Any], **sizes: Any) -> bytes:
    """A DxDispatch model of TILEs by 1: each one's name, input and output, buffers of `sizes` elements."""

    def tensor(bound: Any) -> dict[str, Any]:
        return {"DataType": "FLOAT32", "Sizes": [sizes[bound if isinstance(bound, str) else bound["name"]]]}

    descs = {
        name: {"InputTensor": tensor(read), "OutputTensor": tensor(made), "RepeatsCount": 1, "Repeats": [1]}
        for name, read, made in operators
    }
    kinds = {name: "GEMM" if name == "gemm" else "DML_OPERATOR_TILE" for name in descs}
    model = {
        "resources": {
            name: {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": count, "value": 0}}
            for name, count in sizes.items()
        },
        "dispatchables": {name: {"type": kinds[name], "desc": desc} for name, desc in descs.items()},
        "commands": [
            {"type": "dispatch", "dispatchable": name, "bindings": {"InputTensor": read, "OutputTensor": made}}
            for name, read, made in operators
        ],
    }
    return json.dumps(model).encode()


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_that_became_a_model_of_dxdispatch_comes_back(name: str) -> None:
    session = examples.example(name).session()
    data = export(session, "dxdispatch").data
    found = importing.read(data.encode() if isinstance(data, str) else data, "m.json")
    same_chains(found.experiments, session)
    assert not [remark for remark in found.remarks if not remark.taken]


def test_dispatches_read_what_was_written_last_and_else_their_buffers() -> None:
    ways = [("gemm", "a", "b"), ("one", "b", "c"), ("two", "c", "d"), ("three", "d", "c"), ("four", "c", "e")]
    found = importing.read(dispatched(*ways, a=4, b=4, c=4, d=4, e=4), "m.json").experiments
    assert {reader: source for (reader, _), (source, _) in wires_of(found).items()} == {
        "two": "one",
        "three": "two",
        "four": "three",
    }
    chain = Session(found).chain("four")
    assert [chain.root_name(k) for k in range(len(chain.inputs))] == ["b"]  # which gemm wrote


def test_what_a_later_dispatch_of_an_operator_wrote_is_no_output_of_the_first() -> None:
    again = [("one", "a", "b"), ("one", "b", "c"), ("two", "c", "d")]
    found = importing.read(dispatched(*again, a=4, b=4, c=4, d=4), "m.json")
    assert not wires_of(found.experiments)
    assert "c is written by one before; it is filled by default." in {remark.text for remark in found.remarks}
    again[2] = ("two", "b", "d")
    assert list(wires_of(importing.read(dispatched(*again, a=4, b=4, c=4, d=4), "m.json").experiments)) == [
        ("two", "InputTensor")
    ]


def test_what_reads_more_than_was_written_is_one_fault_and_a_window_is_none() -> None:
    ways = [("one", "a", "b"), ("two", "b", "c"), ("three", "c", "d")]
    whole = json.loads(dispatched(*ways, a=4, b=4, c=4, d=4))
    for name in ("InputTensor", "OutputTensor"):
        whole["dispatchables"]["two"]["desc"][name]["Sizes"] = [5]
    found = importing.read(json.dumps(whole).encode(), "m.json").experiments
    assert errors(found) == [("two", "chain.elements")]
    assert "three" not in {reader for reader, _ in wires_of(found)}  # it reads the first 4 of 5
    window = {"name": "b", "elementOffset": 2, "elementSizeInBytes": 4}
    found = importing.read(dispatched(ways[0], ("two", window, "c"), a=4, b=4, c=4), "m.json").experiments
    assert not wires_of(found)
    assert errors(found) == []


@pytest.mark.parametrize(("target", "name"), [("dxdispatch", "m.json"), ("directmlx", "m.cpp")])
def test_wires_of_random_chains_come_back(target: str, name: str) -> None:
    same = 0
    for seed in range(part(120)):
        made = random.Random(f"there and back {seed}")
        session = random_chain(made)
        try:
            data = export(session, target).data
        except DmlvizError:
            continue  # a tensor that the target can't say
        found = importing.read(data.encode() if isinstance(data, str) else data, name)
        wires, own = wires_of(found.experiments), wires_of(session.experiments)
        assert wires == own, seed
        same += bool(own)
    assert same > 3


# ---- C++ --------------------------------------------------------------------------------------------------------


def cpp(text: str) -> tuple[Experiment, ...]:
    return importing.read(text.encode(), "m.cpp").experiments


def same_wires(found: Sequence[Experiment], session: Session) -> None:
    """Types, tensors and wires are those of the session; C++ says nothing of values."""
    tensors = [(e.name, type(e.desc), [part.tensor.plain() for part in e.desc.parts]) for e in session.experiments]
    assert [(e.name, type(e.desc), [part.tensor.plain() for part in e.desc.parts]) for e in found] == tensors
    assert wires_of(found) == wires_of(session.experiments)


@pytest.mark.parametrize("name", CHAINS)
def test_a_graph_of_directmlx_comes_back(name: str) -> None:
    session = examples.example(name).session()
    data = export(session, "directmlx").data
    same_wires(cpp(data if isinstance(data, str) else data.decode()), session)


def test_expressions_of_directmlx_are_followed_and_another_type_is_a_root() -> None:
    found = cpp(
        """
        auto x = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_FLOAT32, {2, 4}));
        std::vector<dml::Expression> parts = dml::Split(x, 1, {1, 3});
        auto flat = dml::Reinterpret(parts[1], {1, 6}, dml::NullOpt);
        auto twice = dml::Tile(flat, {1, 2});
        auto bits = dml::Reinterpret(twice, DML_TENSOR_DATA_TYPE_UINT32, {1, 12}, dml::NullOpt);
        auto last = dml::Tile(bits, {1, 1});
        auto cut = dml::Reinterpret(dml::Identity(twice), {12}, dml::NullOpt);
        """
    )
    assert [type(each.desc).__name__ for each in found] == ["Split", "Tile", "Tile"]
    split, twice, last = found
    assert wires_of(found) == {(twice.name, "InputTensor"): (split.name, 1)}
    assert str(last.desc.inputs[0].tensor) == "UINT32 {1, 12}"
    assert errors(found) == []


# ---- lines of NumPy and PyTorch -----------------------------------------------------------------------------------


def lines(*text: str) -> tuple[Experiment, ...]:
    return importing.read("\n".join(text).encode(), "m.py").experiments


def test_lines_are_wired_by_variable() -> None:
    found = lines(
        "# x: float32 (1, 8)",
        "a, b = np.split(x, 2, axis=1)",
        "y = np.concatenate([b, a], axis=1)",
        "z = np.tile(y.reshape(2, 4), (1, 2))",
        "y = np.flip(x, 1)",
        "i = np.take(np.array([3, 1, 2]), [0, 1])",
        "np.take(y.T, i, axis=0)",
        "np.take(y, i, axis=1)",
    )
    split, joined_, tiled, flipped, picked, turned, taken = found
    led = {(reader.name, path): entry for reader in found for path, entry in reader.values.items()}
    assert led[joined_.name, "InputTensors[0]"] == Wired(split.name, "OutputTensors[1]", split, 1)
    assert led[joined_.name, "InputTensors[1]"] == Wired(split.name, "OutputTensors[0]", split, 0)
    assert led[tiled.name, "InputTensor"] == Wired(joined_.name, "", joined_)
    assert led[taken.name, "InputTensor"] == Wired(flipped.name, "", flipped)
    assert led[taken.name, "IndicesTensor"] == Wired(picked.name, "", picked)
    assert (turned.name, "InputTensor") not in led  # a transposition is none of the operators
    assert errors(found) == []
    chain = Session(found).chain(tiled.name)
    root = chain.source(0, (0, 0))
    assert chain.root_text(root.root, root.index) == "x[0,4]"


def test_what_changes_a_result_cuts_its_wire() -> None:
    made = ("x = np.zeros((2, 4), np.float32)", "y = np.flip(x, 1)")
    for change in ("y[0] = 3", "y += 1", "y = y.astype(np.float16)", "y = softmax(y)\n# y: float32 (2, 4)"):
        found = lines(*made, change, "np.tile(y, 2)")
        assert len(found) == 2
        assert not wires_of(found), change
    again = lines(*made, "y = y.copy().reshape(8)", "np.tile(y, 2)")
    assert [entry.name for entry in again[1].values.values() if isinstance(entry, Wired)] == [again[0].name]


def test_blocks_of_one_text_keep_their_wires_apart() -> None:
    block = "```python\nx = np.zeros((2, 4), np.float32)\ny = np.flip(x, 1)\nnp.tile(y, 2)\n```\n"
    model = f"```json\n{dispatched(('y', 'a', 'b'), ('z', 'b', 'c'), a=2, b=2, c=2).decode()}\n```\n"
    found = importing.read(f"{block}then\n{model}and\n{model}".encode(), "m.md").experiments
    assert [len(each.stages) for each in found] == [1, 2, 1, 2, 1, 2]
    assert errors(Session(found).experiments) == []


# ---- scripts of dmlviz


@pytest.mark.parametrize("target", ["numpy", "torch", "dmlviz"])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_that_became_a_script_comes_back(name: str, target: str) -> None:
    session = examples.example(name).session()
    found = importing.read(export(session, target).data, "m.py")
    same_chains(found.experiments, session)
    assert [one.feature_level for one in found.experiments] == [one.feature_level for one in session.experiments]
    assert not [remark for remark in found.remarks if not remark.taken]


def test_a_script_of_several_experiments_comes_back_whole_from_a_page_too() -> None:
    made = random.Random("script and back")
    chained = random_chain(made, 6)
    session = Session((*examples.example("join-1").session().experiments, *chained.experiments), 'a """ title')
    text = bytes(export(session, "dmlviz").data).decode()
    for data in (text, text.replace("\n", "\r\n"), f"See:\n\n```python\n{text}```\n"):
        found = importing.read(data.encode(), "m.py" if data[0] == '"' else "m.md").experiments
        assert [(one.name, one.desc, one.values) for one in found] == [
            (one.name, one.desc, one.values) for one in session.experiments
        ]


@pytest.mark.parametrize(
    ("token", "told"),
    [
        ("", "m.py: this script has no token, expected the session that it came from."),
        ("\n\ndml1:", "m.py: the token is cut or damaged"),
        ("\n\ndml9:abc", "m.py: the token begins dml9:, expected dml1:"),
    ],
)
def test_a_script_without_its_token_is_told_to_be_that(token: str, told: str) -> None:
    text = bytes(export(examples.example("join-1").session(), "numpy").data).decode()
    at, end = text.index("\n\ndml1:"), text.index('\n"""')
    with pytest.raises(ImportFailedError) as refused:
        importing.read(f"{text[:at]}{token}{text[end:]}".encode(), "m.py")
    assert str(refused.value).startswith(told)
