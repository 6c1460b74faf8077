"""What reads another's output in a source is wired to it here; what stands between is a root with its name."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from support.effort import part
from support.imported_chains import CHAINS, errors, same_chains, wires_of
from support.random_chains import random_chain

from dmlviz.desc.value_sources import Wired
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.cpp.tokens import tokenize
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError
from dmlviz.operators.padding import Padding
from dmlviz.operators.slice1 import Slice1
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
    assert "c is written by one before; its initial values are taken." in {remark.text for remark in found.remarks}
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


@pytest.mark.parametrize(
    ("target", "name"), [("dxdispatch", "m.json"), ("cpp", "m.cpp"), ("directmlx", "m.cpp"), ("onnx", "m.onnx")]
)
def test_wires_of_random_chains_come_back(target: str, name: str) -> None:
    if target == "onnx":
        pytest.importorskip("onnx", reason="the package onnx isn't installed")
    same = 0
    for seed in range(part(120)):
        made = random.Random(f"there and back {seed}")
        session = random_chain(made).session(made)
        try:
            data = export(session, target).data
        except DmlvizError:
            continue  # a tensor that the target can't say
        found = importing.read(data.encode() if isinstance(data, str) else data, name)
        if len(found.experiments) > len(session.experiments):
            continue  # ONNX mirrors with a Gather for each axis
        wires, own = wires_of(found.experiments), wires_of(session.experiments)
        # A ReverseSequence may need a Transpose before it and behind it, which no wire goes through.
        turned = any("Transpose" in remark.where for remark in found.remarks)
        assert wires.items() <= own.items() if turned else wires == own, seed
        same += wires == own and bool(own)
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


_OPERATORS = """
    UINT whole[] = {1, 8}, half[] = {1, 4}, more[] = {1, 5};
    DML_BUFFER_TENSOR_DESC wholeBuffer = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, whole, nullptr, 32, 0};
    DML_BUFFER_TENSOR_DESC halfBuffer = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, half, nullptr, 16, 0};
    DML_BUFFER_TENSOR_DESC moreBuffer = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, more, nullptr, 20, 0};
    DML_TENSOR_DESC wholeTensor = {DML_TENSOR_TYPE_BUFFER, &wholeBuffer};
    DML_TENSOR_DESC halves[] = {{DML_TENSOR_TYPE_BUFFER, &halfBuffer}, {DML_TENSOR_TYPE_BUFFER, &halfBuffer}};
    DML_SPLIT_OPERATOR_DESC split = {&wholeTensor, 2, halves, 1};
    DML_OPERATOR_DESC splitDesc = {DML_OPERATOR_SPLIT, &split};
    Microsoft::WRL::ComPtr<IDMLOperator> splitOp, joinOp;
    device->CreateOperator(&splitDesc, IID_PPV_ARGS(&splitOp));
    DML_TENSOR_DESC parts[] = {{DML_TENSOR_TYPE_BUFFER, &halfBuffer}, {DML_TENSOR_TYPE_BUFFER, &halfBuffer}};
    DML_JOIN_OPERATOR_DESC join = {2, parts, &wholeTensor, 1};
    DML_OPERATOR_DESC joinDesc = {DML_OPERATOR_JOIN, &join};
    device->CreateOperator(&joinDesc, __uuidof(IDMLOperator), reinterpret_cast<void**>(joinOp.GetAddressOf()));
    DML_OPERATOR_GRAPH_NODE_DESC splitNode = {splitOp.Get(), "split"};
    DML_OPERATOR_GRAPH_NODE_DESC joinNode = {};
    joinNode.Operator = joinOp.Get();
    DML_GRAPH_NODE_DESC nodes[] = {
        {DML_GRAPH_NODE_TYPE_OPERATOR, &splitNode}, {DML_GRAPH_NODE_TYPE_OPERATOR, &joinNode}};
    constexpr UINT kJoin = 1;
    DML_INTERMEDIATE_GRAPH_EDGE_DESC first = {0, 1, kJoin, 0};
    DML_INTERMEDIATE_GRAPH_EDGE_DESC second{};
    second.FromNodeOutputIndex = 0;
    second.ToNodeIndex = kJoin;
    second.ToNodeInputIndex = 1;
    std::vector<DML_GRAPH_EDGE_DESC> edges;
    edges.push_back({DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &first});
    edges.push_back(DML_GRAPH_EDGE_DESC{DML_GRAPH_EDGE_TYPE_INTERMEDIATE, &second});
    DML_GRAPH_DESC graph = {};
    graph.NodeCount = ARRAYSIZE(nodes);
    graph.Nodes = nodes;
    graph.IntermediateEdgeCount = static_cast<UINT>(edges.size());
    graph.IntermediateEdges = edges.data();
    device->CompileGraph(&graph, DML_EXECUTION_FLAG_NONE, IID_PPV_ARGS(&compiled));
