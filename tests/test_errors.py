"""What a sentence quotes of bad input is printable and short."""

from __future__ import annotations

from typing import Any

from dmlviz.errors import plain, quote


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


def test_plain_text_is_as_it_is_but_for_what_a_terminal_would_act_on() -> None:
    for text in ('name "x"', '"', "C:\\new\\", "it's", "é 行"):
        assert plain(text) == text
    assert plain('a\n\x1b[2J"\u202e') == '\\u001b[2J"\\u202e'.join(("a\\n", ""))
    assert plain("x" * 300, 10) == "x" * 10 + "…"
