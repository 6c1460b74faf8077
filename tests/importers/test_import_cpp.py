"""The C++ importer: exports round trip, pasted snippets are read as people mean them, and no bytes do any harm."""

from __future__ import annotations

import math
import re

import pytest
from support.commands import call
from support.effort import part
from support.fuzzing import STRAIGHT, outcome
from support.outside import Toy
from support.random_sessions import STRANGE, session_of, sessions_of_all_kinds
from support.scripts import HOSTILE
from support.strategies import has_idiom
from support.work import Work

import dmlviz as dml
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.cpp import source as cpp
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Why
from dmlviz.session.examples import Example, all_examples
from dmlviz.session.experiments import Experiment, Session

F32 = dml.DataType.FLOAT32


def read(text: str | bytes) -> Imported:
    data = text if isinstance(text, bytes) else text.encode()
    return importing.read(data, "paste.cpp")


def content(session: Session) -> str:
    return str(export(session, "cpp").content)


def left(found: Imported) -> list[str]:
    return [remark.text for remark in found.remarks if not remark.taken]


def round_trips(session: Session) -> None:
    """Descs, names and levels come back, but for numbers that no INT64 holds, which are cut to 64 bits."""
    session = Session(tuple(one for one in session.experiments if "ull)" not in content(Session((one,)))))
    if not session.experiments:
        return
    found = read(export(session, "cpp").data)
    got = [(each.name, each.feature_level, each.desc) for each in found.experiments]
    wanted = [(cut(each.name), each.feature_level, each.desc) for each in session.experiments]
    assert got == wanted
    known = "isn't given, which DirectML rejects; it is inferred here."
    assert [text for text in left(found) if not text.endswith(known)] == []
    # What was inferred and couldn't be is left out again; counts that are right follow their arrays.
    for mine, theirs in zip(session.experiments, found.experiments, strict=True):
        for field in mine.desc.FIELDS:
            if mine.desc.get(field.name) is None:
                assert field.name in theirs.desc.inferred


def cut(name: str) -> str:
    return name if len(name) <= 200 else name[:199] + "…"


# ---- what the exporter writes -----------------------------------------------------------------------------------


@pytest.mark.drawn(20)
@pytest.mark.parametrize("example", all_examples(), ids=lambda each: each.name)
def test_every_example_round_trips(example: Example) -> None:
    round_trips(example.session())


@pytest.mark.parametrize("example", all_examples(), ids=lambda each: each.name)
def test_every_example_in_directmlx_round_trips(example: Example) -> None:
    experiments = [e for e in example.session().experiments if e.check().ok is not False]
    if written := tuple(e for e in experiments if has_idiom(e.desc, "directmlx")):
        imported = read(export(Session(written), "directmlx").data)
        plain = [(e.name, e.feature_level, type(e.desc), [p.tensor.plain() for p in e.desc.parts]) for e in written]
        assert [
            (e.name, e.feature_level, type(e.desc), [p.tensor for p in e.desc.parts]) for e in imported.experiments
        ] == plain
        assert not any(remark.unchecked for remark in imported.remarks)


def test_random_sessions_round_trip() -> None:
    round_trips(session_of(*STRANGE, level="1_0"))
    for session in (
        *sessions_of_all_kinds(part(300), 21, wrong=0),
        *sessions_of_all_kinds(part(360), seed=22, members=0.3),
    ):
        round_trips(session)


def test_hostile_names_round_trip() -> None:
    desc = dml.Tile(dml.TensorDesc(F32, (2, 3)), (1, 2))
    round_trips(Session(tuple(Experiment(name, desc) for name in HOSTILE), "title"))


def test_an_operator_from_outside_round_trips(toy: Toy) -> None:
    round_trips(session_of(toy.desc(dml.TensorDesc("UINT8", (2, 3, 5)), axis=2), toy.desc(dml.TensorDesc(F32, ()), 7)))


