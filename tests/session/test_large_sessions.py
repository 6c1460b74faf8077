"""Sessions with many values: what is read, converted and written many at a time is what one by one would be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

import dmlviz as dml
from dmlviz.desc import value_sources
from dmlviz.errors import ValuesError
from dmlviz.formats.json_text import parse_json
from dmlviz.session import reading, writing
from dmlviz.session.experiments import Experiment, Session

NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["nan", "-inf"])
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


def test_a_large_session_is_written_and_read_back() -> None:
    session = session_of([[[[i + 0.25] * 10 for i in range(4_000)]]], 40_000)
    text = writing.dump(session)
    found, errors = reading.parse(text.encode(), "it", None)
    assert not errors
    assert found == session
