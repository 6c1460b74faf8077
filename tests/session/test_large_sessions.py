"""Sessions with many values: what is read, converted and written many at a time is what one by one would be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried

import dmlviz as dml
from dmlviz.desc import value_sources
from dmlviz.desc.value_sources import Listed, parse_source
from dmlviz.errors import ValuesError
from dmlviz.formats import json_text
from dmlviz.formats.json_text import escaped, laid_out, parse_json
from dmlviz.session import reading, writing
from dmlviz.session.experiments import Experiment, Session

NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["nan", "-inf"])
)
WHATEVER = st.recursive(
    st.one_of(
        NUMBERS, st.booleans(), st.none(), st.text(max_size=9), st.sampled_from(["],[", "a, b", "]]", "n]", '"'])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=40,
)


@st.composite
def nested(draw: st.DrawFn) -> Any:
    """A list of numbers, nested as a tensor's, some of them no rectangle."""
    made: list[Any] = draw(st.lists(NUMBERS, max_size=60))
    for size in draw(st.lists(st.integers(1, 5), max_size=4)):
        made = [made[i : i + size] for i in range(0, len(made), size)]
    return made


def test_a_mistake_in_a_long_text_is_told_at_its_place() -> None:
    text = "[" + "[1, 2],\n" * 30_000 + "[1 2]]"
    with pytest.raises(ValuesError, match=r"^line 30001, column 4: found "):
        parse_json(text)


def plain_layout(found: Any, depth: int) -> Iterator[str]:
    line = json.dumps(found, ensure_ascii=False, allow_nan=False)
    if len(line) + 2 * depth <= 110 or not isinstance(found, (dict, list)) or not found:
        yield line
        return
    opening, closing = ("{", "}") if isinstance(found, dict) else ("[", "]")
    yield f"{opening}\n"
    items: Any = list(found.items()) if isinstance(found, dict) else found
    for i, item in enumerate(items):
        yield "  " * (depth + 1)
        if isinstance(found, dict):
            yield f"{json.dumps(item[0], ensure_ascii=False)}: "
            item = item[1]
        yield from plain_layout(item, depth + 1)
        yield ",\n" if i < len(items) - 1 else "\n"
    yield f"{'  ' * depth}{closing}"


@tried(300)
@given(
    st.one_of(WHATEVER, nested(), st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=40)), st.integers(0, 60)
)
def test_what_is_written_many_at_a_time_is_laid_out_as_one_by_one(found: Any, depth: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "PIECE", 7)
        assert "".join(laid_out(found, depth)) == "".join(plain_layout(found, depth))


@pytest.mark.parametrize("length", [104, 105, 106, 107, 108, 109, 110, 111, 112])
def test_the_widest_line_is_as_wide_as_ever(length: int) -> None:
    shapes: list[Any] = [["x" * (length - 4)], [1] * (length // 3), [[1]] * (length // 5), [[]] * (length // 4)]
    for found in shapes:
        assert "".join(laid_out(found)) == "".join(plain_layout(found, 0))


@tried(100)
@given(st.text(alphabet="ab\n\x07\u202e\U0001f600", max_size=60), st.integers(1, 9))
def test_escapes_in_pieces_are_escapes(text: str, piece: int) -> None:
    want = escaped(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "PIECE", piece)
        assert escaped(text) == want


def session_of(values: Any, count: int, data_type: str = "FLOAT32") -> Session:
    tensor = dml.TensorDesc(data_type, (1, 1, count // 10, 10))
    return Session((Experiment("one", dml.Tile(tensor, (1, 1, 1, 1)), values={"InputTensor": values}),))


def test_a_long_list_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    plain = value_sources._plain

    def counted(items: Any, kind: dml.DataType) -> Any:
        calls.append(len(items))
        return plain(items, kind)

    monkeypatch.setattr(value_sources, "_plain", counted)
    one = session_of([float(i) for i in range(20_000)], 20_000).experiments[0]
    first, again = one.sources()[0].array(), one.sources()[0].array()
    assert sum(calls) == 20_000
    assert first.tobytes() == again.tobytes()
    assert not first.flags.writeable  # both are one
    other = session_of(one.values["InputTensor"], 20_000, "FLOAT64").experiments[0]
    assert other.sources()[0].array().dtype == "float64"


@pytest.mark.parametrize("bad", ["x", 1e39, True])
def test_the_first_wrong_value_of_a_long_list_is_named(bad: Any) -> None:
    items: list[Any] = [0.5] * 40_000
    items[35_007] = items[39_000] = bad
    with pytest.raises(ValuesError, match=r"^InputTensor\[0,0,3500,7\] is "):
        session_of(items, 40_000).experiments[0].sources()


def test_special_values_among_many_do_not_go_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_sources, "convert", None)
    items = [0.5, "nan", "inf", "-inf", 7] * 8_000
    made = session_of(items, 40_000).experiments[0].sources()[0].array().reshape(-1)
    assert str(made[:5].tolist()) == "[0.5, nan, inf, -inf, 7.0]"


def test_a_large_session_is_written_and_read_back() -> None:
    session = session_of([[[[i + 0.25] * 10 for i in range(4_000)]]], 40_000)
    text = writing.dump(session)
    found, errors = reading.parse(text.encode(), "it", None)
    assert not errors
    assert found == session


def test_a_list_is_copied_without_what_was_made_of_it() -> None:
    import pickle

    source = parse_source([1.0] * 20_000, "x")
    assert isinstance(source, Listed)
    bare = len(pickle.dumps(source))
    session_of(source, 20_000).experiments[0].sources()
    assert len(pickle.dumps(source)) == bare
    assert pickle.loads(pickle.dumps(source)) == source