# ---- what people paste ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", STRAIGHT)
def test_line_ends_change_nothing_and_remarks_are_in_order_and_fit_for_a_terminal(text: str) -> None:
    assert cpp.knows(text.encode(), "issue.txt")
    found = read(text)
    for ends in ("\r\n", "\r"):
        again = read(text.replace("\n", ends))
        assert (again.experiments, again.remarks) == (found.experiments, found.remarks)
    lines = [remark.line for remark in found.remarks]
    assert (taken := [remark.line for remark in found.remarks if remark.taken]) == sorted(taken)
    assert max(lines) <= text.count("\n") + 1
    assert all(remark.text.isprintable() and len(remark.text) < 400 for remark in found.remarks)
    said = [re.search(r" is experiment (\d+), at feature level ", remark.text) for remark in found.remarks]
    assert sorted(int(each[1]) for each in said if each) == list(range(1, len(found.experiments) + 1))


def test_what_is_cpp() -> None:
    assert not cpp.knows(b'[{"Type": "DML_TILE_OPERATOR_DESC"}]', "x")
    assert cpp.knows(b"[[maybe_unused]] DML_TILE_OPERATOR_DESC d;", "x")
    assert not cpp.knows(b"The page DML_TILE_OPERATOR_DESC, or DML_JOIN_OPERATOR_DESC (another), says so: x = 1;", "x")
    assert cpp.knows(b"// DML_TILE_OPERATOR_DESC", "X.CPP")
    assert not cpp.knows(b"# DML_TILE_OPERATOR_DESC", "x.py")


UNSIZED = dml.TensorDesc(F32, (1, 2), total_tensor_size_in_bytes=0)
ONE = """
UINT sizes[] = {%s};
DML_BUFFER_TENSOR_DESC b = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, sizes};
DML_TENSOR_DESC t = {DML_TENSOR_TYPE_BUFFER, &b};
UINT r[] = {1, 1};
DML_TILE_OPERATOR_DESC d = {&t, &t, 2, r};
"""


def test_comments_and_strings_are_no_code_and_what_is_not_supported_is_named() -> None:
    hidden = """// DML_JOIN_OPERATOR_DESC notThis = {};
/* UINT sizes[] = {9, 9};
   DML_TILE_OPERATOR_DESC norThis = {}; */
static const char* shader = R"hlsl(
    UINT sizes[] = {7}; DML_TILE_OPERATOR_DESC inShader = {};
)hlsl";
DML_CONVOLUTION_OPERATOR_DESC conv = {};
"""
    found = read(hidden + ONE % "3, 4")
    assert [(each.name, each.desc.get("InputTensor").sizes) for each in found.experiments] == [("d", (3, 4))]
    assert [(one.line, "conv isn't supported" in one.text) for one in found.remarks if one.line == 7] == [(7, True)]


def test_one_operator_after_the_other_in_the_same_struct() -> None:
    made = "CreateOperator(&op, IID_PPV_ARGS(&o));"
    op = "DML_OPERATOR_DESC op = {DML_OPERATOR_TILE, &d};"
    found = read(f"{ONE % '3, 4'}{op}\n{made}\nUINT more[] = {{2, 1}}; d.Repeats = more;\n{made}")
    assert [each.desc.get("Repeats") for each in found.experiments] == [(1, 1), (2, 1)]


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("017", 15),
        ("1'000'000", 1_000_000),
        ("-3", -3),
        ("-one[0]", None),
        ("(2 + 3) * 4", 20),
        ("1 << 4", None),
        ("gsl::narrow_cast<std::uint32_t>(9)", 9),
        ("4294967296", 2**32),
        ("(9 + 3) & ~3", 12),
        ("sizeof(uint16_t) * sizeof(DWORD)", 8),
        ("65536ull * 65536", None),
        ("sizeof(UINT64)", 8),
        ("99999999999999999999999999", None),
        ("0xFF & 0x0F", None),
        ("65536u * 65536u", None),
        ("(uint8_t)300", None),
        ("width", None),
        ("1 / 0", None),
        ("9" * 3000, None),
    ],
)
def test_numbers(written: str, number: int | None) -> None:
    text = f"int one[1]; {ONE}" % f"{written}, 1"
    if number is None:
        with pytest.raises(ImportFailedError, match=r"^paste.cpp: line \d: "):
            read(text)
        return
    (each,) = read(text).experiments
    assert each.desc.get("InputTensor").sizes == (number, 1)


