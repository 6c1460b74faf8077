"""Texts as people paste them: in whatever wrapping code comes, it is read as the code by itself is."""

from __future__ import annotations

import codecs
from collections.abc import Callable

import pytest
from real.calls.answers import CALLS
from support.commands import call, document, experiment
from support.fuzzing import STRAIGHT, WRAPPINGS, before_lines, fenced, prompted
from support.work import Work

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Why

PYTHON = "x = np.zeros((2, 3), np.float32)\ny = np.tile(x, (2, 1))"
TILED = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (2, 1))
CPP = """
UINT sizes[] = {3, 4}, lengths[] = {3, 1};
DML_BUFFER_TENSOR_DESC x = { DML_TENSOR_DATA_TYPE_FLOAT32, 0, 2, sizes, 0, 48 };
DML_BUFFER_TENSOR_DESC n = { DML_TENSOR_DATA_TYPE_UINT32, 0, 2, lengths, 0, 12 };
DML_TENSOR_DESC xs = { DML_TENSOR_TYPE_BUFFER, &x }, ns = { DML_TENSOR_TYPE_BUFFER, &n };
DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC rev = { &xs, &ns, &xs, 1 };
"""
MODEL = """{
  "resources": {},
  "dispatchables": {"tile": {"type": "DML_OPERATOR_TILE", "desc": {
    "InputTensor": {"DataType": "FLOAT32", "Sizes": [2]}, "OutputTensor": {"DataType": "FLOAT32", "Sizes": [4]},
    "RepeatsCount": 1, "Repeats": [2]}}},
  "commands": []
}"""
PROSE = "Hi, it doesn't work (why?\nWhat I run is this, and it's all I have:\n"


def read(text: str | bytes) -> Imported:
    return importing.read(text.encode() if isinstance(text, str) else text, "paste")


def descs(text: str | bytes) -> list[Desc]:
    return [each.desc for each in read(text).experiments]


# ---- wrappings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrap", WRAPPINGS)
def test_cpp_in_any_wrapping(wrap: Callable[[str], str]) -> None:
    for text in (CPP, *STRAIGHT):
        wrapped = wrap(text)
        if wrapped in (prompted(text), before_lines(text, ">>> ")) or wrapped.startswith("```python"):
            return  # none of which anybody does to C++
        assert descs(wrapped) == descs(text)
        assert descs(f"{PROSE}\n{fenced(wrapped, '`````')}") == descs(text)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("wrap", WRAPPINGS)
def test_python_in_any_wrapping(wrap: Callable[[str], str]) -> None:
    for text, _ in CALLS.values():
        if any(line.startswith((" ", ">", "```")) for line in text.split("\n")):
            continue  # it comes in a wrapping of its own
        try:
            wanted = descs(text)
        except ImportFailedError:
            continue
        assert descs(wrap(text)) == wanted, text
        assert descs(f"{PROSE}\n{wrap(text)}\nIt isn't what I'd expect.") == wanted, text


@pytest.mark.parametrize("mark", [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8])
def test_a_byte_order_mark(mark: bytes) -> None:
    encoding = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}.get(mark, "utf-8")
    for text in (CPP, PYTHON, MODEL, document(experiment()), f"{PROSE}{fenced(MODEL)}"):
        assert descs(mark + text.encode(encoding)) == descs(text)
    found = call("check", "-", stdin=mark + document(experiment()).encode(encoding))
    assert (found.code, found.err) == (0, "")
    assert call("run", "-", stdin=mark + PYTHON.encode(encoding)).code == 0
    with pytest.raises(dml.DmlvizError, match="paste has nothing to import"):
        read(codecs.BOM_UTF16_LE + "né\ud800".encode("utf-16-le", "surrogatepass")[:-1])


# ---- several blocks -----------------------------------------------------------------------------------------------


def test_several_blocks_are_read_in_order_with_their_lines() -> None:
    text = f"{PROSE}\n{fenced(CPP, language='cpp')}\nand\n\n{fenced(PYTHON)}\n~~~json\n{MODEL}\n~~~\n{fenced(CPP)}"
    found = read(text)
    assert [each.desc.TYPE[13:] for each in found.experiments] == [
        "REVERSE_SUBSEQUENCES",
        "TILE",
        "TILE",
        "REVERSE_SUBSEQUENCES",
    ]
    lines = text.split("\n")
    for each in found.remarks:
        if each.text.startswith("DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC rev is"):
            assert lines[each.line - 1].startswith("DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC rev")
        if "became TILE" in each.text:
            assert lines[each.line - 1].startswith("y = np.tile")
        if "dispatchables.tile" in each.where:
            assert lines[each.line - 1] == "{"
    assert [each.text.partition(",")[0][-1] for each in found.remarks if " is experiment " in each.text] == [*"1234"]
    assert not any(each.unchecked for each in found.remarks)


def test_a_block_uses_what_an_earlier_one_says() -> None:
    text = fenced("x = torch.zeros(4, 2)") + "and then\n" + fenced("torch.split(x, 2)\ntorch.cat([x, x])")
    assert [each.TYPE[13:] for each in descs(text)] == ["SPLIT", "JOIN"]