"""


def graphs(*changes: tuple[str, str]) -> Imported:
    """What is read of a graph of a SPLIT and a JOIN in a function, with changes of its text."""
    text = _OPERATORS
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return importing.read(f"void Make(IDMLDevice1* device) {{{text}}}".encode(), "m.cpp")


@pytest.mark.parametrize("name", CHAINS)
def test_edges_of_an_exported_graph_come_back(name: str) -> None:
    session = examples.example(name).session()
    data = export(session, "cpp").data
    same_wires(cpp(data if isinstance(data, str) else data.decode()), session)


def test_edges_of_a_graph_that_somebody_wrote_are_wires() -> None:
    found = graphs().experiments
    assert wires_of(found) == {("join", "InputTensors[0]"): ("split", 1), ("join", "InputTensors[1]"): ("split", 0)}
    assert errors(found) == []


def test_a_tensor_that_an_edge_doesnt_fit_is_one_fault() -> None:
    wrong = ("parts[] = {{DML_TENSOR_TYPE_BUFFER, &halfBuffer}", "parts[] = {{DML_TENSOR_TYPE_BUFFER, &moreBuffer}")
    sizes = ("UINT whole[] = {1, 8}", "UINT whole[] = {1, 8}, nine[] = {1, 9}")
    out = (
        "join = {2, parts, &wholeTensor, 1}",
        "join = {2, parts, &nineTensor, 1}",
    )
    nine = (
        "DML_JOIN_OPERATOR_DESC",
        "DML_BUFFER_TENSOR_DESC nineBuffer = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, nine};"
        "nineBuffer.TotalTensorSizeInBytes = 36;"
        "DML_TENSOR_DESC nineTensor = {DML_TENSOR_TYPE_BUFFER, &nineBuffer}; DML_JOIN_OPERATOR_DESC",
    )
    # Each desc by itself is whole: what is wrong is what goes from one into the other.
    assert errors(graphs(wrong, sizes, out, nine).experiments) == [("join", "chain.elements")]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("second.ToNodeInputIndex = 1;", "if (swap) second.ToNodeInputIndex = 1;", "where it may not run"),
        ("graph.Nodes = nodes;", "graph.Nodes = Nodes();", "expected a DML_GRAPH_NODE_DESC that is read"),
        ("{0, 1, kJoin, 0}", "{0, 1, Next(), 0}", "a number that isn't read"),
        ("= joinOp.Get()", "= splitOp.Get()", "one operator is several of its nodes"),
    ],
)
def test_a_graph_that_isnt_read_gives_no_wires_and_says_why(before: str, after: str, told: str) -> None:
    found = graphs((before, after))
    assert not wires_of(found.experiments)
    (remark,) = (remark for remark in found.remarks if "gives no wires" in remark.text)
    assert told in remark.text


def test_an_edge_that_leads_nowhere_is_not_checked() -> None:
    found = graphs(("{0, 1, kJoin, 0}", "{2, 1, kJoin, 0}"))
    assert list(wires_of(found.experiments)) == [("join", "InputTensors[1]")]
    (text,) = (text for each in found.experiments for text in each.not_checked)
    assert "an edge leads from node 2 to node 1, expected two of its 2" in text
    found = graphs(("{0, 1, kJoin, 0}", "{0, 2, kJoin, 0}"))
    (text,) = (text for each in found.experiments for text in each.not_checked)
    assert "from output 2 of 2 to input 0 of 2" in text


def test_no_text_of_a_graph_is_too_much() -> None:
    source = random.Random(3)
    words = tokenize(_OPERATORS).texts
    taken = 0
    for _ in range(300):
        text = list(words)
        for _ in range(source.choice((1, 2, 3, 20))):
            at = source.randrange(len(text))
            text[at : at + source.choice((0, 1, 1, 40))] = source.sample(words, source.choice((0, 1, 1, 3)))
        with contextlib.suppress(ImportFailedError):
            found = cpp(" ".join(text[: source.choice((-1, None, source.randrange(9, len(text))))]))
            taken += bool(wires_of(found))
            for each in found:
                each.check()
    assert taken > 10
    many = "DML_GRAPH_DESC a; a.Nodes = b; f(a[9]); {" * 20_000
    with pytest.raises(ImportFailedError):
        cpp(f"DML_TILE_OPERATOR_DESC t = {{}}; {many}")


# ---- lines of NumPy and PyTorch -----------------------------------------------------------------------------------


def lines(*text: str) -> tuple[Experiment, ...]:
    return importing.read("\n".join(text).encode(), "m.py").experiments


def test_lines_are_wired_by_variable() -> None:
    found = lines(
        'x: "float32[1, 8]"',
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


def test_what_is_said_against_a_result_is_one_fault() -> None:
    told = ("x = torch.zeros(1, 8)", "a, b = x.split(4, 1)", "y = torch.cat([b, a], 1)", "torch.tile(y, (2, 1))")
    assert errors(lines(*told)) == []
    found = lines(*told[:2], "assert a.shape == (1, 5)", *told[2:])
    assert errors(found) == [(found[1].name, "chain.elements")]
    assert found[2].check().waits_for == found[1].name


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


@pytest.mark.parametrize("target", ["numpy", "torch", "dmlviz"])
def test_random_chains_that_became_scripts_come_back(target: str) -> None:
    lost = {"numpy": (), "torch": (Padding,), "dmlviz": ()}[target]
    alike = {"numpy": (Padding,), "torch": (Slice1,), "dmlviz": ()}[target]  # the same map, in other numbers
    same = 0
    for seed in range(part(60)):
        made = random.Random(f"script and back {seed}")
        session = random_chain(made, 6).session(made)
        try:
            data = export(session, target).data
        except DmlvizError:
            continue  # an operator that the library lacks
        if any(isinstance(each.desc, lost) for each in session.experiments):
            with contextlib.suppress(ImportFailedError):
                assert any("takes several" in remark.text for remark in importing.read(data, "m.py").remarks)
            continue
        found = {each.name: each for each in importing.read(data, "m.py").experiments}
        assert wires_of([*found.values()]) == wires_of(session.experiments), seed
        back = Session(tuple(found.values()))
        for each in session.experiments:
            assert found[each.name].desc == each.desc or isinstance(each.desc, alike), (seed, each.name)
            want, got = session.chain(each.name).run(), back.chain(each.name).run()
            assert [a.tobytes() for a in got] == [a.tobytes() for a in want], (seed, each.name)
        same += 1
    assert same > 3


def test_what_somebody_changed_in_a_script_is_what_comes_back() -> None:
    session = examples.example("chain-rotate-half").session()
    for target, before, after in (
        ("numpy", "[split_1[1], split_1[0]]", "[split_1[0], split_1[1]]"),
        ("torch", "[split_1[1], split_1[0]]", "[split_1[0], split_1[1]]"),
        ("dmlviz", "[(0, 1), (0, 0)]", "[(0, 0), (0, 1)]"),
    ):
        data = bytes(export(session, target).data)
        assert data.count(before.encode()) == 1
        found = importing.read(data.replace(before.encode(), after.encode()), "m.py")
        numbers = [wire for (name, _), (_, wire) in wires_of(found.experiments).items() if name == "swapped"]
        assert numbers == [0, 1]


@pytest.mark.parametrize("target", ["numpy", "torch", "dmlviz"])
def test_no_script_is_too_much(target: str) -> None:
    source = random.Random(target)
    text = bytes(export(examples.example("chain-padded-sequences").session(), target).data).decode()
    words = re.findall(r"\w+|\s+|[^\w\s]", text)
    taken = 0
    for _ in range(part(200)):
        mixed = list(words)
        for _ in range(source.choice((1, 1, 2, 9))):
            at = source.randrange(20, len(mixed))
            mixed[at : at + source.choice((0, 1, 4))] = source.sample(words, source.choice((0, 1, 2)))
        with contextlib.suppress(ImportFailedError):
            found = importing.read("".join(mixed).encode(), "m.py")
            taken += bool(wires_of(found.experiments))
            for each in found.experiments:
                each.check()
    assert taken
    long = "a: B at feature level 5_0: " * 2000
    for many in (f"y{'.to(z)' * 9000}", f"y{'.reshape(1)' * 50}", f'"""{long}"""'):
        lines = f"y = np.zeros((1,))\n    indices = {many}\n    z = "
        changed = text.replace("split_1_input = ", lines, 1).replace(
            "split_1: SPLIT", f"split_1: SPLIT{long * (many[0] != 'y')}"
        )
        with contextlib.suppress(ImportFailedError):
            importing.read(changed.encode(), "m.py")