@pytest.mark.parametrize(
    "written",
    [
        "std::vector<UINT> sizes({7, 8});",
        "const UINT* sizes = (UINT[]){7, 8};",
        "std::vector<UINT> sizes; sizes.push_back(7); sizes.emplace_back(8);",
        "std::vector<UINT> sizes(2); sizes[0] = 7; sizes[1] = 8;",
        "std::vector<UINT> sizes(2, 7); sizes[1] += 1; sizes[1] = 8;",
        "auto sizes = std::vector<uint32_t>{}; sizes = {7, 8};",
        "static constexpr std::array<std::uint32_t, 2> sizes = {{7, 8}};",
        "const UINT all[] = {7, 8}; const UINT* sizes = &all[0];",
        "UINT sizes[2]; sizes[0] = 7; sizes[1] = 0; sizes[1] = 8;",
        "enum { A }; const unsigned long long n = 7; UINT sizes[] { n, n + 1 };",
        "if (x) { UINT sizes[] = {1, 2}; } UINT sizes[] = {7, 8}; { UINT sizes[] = {3, 4}; }",
        "#define BOTH(a, b) {a, b}\n#define N \\\n  7\nUINT sizes[] = {(UINT)N, 8,};",
        "UINT /* the sizes */ sizes[] = { // of it\n 7, /*H*/ 8 };",
        "using Sizes = std::array<UINT, 2>; const Sizes sizes = {7, 8};",
        "std::vector<UINT> all = {7, 8}; std::vector<UINT> sizes = std::move(all);",
    ],
)
def test_arrays(written: str) -> None:
    text = ONE.replace("UINT sizes[] = {%s};", written)
    (each,) = read(text).experiments
    assert each.desc.get("InputTensor").sizes == (7, 8)


@pytest.mark.parametrize(
    "written",
    [
        "auto sizes = sizes;",
        "UINT sizes[2]; sizes[0] = sizes; sizes[1] = sizes[0];",
        "UINT a = 1; auto& x0 = a; "
        + "".join(f"auto& x{i + 1} = x{i}; " for i in range(5000))
        + "auto& sizes = x5000;",
        "UINT sizes[99999999] = {1, 2};",
        "UINT sizes[2][2] = {{1, 2}, {3, 4}};",
        "UINT sizes[] = {[1] = 2, [0] = 1};",
        "std::vector<UINT> sizes = Sizes(1, 2);",
        "UINT c[] = {7, 8}; std::vector<UINT> sizes(c + 0, c + 2);",
        "const UINT all[] = {6, 7, 8}; const UINT* sizes = &all[1];",
        "UINT sizes[] = {1, 2};\n#if 0\n#else\nsizes[0] = 3;\n#endif\n",
        "#ifndef N\n#define N 1\n#endif\nUINT sizes[] = {N, 2};",
        "#define N 1 + x\nUINT sizes[] = {N, 2};",
        "#ifdef A\nusing S = std::array<UINT, 2>;\n#else\nusing S = Own;\n#endif\nS sizes = {1, 2};",
    ],
)
def test_what_arrays_are_not_read(written: str) -> None:
    with pytest.raises(ImportFailedError, match=r"DML_TILE_OPERATOR_DESC d is not read: .*\.$"):
        read(ONE.replace("UINT sizes[] = {%s};", written))


def test_more_initialisers_than_elements_are_an_error() -> None:
    with pytest.raises(ImportFailedError, match=r"d is not read: line 2 has 3 initialisers for 2 elements\.$"):
        read(ONE.replace("sizes[] = {%s}", "sizes[2] = {1, 2, 3}"))
    with pytest.raises(ImportFailedError, match=r"d is not read: line 6 has 5 initialisers for the 4 of a DML_TILE"):
        read((ONE % "1, 2").replace("2, r}", "2, r, 0}"))


def test_a_struct_in_a_call() -> None:
    one = ONE.replace("DML_TILE_OPERATOR_DESC d = {&t, &t, 2, r};", "") % "1, 2"
    for given in (
        "return Make(DML_TILE_OPERATOR_DESC{&t, &t, 2, r});",
        "device->CreateOperator(&DML_OPERATOR_DESC{DML_OPERATOR_TILE, &DML_TILE_OPERATOR_DESC{&t, &t, 2, r}}, &op);",
        "auto d = DML_TILE_OPERATOR_DESC{}; d = {&t, &t, 2, r};",
        "DML_TILE_OPERATOR_DESC d; d = DML_TILE_OPERATOR_DESC{&t, &t, 2, r};",
    ):
        assert [each.desc for each in read(one + given).experiments] == [dml.Tile(UNSIZED, (1, 1), UNSIZED)]