def test_prose_is_not_read_where_there_are_fences() -> None:
    text = f"x = np.tile(np.zeros(9), 3)\n\n{fenced(PYTHON)}"
    found = read(text)
    assert [each.desc for each in found.experiments] == [TILED]
    (said,) = [each.text for each in found.remarks if each.left]
    assert said == "the text outside the fences looks like a line of NumPy or PyTorch, and is passed over."
    assert descs(f"{PROSE}\n{PYTHON}\n\nIt prints\n{fenced('1 2 3')}") == [TILED]  # the fence holds no code


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("DML_TILE_OPERATOR_DESC t = { &a, &b, 2, r };", "DML_TILE_OPERATOR_DESC t is not read: "),
        ("y = torch.cat([p, q])", "torch.cat isn't read: p has no shape here"),
        ("torch.cat([", "torch.cat is in a line that isn't complete Python"),
    ],
)
def test_a_block_that_names_an_operator_and_is_not_read(block: str, says: str) -> None:
    found = read(f"{fenced(MODEL)}\n{fenced(block)}")
    assert len(found.experiments) == 1
    (said,) = [each for each in found.remarks if each.unchecked]
    assert says in said.text
    with pytest.raises(ImportFailedError) as error:
        read(f"text\n{fenced(block)}")
    assert error.value.why is not Why.NOTHING


def test_blocks_of_nothing_known_are_passed_over() -> None:
    found = read(f"{fenced('pip install torch')}{fenced(PYTHON)}{fenced('DML_OPERATOR_GEMM: E_FAIL')}")
    assert [each.taken for each in found.remarks] == [True]


# ---- prefixes -------------------------------------------------------------------------------------------------------


def test_a_diff_is_not_read() -> None:
    text = " x = np.zeros((2, 3), np.float32)\n-y = np.tile(x, 9)\n+y = np.tile(x, (2, 1))\n"
    hunk = f"@@ -1 +1 @@\n{text}"
    for pasted in (f"Since this\n\n{fenced(hunk, language='diff')}", f"--- a/m.py\n+++ b/m.py\n{hunk}", f"> {hunk}"):
        with pytest.raises(ImportFailedError, match=r"is a diff, which isn't read, expected the text that it makes"):
            read(pasted)


def test_prompts_are_no_quotes() -> None:
    dialogue = (
        ">>> import numpy as np\n>>> x = np.zeros((2, 3),\n...   np.float32)\n>>> np.tile(x, (2, 1)).shape\n(4, 3)\n"
    )
    assert descs(dialogue) == [TILED]
    assert descs(before_lines(dialogue, "> ")) == [TILED]


# ---- prose around code ----------------------------------------------------------------------------------------------


def test_code_amid_sentences() -> None:
    found = read(f"{PROSE}\n{PYTHON}\nI can't see it (help!\n")
    assert [each.desc for each in found.experiments] == [TILED]
    assert found.remarks[0].where == "line 5"


def test_sentences_alone_get_the_list_of_formats() -> None:
    for text in (
        "I think np.take is slow.",
        PROSE,
        "DML_GATHER_OPERATOR_DESC fails with E_INVALIDARG",
        fenced("1 2 3"),
    ):
        assert not importing.is_known(text.encode(), "paste")
        with pytest.raises(ImportFailedError, match="expected a dmlviz session, a shared token, "):
            read(text)


def test_a_line_that_is_lost_takes_its_names_along() -> None:
    text = "x = np.zeros((2, 3), np.float32)\nx = x[broken\ny = np.tile(x, (2, 1))\nnp.take(np.zeros(3), [0], 0)"
    found = read(text)
    assert [each.name for each in found.experiments] == ["np.take(np.zeros(3), [0], 0)"]
    assert [(each.where, each.unchecked) for each in found.remarks if not each.taken] == [("line 3", True)]


# ---- bounds ------------------------------------------------------------------------------------------------------

LONG = {
    "prose": lambda n: "It doesn't work (why? I can't see it.\n" * (n // 38) + PYTHON,
    "fences": lambda n: "```\n" * (n // 4),
    "open fence": lambda n: "```\n" + "np.take(\n" * (n // 9),
    "quotes": lambda n: ">" * n + "\nnp.take(x)",
    "lines of quotes": lambda n: ">\n" * (n // 2) + PYTHON,
    "quotes of quotes": lambda n: "> > > > > > > > x\n" * (n // 18) + PYTHON,
    "lines of pluses": lambda n: "+\n" * (n // 2) + PYTHON,
    "braces": lambda n: '"dmlviz"\n' + "{\n" * (n // 2),
    "prompts": lambda n: "In [1]: np.take(x)\n" * (n // 19),
    "log": lambda n: '{"dml_dump":{\n' * (n // 14),
    "log in a log": lambda n: '{\\"dml_dump":' + "\\" * n,
    "notation": lambda n: "InputTensor: (Sizes:{1}, DataType:INT8)\n" * (n // 40),
    "open notation": lambda n: "InputTensor: (Sizes:{1}, DataType:INT8)\n" + "[\n" * (n // 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_work_grows_with_the_text(name: str) -> None:
    """Twice the text is at most about twice the work, or too little to matter."""
    spent = []
    for size in (1 << 17, 1 << 18):
        data = LONG[name](size).encode()
        with Work() as work:
            importing.is_known(data, "paste")
            try:
                read(data)
            except dml.DmlvizError as error:
                assert str(error).isprintable()  # noqa: PT017
        spent.append(work.done)
    assert spent[1] < 100_000 or spent[1] < 2.5 * spent[0]
