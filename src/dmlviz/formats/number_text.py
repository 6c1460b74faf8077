"""Numbers as a person types them, and as C++ writes them."""

from __future__ import annotations

from ..errors import DmlvizError, quote


def words_of(text: str, field: str, example: str) -> list[str]:
    """What stands between commas or spaces. Raises DmlvizError where nothing does, or for digits with _ between."""
    parts = text.strip().strip("{}[]").split(",")
    if not parts[-1].strip():
        parts.pop()  # a comma at the end is one that more will follow
    words = [word for part in parts for word in part.split() or [""]]
    wrong = [f"has {quote(word)}" for word in words if "_" in word] if words else ["is empty"]  # `int` would skip _
    if wrong:
        raise DmlvizError(f"{field} {wrong[0]}, expected {example}.")
    return words


def parse_numbers(text: str, field: str, example: str = "integers such as 1, 1, 6, 2") -> list[int]:
    """`1, 1, 6, 2` as integers. Raises DmlvizError with a sentence."""
    numbers = []
    for word in words_of(text, field, example):
        try:
            numbers.append(int(word))
        except ValueError:
            raise DmlvizError(f"{field} has {quote(word)}, expected {example}.") from None
    return numbers


def one_number(text: str, field: str) -> int:
    """The one integer in a text. Raises DmlvizError, with a sentence, for none or several."""
    numbers = parse_numbers(text, field, "an integer")
    if len(numbers) > 1:
        raise DmlvizError(f"{field} has {len(numbers)} numbers, expected one.")
    return numbers[0]


def uint(number: int) -> str:
    """`number` as a constant expression for a UINT: what doesn't fit is cast, and so wraps."""
    if 0 <= number < 2**31:
        return str(number)
    if 0 <= number < 2**32:
        return f"{number}u"
    return f"static_cast<UINT>({_wide(number)})"


def int32(number: int) -> str:
    """`number` as a constant expression for an INT: what doesn't fit is cast, and so wraps."""
    if number == -(2**31):
        return f"{number + 1} - 1"  # the digits of the least one are no int
    if -(2**31) < number < 2**31:
        return str(number)
    return f"static_cast<INT>({_wide(number)})"


def uint64(number: int) -> str:
    return str(number) if number < 2**31 else f"{number}ull"


def _wide(number: int) -> str:
    """A constant expression of C++ whose value is `number`, of 64 bits, modulo 2^64."""
    return str(number) if abs(number) < 2**63 else f"{number % 2**64}ull"