def test_the_level_that_is_said() -> None:
    one = ONE % "1, 2"
    assert read(one).experiments[0].feature_level == "6_4"
    assert "6_4, the newest, as none is given" in " ".join(r.text for r in read(one).remarks)
    assert read(one + "auto x = DML_FEATURE_LEVEL_4_0;").experiments[0].feature_level == "4_0"
    two = f"auto y = DML_FEATURE_LEVEL_2_1; void f() {{ auto x = DML_FEATURE_LEVEL_4_0; {one} }} {one}"
    assert [each.feature_level for each in read(two).experiments] == ["6_4", "6_4"]


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("65535ull * 65535 * 4", 65535 * 65535 * 4),
        ("(65535ull * 65535 * 2 + 3) & ~3ull", 65535 * 65535 * 2 + 2),
        ("(65535ull * 65535 * 2 + 3) & ~3u", None),
        ("n * 65536", 2**34),
        ("1ull * (65536 * 65536)", None),
        ("static_cast<UINT>(n) * 65536", None),
        ("1ull << 40", None),
    ],
)
def test_products_of_64_bits(written: str, number: int | None) -> None:
    text = f"UINT64 n = 1 << 18; n = 262144; {ONE % '1, 2'} b.TotalTensorSizeInBytes = {written};"
    found = read(text)
    assert found.experiments[0].desc.inputs[0].tensor.members.get("TotalTensorSizeInBytes") == number
    assert any("literal value" in said for said in left(found)) is (number is None)


def test_bytes_that_directml_calculates_follow_the_sizes_unless_they_are_of_others() -> None:
    call = "DMLCalcBufferTensorSize(DML_TENSOR_DATA_TYPE_FLOAT32, {}, nullptr)"
    strided = "UINT s[] = {1, 0}; b.Strides = s; "
    fewer = "b.DimensionCount = 1; "
    cases = [("", "2, b.Sizes", False), ("", "2, r", True), (strided, "2, b.Sizes", True), (fewer, "2, b.Sizes", True)]
    for before, sizes, is_given in cases:
        found = read(f"{ONE % '1, 2'} {before}b.TotalTensorSizeInBytes = {call.format(sizes)};")
        assert ("TotalTensorSizeInBytes" in found.experiments[0].desc.inputs[0].tensor.given) is is_given


