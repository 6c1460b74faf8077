"""Lines of NumPy and PyTorch come in as descs that compute what the line does; nothing in them is evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.fuzzing import outcome
from support.work import Work

import dmlviz as dml
from dmlviz.importers.calls import source as calls
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Why
from dmlviz.running.engine import inputs_of
from dmlviz.session.experiments import Experiment


def read(text: str) -> Imported:
    found = importing.read(text.encode(), "paste")
    assert all(each.where.isprintable() and each.text.isprintable() for each in found.remarks)
    return found


def only(text: str) -> Any:
    (each,) = read(text).experiments
    return each


def refusal(text: str) -> str:
    with pytest.raises(ImportFailedError) as error:
        importing.read(text.encode(), "paste.py")
    assert str(error.value).isprintable()
    return str(error.value)


def computed(each: Experiment) -> list[NDArray[Any]]:
    return dml.run(each.desc, inputs_of(each.desc, each.sources()))


LINES = (
    "np.take(x, [[2, -1], [0, 0]], axis=-1)",
    "x.take([3, 0], 0)",
    "x.take([[5, -6]])",
    "np.concatenate([y, x, y], axis=1)",
    "np.concatenate((x, y), axis=None)",
    "np.vstack([x, x])",
    "np.hstack((y, x))",
    "np.split(x, [1, 2], axis=-2)",
    "np.split(x, 2, 0)",
    "np.array_split(x, 3, axis=0)",
    "np.tile(x, (2, 1, 3))",
    "np.tile(y, 2)",
    "np.flip(x, axis=0)",
    "x[..., ::-1]",
    "x[:, [-1, 0, 2]]",
)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("kind", ["float16", "uint8", "int64"])
def test_lines_make_what_numpy_makes(line: str, kind: str) -> None:
    made = f"x = np.arange(3, 27, 2).reshape(4, -1).astype(np.{kind})\ny = np.full((4, 2), 7, dtype=np.{kind})"
    names: dict[str, Any] = {"np": np}
    exec(made, names)
    result = eval(line, names)
    want = [np.asarray(each) for each in (result if isinstance(result, list) else [result])]
    ours = computed(read(f"{made}\n{line}").experiments[-1])
    assert [each.dtype for each in ours] == [each.dtype for each in want]
    assert [each.tobytes() for each in ours] == [each.tobytes() for each in want]
    # The desc has 1s that the line has not: IndexDimensions, leading axes.
    assert [[n for n in each.shape if n > 1] for each in ours] == [[n for n in each.shape if n > 1] for each in want]


F32 = "FLOAT32"


def tensor(*sizes: int, kind: str = F32) -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


HALF_TILE = dml.Tile(tensor(2, 3, kind="FLOAT16"), (1, 2))


@pytest.mark.parametrize(
    ("text", "desc"),
    [
        ("np.take(x, [0, 2], axis=1)  # x: float32 (2, 3)", dml.Gather(tensor(2, 3), tensor(1, 2, kind="INT64"), 1, 1)),
        ("# x: float32 (6,)\nx.take([[0, 1]])  # np", dml.Gather(tensor(1, 6), tensor(1, 2, kind="INT64"), 1, 2)),
        ("x = torch.zeros(2, 3)\ntorch.cat([x, x], dim=-1)", dml.Join((tensor(2, 3), tensor(2, 3)), 1)),
        ("x.repeat(2, 3)  # x: (2, 3); torch", dml.Tile(tensor(2, 3), (2, 3))),
        ("import numpy as n\nn.tile(n.zeros(2, n.float32), 3)", dml.Tile(tensor(2), (3,))),
        (
            "from torch import cat as c, zeros\nc([zeros(2, 3), zeros((1, 3))])",
            dml.Join((tensor(2, 3), tensor(1, 3)), 0),
        ),
        (">>> x = np.ones(3, 'float32')\n>>> np.tile(x, 2)\narray([1., 1.])", dml.Tile(tensor(3), (2,))),
        ("x = load()  # x: float32 (2, 3)\ny = np.tile(x, 2)", dml.Tile(tensor(2, 3), (1, 2))),
        ("x = np.random.random((2, 3)).astype('float16')\nnp.tile(x, 2).shape", HALF_TILE),
        ("x: Any = np.zeros(2, 'f4')\nnp.tile(x, (2, 1))", dml.Tile(tensor(1, 2), (2, 1))),
        (
            "x = torch.ones(2, 2, device=anything).to(device).cuda()\ntorch.tile(x, (1, 2))",
            dml.Tile(tensor(2, 2), (1, 2)),
        ),
        (
            "x = torch.ones(4).to('cuda', torch.float16).view(2, -1)\nx.repeat(1, 2)",
            dml.Tile(tensor(2, 2, kind="FLOAT16"), (1, 2)),
        ),
        ("y = model(np.take(x, [1], 0))  # x: (2, 3)", dml.Gather(tensor(2, 3), tensor(1, 1, kind="INT64"), 0, 1)),
        ("    x = np.zeros((2 * 3,), np.float32)\n    print(np.tile(x, 2))", dml.Tile(tensor(6), (2,))),
        ("x = np.zeros((5, 4), np.float32)\nx[1:2]", dml.Slice1(tensor(5, 4), (1, 0), (1, 4), (1, 1))),
        ("x = np.zeros((5, 4), np.float32)\nx[::2, 1:-1]", dml.Slice1(tensor(5, 4), (0, 1), (5, 2), (2, 1))),
        ("x = np.zeros((4, 6), np.float32)\nx[2::-1, ..., -2:]", dml.Slice1(tensor(4, 6), (0, 4), (3, 2), (-1, 1))),
        ("x = np.zeros((4, 6), np.float32)\nx[::-2, 1:5:2]", dml.Slice1(tensor(4, 6), (0, 1), (4, 4), (-2, 2))),
    ],
)
def test_descs(text: str, desc: dml.Gather) -> None:
    assert calls.knows(text.encode(), "paste")
    assert only(text).desc == desc


def test_results_go_on() -> None:
    found = read(
        "x = np.zeros((4, 2), np.float32)\na, b = np.split(x, 2)\ny = np.concatenate([b, a, x])\nnp.tile(y.T, 2)"
    )
    assert [each.desc.TYPE[13:] for each in found.experiments] == ["SPLIT", "JOIN", "TILE"]
    assert found.experiments[2].desc.inputs[0].tensor == tensor(2, 8)
    assert [each.line for each in found.remarks] == [2, 3, 4]
    assert found.remarks[1].text.startswith("np.concatenate is experiment 2, at feature level ")
    assert found.remarks[1].text.endswith("; it reads np.split(x, 2).")


def test_values_come_along() -> None:
    each = only("x = np.array([[1, 2], [3, 4]], np.float16)\nnp.take(x, [[1], [-2]], 0)")
    assert str(each.sources()[0].array().tolist()) == "[[[1.0, 2.0], [3.0, 4.0]]]"
    assert each.sources()[1].array().tolist() == [[[1], [-2]]]
    assert each.name == "np.take(x, [[1], [-2]], 0)"
    large = only("np.tile(np.zeros((99999, 1000), np.int8).reshape(-1, 10), 2)")
    assert large.desc.inputs[0].tensor == tensor(9999900, 10, kind="INT8")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "np.concatenate([np.zeros(2, np.float32), np.arange(3)])",
            "FLOAT32 and INT64 are promoted to FLOAT64, expected one type: DirectML promotes nothing, cast them first.",
        ),
        (
            "np.take(np.zeros(9), np.array([1, 2], np.uint8), 0)",
            "its indices are UINT8, expected a type that DirectML takes; UINT32 is shown.",
        ),
    ],
)
def test_what_directml_lacks_is_told(text: str, says: str) -> None:
    _, said = read(f"import numpy as np\n{text}").remarks
    assert said.text == f"{text.partition('(')[0]}: {says}"
    assert (said.line, said.experiment, said.taken, said.unchecked) == (2, 0, False, False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("np.take(x, [0], 1)", "line 1: np.take isn't read: x has no shape here"),
        ("x = np.linspace(0, 1, 9)\ny = x + 1\nnp.take(y, [0])", "line 3: np.take isn't read: x is set in line 1"),
        ("x = np.zeros((4, 6))\nx[0, 1:]", "line 2: x[0, 1:] indexes 2 axes"),
        ("x = np.zeros(5)\nx[5:]", "line 2: x[5:] takes nothing"),
        ("x = torch.zeros(5)\ny = x[::-2]", "line 2: x[::-2] is a slice with a step that the library rejects"),
        ("builder.split(input, 4, {axis: 1})", "line 1: builder.split is WebNN's"),
        ("np.tile(np.zeros(3, bool), 2)", "line 1: np.tile is given an array of bool"),
        (
            "x = torch.zeros(3).to(torch.bfloat16)\ntorch.tile(x, (2,))",
            "torch.tile is given an array of bfloat16",
        ),
        ("torch.cat([torch.zeros(2)], dims=1)", "got an unexpected keyword argument 'dims'"),
        ("np.take(np.zeros(3), [0], 'a')", "line 1: np.take has axis 'a'"),
        ("import tensorflow as tf\ntf.gather(x, [0])", "line 2: tf.gather is TensorFlow's"),
        ("jnp.take(x, i, axis=0)", "line 1: jnp.take is JAX's"),
        (
            "from onnx import helper\nhelper.make_node('Gather', ['x', 'i'], ['y'])",
            "helper.make_node is ONNX's",
        ),
        ("# x: float32 (2, 3)\nx.repeat(2, 3)", "line 2: x.repeat is no function that is read"),
        (
            "x = np.zeros((2, 3))\nnp.take_along_axis(x, [[1]], 1)",
            "broadcasts float64 (2, 3)",
        ),
        ("np.split(np.zeros(5), [3, 2])", "line 1: np.split makes an empty part"),
        ("np.split(np.zeros(5), 2)", "array split does not result in an equal division"),
        ("np.take(np.zeros(5), [0], axis=1)", "axis 1 is out of bounds for array of dimension 1"),
        ("np.take(np.zeros(5), *i)", "line 1: np.take isn't read: *i isn't evaluated"),
        ("np.take(x, [0", "line 1: np.take is in a line that isn't complete Python"),
        ("# x: (2, 3)", "there is no call in it"),
        ("for x in y: np.take(x, 0)", "line 1: np.take isn't read: for x in y isn't looked into"),
        ("np.take(\n    x it's,\n    [0])", "line 1: np.take is in a line that isn't complete Python"),
    ],
)
def test_what_is_not_read_is_told_with_its_line(text: str, says: str) -> None:
    said = refusal(text)
    assert said.startswith("paste.py: ")
    assert says in said
    assert said.endswith(".")


@pytest.mark.parametrize(
    "data",
    [
        b'{"Type": "DML_OPERATOR_GATHER", "np": "np.take(x)"}',
        b"DML_GATHER_OPERATOR_DESC gather = {}; // np.take(x, i)",
        b"#include <DirectML.h>\nnp.take",
        b"auto y = dml::Gather(x, i, 0, 1); split(x)",
        b"plain words about a cat (and a tile)",
        b"\x08\x08\x3a\x00np.take(x)\x00",
        b"dml1:bnAudGFrZSg",
        b"",
    ],
)
def test_other_files_are_left_to_others(data: bytes) -> None:
    assert not calls.knows(data, "file")


@pytest.mark.parametrize(
    ("text", "name"), [("x = 1", "lesson.py"), ("n = helper.make_node('Split', ['x'], ['y'])", "paste")]
)
def test_lines_are_known(text: str, name: str) -> None:
    assert calls.knows(text.encode(), name)


def test_nothing_is_evaluated(tmp_path: Any) -> None:
    mark = tmp_path / "mark"
    for text in (
        f"np.take(open({str(mark)!r}, 'w'), [0], 0)",
        f"np.zeros((__import__('pathlib').Path({str(mark)!r}).touch(), 3))",
        f"np.array([i for i in open({str(mark)!r}, 'w')])",
        f"np.take(f\"{{open({str(mark)!r}, 'w')}}\", 0)",
    ):
        refusal(text)
    assert not mark.exists()


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "text",
    [
        "np.take(x, " + "[" * 20_000,
        "np.take(" + "-" * 60_000 + "1)",
        "np.take(" + "1 if 1 else " * 5_000 + "1)",
        "np.take(" + "1+" * 30_000 + "1)",
        "np." + "a." * 30_000 + "a",
        "np.take(" + "9" * 60_000 + ")",
        "np.take(" + "1," * 30_000 + "it's",
        pytest.param("np.zeros((" + "1," * 30_000 + "))", marks=pytest.mark.slow),
        pytest.param("np.tile(np.zeros(1), (" + "9," * 30_000 + "))", marks=pytest.mark.slow),
        "np.zeros((999999999, 999999999, 999999999))\nnp.arange(10**9)\nnp.arange(0, 1e300, 1e-300)",
        "np.array_split(np.zeros(99999999999), 99999999999)",
        "torch.split(torch.zeros(99999999999), 1)",
        pytest.param("x = [0, 0]\n" + "x = [x, x]\n" * 5_000 + "np.take(x, x)", marks=pytest.mark.slow),
        pytest.param("x = np.zeros(2)\n" + "x = np.tile(x, 99)\n" * 3_000, marks=pytest.mark.slow),
        "#" + "a" * 60_000,
        "np.take(x)" + "\n" * 50_000,
        ">>> " * 15_000,
        "it's\n" * 10_000 + "np.take(x, 0)",
    ],
)
def test_bombs(text: str) -> None:
    """Deep, long and huge lines are refused, or taken as far as they go, with work in proportion."""
    read("np.tile(np.zeros(3, np.float32), 2)")  # so that modules are there
    with Work() as work:
        outcome(text.encode())
    assert work.done < 1 << 23


@pytest.mark.parametrize(
    "changed",
    [
        *("x[0] = 5", "x += 5", "np.random.shuffle(x)", "for k in range(3):\n    x[k] = 0", "y = x.T\ny[0] = 5"),
        "y = np.add(x, 1, out=x)",
    ],
)
def test_values_that_are_changed_in_place_are_not_known(changed: str) -> None:
    text = f"x = np.arange(6, dtype=np.float32).reshape(3, 2)\n{changed}\nnp.tile(x, (2, 1))\n"
    (found,) = read(text).experiments
    assert found.desc == dml.Tile(dml.TensorDesc("FLOAT32", (3, 2)), (2, 1))
    assert not found.values


SHAPE = ("x = np.zeros((3, 2), np.float32)", "np.tile(x, (2, 1))")
LIST = ("x = np.zeros(2, np.float32)\na = [x, x]\nb = a", "np.concatenate(b)")
NUMBER = ("n = 2", "np.tile(np.zeros(3, np.int8), n)")
CHANGES = {
    SHAPE: (
        "if short:\n    x = x[:1]",
        "for x in parts:\n    pass",
        "x.fill(3)",
        "x.shape = (2, 3)",
        "x.unsqueeze_(0)",
        "x = np.kron(x, x)",
        "x, y = load()",
        "print((x := load()))",
        "with load() as x:\n    pass",
        "words, not Python\nelse:\n    y = 1\n    x = load()",
        "text = (it's\n    x = load())",
        "del x",
    ),
    LIST: ("a += [x]", "y = a.pop()", "a[0] = y", "b.append(x)", "load(a)"),
    NUMBER: ("n += 1", "n = load()"),
}


@pytest.mark.parametrize(("about", "changed"), [(about, changed) for about in CHANGES for changed in CHANGES[about]])
def test_what_may_have_changed_is_not_known(about: tuple[str, str], changed: str) -> None:
    found = read(f"{about[0]}\n{changed}\n{about[1]}\nnp.tile(np.zeros(1, np.int8), 2)\n")
    assert [each.desc for each in found.experiments] == [dml.Tile(tensor(1, kind="INT8"), (2,))]
    (said,) = [each for each in found.remarks if each.unchecked]
    assert said.line == f"{about[0]}\n{changed}\n".count("\n") + 1


def test_of_a_text_that_is_no_python_as_a_whole_each_call_is_told() -> None:
    lines = [f"np.tile(np.zeros(3, np.int8), 2)\nnp.tile(unknown_{number}, 2)\n" for number in range(200)]
    found = read(f"{''.join(lines)}it's\n")
    assert (len(found.experiments), sum(each.unchecked for each in found.remarks)) == (200, 200)


@pytest.mark.parametrize("unchanged", ["print(n)", "load(n)"])
def test_a_number_stays_what_it_is(unchanged: str) -> None:
    assert only(f"n = 2\n{unchanged}\nnp.tile(np.zeros(3, np.int8), n)").desc == dml.Tile(tensor(3, kind="INT8"), (2,))


@pytest.mark.parametrize(
    ("text", "unchecked"),
    [
        ("y = tf.gather(x, 0)", True),
        ("y = [np.take(each, 0) for each in rows]", True),
        ("words = line.split(',')", False),
        ("y = torch.relu(hidden)", False),
        ("y = hidden.gather(1, order)", True),
        ("y = x[0, 0:2]", True),
        ("y = x[order]", True),
    ],
)
def test_what_names_an_operator_and_is_not_read_is_unchecked(text: str, unchecked: bool) -> None:
    found = read(f"import torch\nx = torch.zeros(4, 2)\n{text}\ntorch.cat([x, x])\n")
    assert len(found.experiments) == 1
    assert any(each.unchecked for each in found.remarks) is unchecked


def test_a_text_of_other_operators_alone_says_so() -> None:
    for text in ("torch.relu(x)", "y = torch.stack([x, i])\nz = np.roll(y, 1)"):
        with pytest.raises(ImportFailedError) as other:
            read(text)
        assert other.value.why is Why.NOTHING
    default = "torch.set_default_dtype(torch.float64)\ny = torch.cat([torch.zeros(2), torch.zeros(2)])"
    for text in ("torch.relu(x)\ntorch.cat([x, y])", "load(x)  # np.take", default):
        with pytest.raises(ImportFailedError) as error:
            read(text)
        assert error.value.why is not Why.NOTHING
