"""What a sentence quotes of bad input is printable and short."""

from __future__ import annotations

from typing import Any

from dmlviz.errors import quote


def test_quotes_are_safe_inside_a_sentence() -> None:
    for found in (
        "a\nb",
        "\x1b[2J",
        "\u2028",
        "\x7f\x9b",
        "\ud800",
        "\u202e",
        {"\n": "\r"},
        ["\0"],
        object(),
        float,
        {1},
    ):
        assert quote(found).isprintable()
    loop: list[Any] = []
    loop.append(loop)
    assert quote(loop) == "'list'"
    assert quote(float("nan")) == "nan"
    assert len(quote("x" * 10**6)) == 60