def test_what_no_driver_takes_is_invalid_as_in_a_log() -> None:
    typed = ONE % "1, 2" + "\nDML_OPERATOR_DESC op = {\nDML_OPERATOR_GATHER, &d};"
    for text, said, line in (
        (typed, "DML_OPERATOR_DESC.Type is DML_OPERATOR_GATHER, expected DML_OPERATOR_TILE.", 9),
        (
            (ONE % "1, 2").replace("&t, &t", "\nnullptr, &t"),
            "InputTensor is a null pointer, expected a DML_TENSOR_DESC.",
            7,
        ),
    ):
        (told,) = call("check", "-", "--json", stdin=text).json
        assert (told["verdict"], told["checks"][0]["message"], told["checks"][0]["place"]["line"]) == (
            "invalid",
            said,
            line,
        )
    assert "Type is kind, expected" in " ".join(left(read(typed.replace("DML_OPERATOR_GATHER", "kind"))))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int main() {}", "has nothing to import"),
        ("// DML_TILE_OPERATOR_DESC", "no struct of an operator is filled"),
        ("f(DML_TILE_OPERATOR_DESC{});", "no struct of an operator is filled"),
        ("DML_TILE_OPERATOR_DESC d = {&t, ;", "line 1: DML_TILE_OPERATOR_DESC is not read: line 1 can't be parsed"),
        ("DML_TILE_OPERATOR_DESC d = {};", "line 1: DML_TILE_OPERATOR_DESC d is not read: InputTensor isn't given"),
        ("\n\nDML_ABS_OPERATOR_DESC d = {};", "line 3: DML_ABS_OPERATOR_DESC d isn't supported, expected one of DML"),
        (ONE.replace("FLOAT32", "UINT4") % "1, 2", 'DataType is "DML_TENSOR_DATA_TYPE_UINT4", expected one of'),
        (ONE.replace("&b", "&c") % "1, 2", "InputTensor leads to c, expected a DML_BUFFER_TENSOR_DESC of"),
        (ONE.replace(", r}", ", s}") % "1, 2", "Repeats is s, expected an array of literal values; include"),
        (
            ONE % "1 2",
            'line 2: DML_TILE_OPERATOR_DESC d is not read: line 2 can\'t be parsed: found "2", expected "," or "}".',
        ),
        ((ONE % "1, 2").replace("};", "}", 1), 'line 2 can\'t be parsed: expected ";" after "2}".'),
        (ONE % "1, 2" + "a\nUINT c = 3;", 'line 7 can\'t be parsed: expected ";" after "a".'),
        (ONE % "1, 2" + "b.Flags = 4 * sizeof(UINT)\nb.Flags = 2;", 'line 7 can\'t be parsed: expected ";" after'),
        (
            ONE % "1, 2" + "b.Size = sizes;",
            "line 7: DML_TILE_OPERATOR_DESC d is not read: line 7 names Size, did you mean",
        ),
        (ONE.replace(", 2, r}", ", n, r}") % "1, 2", "RepeatsCount is n, expected a literal value"),
    ],
)
def test_why_nothing_is_read(text: str, said: str) -> None:
    with pytest.raises(ImportFailedError, match=re.escape(said)) as caught:
        read(text)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


GOOD = """\
UINT sizes[2] = {2, 2}, wide[2] = {2, 4}, repeats[2] = {1, 2};
DML_BUFFER_TENSOR_DESC x = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, sizes, nullptr, 16, 0};
DML_BUFFER_TENSOR_DESC y = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, wide, nullptr, 32, 0};
DML_TENSOR_DESC in = {DML_TENSOR_TYPE_BUFFER, &x}, out = {DML_TENSOR_TYPE_BUFFER, &y};
DML_TILE_OPERATOR_DESC good = {&in, &out, 2, repeats};
"""
GATHERS = "auto t = Gather(a, b, 0, 1);"
UNREAD = [
    "auto t = dml::Gather(a, b, 0, 1);",
    f"using namespace dml;\n{GATHERS}",
    "namespace dml {\nExpression f(Expression a) { return Gather(a, b, 0, 1); }\n}",
    "#define MAKE(a) \\\n  dml::Gather(a, b, 0, 1)\nauto t = MAKE(a);",
    "auto make = &dml::Gather;\nauto t = make(a, b, 0, 1);",
    "auto t = dml::Identity(dml::Gather(a, b, 0, 1));",
    "auto t = use(use(DML_GATHER_OPERATOR_DESC{&unseen, &unseen, &out, 1}));",
]
NONE = [
    "// dml::Gather(a, b, 0, 1)",
    'const char* text = "dml::Gather(a)";',
    "using namespace dml;\nauto t = a.Gather(b) + other::Gather(a);",
    "auto t = dml::Convolution(a, b);",
    GATHERS,
    "Log(DML_JOIN_OPERATOR_DESC{}, DML_JOIN_OPERATOR_DESC());",
]


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_not_read_is_told_however_it_is_written(text: str) -> None:
    found = read(GOOD + text)
    assert len(found.experiments) == 1
    assert any("gather" in remark.text.lower() for remark in found.remarks if remark.unchecked)
    with pytest.raises(ImportFailedError) as caught:
        read(text)
    assert caught.value.why in (Why.NOT_READ, Why.NOT_FILLED)


@pytest.mark.parametrize("text", NONE)
def test_what_only_looks_like_a_call_or_a_desc_is_not_told(text: str) -> None:
    assert not any(remark.unchecked for remark in read(GOOD + text).remarks)


def test_an_operator_of_directmlx_whose_output_is_not_known() -> None:
    x = "auto x = dml::InputTensor(graph, 0, dml::TensorDesc(DML_TENSOR_DATA_TYPE_UINT32, {1, 5}));"
    found = read(f"{x} auto y = dml::Gather(x, x, 2, 9); auto z = dml::Tile(y, {{1, 1}});")
    assert left(found) == ["dml::Tile of DirectMLX isn't read: dml::Gather makes nothing that fits."]


