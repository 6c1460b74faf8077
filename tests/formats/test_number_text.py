"""Numbers as people type them and C++ writes them, durations and counts in three digits, arrays as the pages print."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from dmlviz.errors import DmlvizError, ValuesError
from dmlviz.formats import number_text
from dmlviz.formats.durations import duration, three_digits
from dmlviz.formats.number_text import one_number, parse_numbers, words_of
from dmlviz.formats.page_text import page_text, short_count
from dmlviz.formats.tolerant_json import parse_tolerant, strict_text


@pytest.mark.parametrize("text", ["1, 2,3", " {1 2 3} ", "[1,2,3,]", "1,2 3"])
def test_numbers_are_parted_by_commas_or_blanks(text: str) -> None:
    assert parse_numbers(text, "Sizes") == [1, 2, 3]


@pytest.mark.parametrize("text", ["", " {} ", ",", "1,,2", "1_000", "x", "1.5"])
def test_what_is_no_number_names_its_field(text: str) -> None:
    with pytest.raises(DmlvizError, match=r"^Sizes .*, expected integers such as"):
        parse_numbers(text, "Sizes")


def test_one_number_is_one() -> None:
    assert (one_number(" -7 ", "Axis"), words_of("1, nan", "X", "numbers")) == (-7, ["1", "nan"])
    with pytest.raises(DmlvizError, match=r"^Axis has 2 numbers, expected one\.$"):
        one_number("1 2", "Axis")


@pytest.mark.parametrize("kind", ["uint", "int32", "uint64"])
def test_an_expression_of_cpp_has_the_number_modulo_its_type(kind: str) -> None:
    write: Callable[[int], str] = getattr(number_text, kind)
    bits, signed = 64 if "64" in kind else 32, kind[0] == "i"
    edges = {0, 1, *(2**n + k for n in (31, 32, 63) for k in (-1, 0, 1))}
    for number in edges | ({-edge for edge in edges} if bits == 32 else set()):
        text = write(number)
        for literal, suffix in re.findall(r"(\d+)(ull|u)?", text.replace("UINT", "").replace("INT", "")):
            most = {"": 2**31 if "cast" not in text else 2**63, "u": 2**32, "ull": 2**64}[suffix]
            assert int(literal) < most, f"{text}: a literal of a type too small"
        found = eval(re.sub(r"static_cast<U?INT>|ull|u", "", text)) % 2**bits  # casts wrap
        assert found == number % 2**bits, text
        fits = -(2**31) <= number < 2**31 if signed else 0 <= number < 2**bits
        assert ("static_cast" in text) is (not fits and bits == 32), text


def test_durations_and_counts_have_three_digits() -> None:
    seconds = {
        0: "0 ns",
        5e-9: "5.00 ns",
        9.996e-7: "1.00 µs",
        1.234e-3: "1.23 ms",
        0.9996: "1.00 s",
        5120.4: "5,120 s",
    }
    assert {each: duration(each) for each in seconds} == seconds
    assert [three_digits(each) for each in (0.38, 4.2, 41, 99.96, 128)] == ["0.380", "4.20", "41.0", "100", "128"]
    counts = {9999: "9,999", 10_000: "10.0k", 999_999: "999k", 1_000_000: "1.00M", 4_294_967_295: "4.29G"}
    assert {each: short_count(each) for each in counts} == counts


def test_an_array_is_printed_in_aligned_rows_and_a_large_one_by_its_corners() -> None:
    assert page_text(np.array([[1, -10.5], [0.25, np.nan]], np.float32)) == "[[    1, -10.5],\n [ 0.25,   nan]]"
    assert page_text(np.arange(4096).reshape(2, 2048)).count(",") == 4095
    assert page_text(np.arange(4097)) == "[0, 1, 2, ..., 4094, 4095, 4096]"


def test_comments_and_trailing_commas_are_blanks_in_which_all_else_keeps_its_place() -> None:
    text = '{// a "comment"\n"a": [1, /* 2,\n */ 3,], "//": "/*,]", }'
    assert parse_tolerant(text.encode()) == {"a": [1, 3], "//": "/*,]"}
    strict = strict_text(text)
    assert [len(line) for line in strict.split("\n")] == [len(line) for line in text.split("\n")]
    assert strict.index('"a"') == text.index('"a"')
    for wrong, said in ((b'{"a": \xff}', "found byte 0xff at position 6"), (b"[1,,]", "line 1, column .: found")):
        with pytest.raises(ValuesError, match=said):
            parse_tolerant(wrong)