def test_text_in_other_encodings() -> None:
    text = ONE % "1, 2"
    assert read(b"\xef\xbb\xbf" + text.encode()).experiments
    assert read(b"// \xff\xfe caf\xe9\n" + text.encode()).experiments


# ---- any bytes --------------------------------------------------------------------------------------------------


MEGABYTE = 1 << 20
LONG = {
    **{
        piece: piece for piece in ("{", "}", "(", "[", "<", ">>", "/*", '"', "\\\n", "#", "-", "&", "if (", "f(", "a.b")
    },
    "raw strings": "".join(f'R"{i}(' for i in range(100_000)),
    "casts": "static_cast<UINT>(",
    "arrays": "UINT a[] = {1, 2};",
    "large arrays": "UINT a[9999999] = {1}; UINT a[9999];",
    "blocks": "{UINT a = 1;",
    "sums": "UINT a = 1" + "+1<<9" * (MEGABYTE // 5),
    "a number": "UINT a = " + "9" * MEGABYTE,
    "descs": "DML_TILE_OPERATOR_DESC d = {};",
    "descs inside": "DML_TILE_OPERATOR_DESC{",
    "deep names": "// Experiment " + '"[' * (MEGABYTE // 2),
}


@pytest.mark.drawn(2)
@pytest.mark.parametrize("piece", LONG)
def test_work_is_in_proportion(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.importers.cpp.names.MOST_ELEMENTS", 1 << 16)  # of arrays, beyond which none is made
    unit, size = LONG[piece], part(MEGABYTE // 4)
    data = (unit * (size // len(unit) + 1)).encode()[:size]
    for text in (b"DML_TILE_OPERATOR_DESC e = {};" + data, b"DML_TILE_OPERATOR_DESC e = {" + data):
        with Work() as work:
            outcome(text)
        assert work.done < 500 * size


def test_many_references_to_one_array_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.importers.cpp.names.MOST_ELEMENTS", 1 << 17)
    many = ", ".join(["t"] * 3000)
    text = ONE % ", ".join(["1"] * 3000) + f"DML_TENSOR_DESC ts[] = {{{many}}};\n"
    text = text.replace("FLAG_NONE, 2,", "FLAG_NONE, 3000,")
    text += "DML_JOIN_OPERATOR_DESC j = {3000, ts, &t, 0};\nDML_OPERATOR_DESC op = {DML_OPERATOR_JOIN, &j};\n"
    text += "j.Axis = 1; CreateOperator(&op); j.Axis = 2; CreateOperator(&op);\n" * 100
    with Work() as work:
        outcome(text.encode())
    assert work.done < 1 << 22


def test_a_source_that_is_too_large_is_refused() -> None:
    with pytest.raises(ImportFailedError, match=r"bytes, expected at most 1,048,576 of C\+\+\.$"):
        read(b"DML_TILE_OPERATOR_DESC" + b" " * cpp.MOST_BYTES)


# ---- by one rule -----------------------------------------------------------------------------------------------

JOIN_OF_ONE = """UINT s[] = {2, 3};
DML_BUFFER_TENSOR_DESC b = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, s, nullptr, 24, 0};
DML_TENSOR_DESC t = {DML_TENSOR_TYPE_BUFFER, &b};
UINT two = 2, axis = 0;
std::vector<UINT> v = {1};
DML_JOIN_OPERATOR_DESC j = {1, &t, &t, 1};
"""


@pytest.mark.parametrize(("then", "axis"), [("j.Axis = two * 0;", 0), ("look(j);", 1)])
def test_what_a_statement_comes_to(then: str, axis: int) -> None:
    (found,) = read(JOIN_OF_ONE + then).experiments
    assert isinstance(found.desc, dml.Join)
    assert found.desc.axis == axis


@pytest.mark.parametrize(
    "then",
    [
        "j.Axis = two ? (two = 1) : 2;",
        "UINT* r = &axis; if (x) r = &two; *r = 5; j.Axis = axis;",
        "m_axis = &axis; axis = 1; Run(); j.Axis = axis;",
        "again: j.Axis = axis; axis = 1; if (x) goto again;",
        "for (int i = 0; i < 2; ++i) { j.Axis = axis; axis = 1; CreateOperator(&op); }",
        "set(j.Axis);",
        "set(axis = 1); j.Axis = axis;",
        "auto& [count, in, out, along] = j; along = 1;",
        "reinterpret_cast<UINT*>(&j)[6] = 1;",
        "for (auto* d : {&b}) d->DataType = DML_TENSOR_DATA_TYPE_INT8;",
        "Set(j); DML_OPERATOR_DESC op = {DML_OPERATOR_JOIN, &j};",
        "s[i] = 4;",
        "for (auto& size : s) size = 2;",
        "const bool ok = Adjust(s);",
        "memcpy(s, shape, sizeof(s));",
        "b.Fix();",
        "Holder holder{axis}; holder.Run(); j.Axis = axis;",
        "auto moved = std::move(v); j.Axis = v[0];",
        "j.*along = 1;",
        "volatile UINT kept = 1; j.Axis = kept;",
        "UINT kept; j.Axis = kept;",
        "{ enum { two = 1 }; j.Axis = two; }",
        "{ using other::two; j.Axis = two; }",
        "{\n#if A\nconst UINT two = 1;\n#endif\nj.Axis = two; }",
        "UINT* q = nullptr; Look(&q); q = &axis; Run(); j.Axis = axis;",
        "j.Axis = other::two;",
        "__asm { mov axis, 1 } j.Axis = axis;",
        "settings >> axis; j.Axis = axis;",
        "UINT& chosen = wide ? axis : two; chosen = 1; j.Axis = axis;",
        "const UINT kept = 0; const_cast<UINT&>(kept) = 1; j.Axis = kept;",
        "*(UINT*)&axis = 1; j.Axis = axis;",
        "auto choose = [&] { if (wide) axis = 1; }; choose(); j.Axis = axis;",
        "DML_JOIN_OPERATOR_DESC* all[] = {&j}; if (x) all[0]->Axis = 1;",
        "auto make = [&] { DML_JOIN_OPERATOR_DESC k = {two, &t, &t}; Make(&k); }; two = 3; j.Axis = n;",
    ],
)
def test_what_was_not_understood_is_not_known_afterwards(then: str) -> None:
    with pytest.raises(ImportFailedError, match=r"DML_JOIN_OPERATOR_DESC j is not read: "):
        read(JOIN_OF_ONE + then)


PADDED = JOIN_OF_ONE + "DML_PADDING_OPERATOR_DESC p = {&t, &t, DML_PADDING_MODE_EDGE, 0.5f, 2, s, s};"


@pytest.mark.parametrize(
    ("then", "held"),
    [
        ("p.PaddingMode = static_cast<DML_PADDING_MODE>(2);", ("REFLECTION", 0.5)),
        ("p.PaddingMode = DML_PADDING_MODE(9);", (9, 0.5)),
        ("DML_PADDING_MODE mode{}; p.PaddingMode = mode;", ("CONSTANT", 0.5)),
        ("#define MODE DML_PADDING_MODE_CONSTANT\np.PaddingMode = MODE;", ("CONSTANT", 0.5)),
        ("const float value = -1e-3F; p.PaddingValue = value;", ("EDGE", -0.001)),
        ("p.PaddingValue = static_cast<FLOAT>(7);", ("EDGE", 7)),
        ("p.PaddingValue = INFINITY;", ("EDGE", math.inf)),
        ("p.PaddingValue = 1'0.25;", ("EDGE", 10.25)),
        ("p.PaddingValue = 1.0f / 3;", None),
        ("p.PaddingMode = DML_PADDING_MODE_TWICE;", None),
    ],
)
def test_choices_and_floats(then: str, held: tuple[object, float] | None) -> None:
    found = [each.desc for each in read(PADDED + then).experiments[1:]]
    assert [(desc.get("PaddingMode"), desc.get("PaddingValue")) for desc in found] == ([held] if held else [])


CHANGED = """%s
DML_BUFFER_TENSOR_DESC in = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, a, nullptr, 24, 0};
DML_BUFFER_TENSOR_DESC out = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, b, nullptr, 48, 0};
%s
DML_TENSOR_DESC ti = {DML_TENSOR_TYPE_BUFFER, &in}, to = {DML_TENSOR_TYPE_BUFFER, &out};
DML_TILE_OPERATOR_DESC tile = {&ti, &to, 2, r};
"""
ARRAYS = "UINT a[] = {2, 3}, b[] = {4, 3}, r[] = {2, 1};"


@pytest.mark.parametrize("function", ["void f(UINT n) {", "template <UINT n> void f() {"])
def test_a_parameter_is_not_what_stands_outside(function: str) -> None:
    text = CHANGED % ("const UINT n = 2; " + function + ARRAYS.replace("2, 3", "n, 3"), "")
    with pytest.raises(ImportFailedError, match=r"tile is not read: (?:InputTensor.Sizes\[0\] is n,|line 1 gives n;)"):
        read(text)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (ARRAYS, ""),
        ("UINT n = 2; UINT a[] = {n, 3}, b[] = {4, 3}, r[] = {2, 1}; n = 5;", ""),  # a copy of it
        ("UINT n = 1; n += 1; UINT a[] = {n, 3}, b[] = {2 * n, 3}, r[] = {2, 1};", ""),
        ("void f() {" + ARRAYS + " if (b[0] != 4) return;", "printf(x, a[0] + 0); std::cout << 2 * a[1];"),
        (ARRAYS, "Upload(x, y); for (int i = 0; i < 9; ++i) { bindings[i] = i; }"),
    ],
)
def test_what_is_only_read_stays_as_it_was(first: str, then: str) -> None:
    (found,) = read(CHANGED % (first, then)).experiments
    assert found.check().verdict == "valid"
    assert [part.tensor.sizes for part in found.desc.parts] == [(2, 3), (4, 3)]


@pytest.mark.parametrize("before", ["", "hr = ", "return ", "ThrowIfFailed(", "\n#if DUMPS\n"])
@pytest.mark.parametrize("call", ["DML_CREATE_OPERATOR(device, &op, IID_PPV_ARGS(&made))", "dml_dump(op)"])
def test_what_dml_dump_h_offers_takes_a_desc_as_it_is(before: str, call: str) -> None:
    after = {"ThrowIfFailed(": ");", "\n#if DUMPS\n": ";\n#endif\n"}.get(before, ";")
    made = f"DML_OPERATOR_DESC op = {{DML_OPERATOR_TILE, &tile}}; {before}{call}{after} b[0] = 5;"
    found = read(CHANGED % (ARRAYS, "") + made)
    (tile,) = found.experiments
    assert tile.check().verdict == "valid"
    assert all("b[0]" in remark.text for remark in found.remarks if not remark.taken)


WRAPPED = (
    "if (wide) { @ }",
    "if (wide) { } else { @ }",
    "for (auto i : list) { @ }",
    "do { @ } while (more());",
    "switch (kind) { case 1: @ break; }",
    "auto later = [&] { @ }; later();",
    "run([&](int i) { @ });",
    "struct Local { void f() { @ } };",
    "\n#if A\n#elif B\n@\n#endif\n",
    "try { f(); } catch (const E& e) { @ }",
    "wide ? (void)($) : (void)0;",
    "wide && ($, true);",
    "\n#define SET $\nif (wide) SET;\n",
    "if (wide) goto skip; @ skip:;",
    "again: @ if (wide) goto again;",
    "if (wide) [[likely]] @",
    "WHEN(wide) @",
)
"""Ways to set something that may not be carried out: `@` is the statement, `$` its expression."""


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("set_", ["tile.RepeatsCount = 1", "a[0] = 7", "ti.Desc = &out", "in = {}", "in.Sizes = b"])
def test_what_is_set_under_a_branch_gets_no_verdict(wrapped: str, set_: str) -> None:
    whole = CHANGED % (ARRAYS, "") + wrapped.replace("@", f"{set_};").replace("$", set_)
    for text in (whole, f"void Make(IDMLDevice* device)\n{{\n{whole}\n}}\n"):
        with pytest.raises(ImportFailedError, match=r"DML_TILE_OPERATOR_DESC (?:tile )?is not read: "):
            read(text)
