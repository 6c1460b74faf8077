"""What becomes of C++ values in variables, members and elements of types: copies, structs and arrays of braces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from .memory import Memory, inside
from .values import (
    BUFFER,
    OPERATOR,
    TENSOR,
    Array,
    Braced,
    Inverted,
    Object,
    Place,
    Pointer,
    Spot,
    Term,
    Unknown,
    Value,
    shown,
    why,
    words,
)

MOST_BITS = 2400
"""Bits of an integer. What is larger isn't known."""
MOST_BLANK = 256
"""Elements that an array has without their being written."""
ANY = -1
"""The number of an element that isn't known: it may be any."""
BYTES = {
    **dict.fromkeys(words("char uint8_t int8_t UINT8 INT8 BYTE bool"), 1),
    **dict.fromkeys(words("short uint16_t int16_t UINT16 INT16 WORD half HALF"), 2),
    **dict.fromkeys(words("int unsigned float uint32_t int32_t UINT INT UINT32 INT32 DWORD FLOAT"), 4),
    **dict.fromkeys(words("double DOUBLE uint64_t int64_t UINT64 INT64 ULONGLONG"), 8),
    TENSOR: 16,
    OPERATOR: 16,
    BUFFER: 48,
}
"""The bytes of each type."""
HALVES = words("half HALF")
FLOATS = words("float FLOAT double DOUBLE")
TYPES = (BYTES.keys() - HALVES - {TENSOR, OPERATOR, BUFFER}) | words(
    "signed long size_t SIZE_T uint ULONG void auto BOOL DML_TENSOR_DATA_TYPE DML_TENSOR_FLAGS DML_TENSOR_TYPE "
    "DML_OPERATOR_TYPE DML_FEATURE_LEVEL"
)
"""Types whose values are kept as they are."""

ValueT = TypeVar("ValueT", bound=Value)


class Shaping(Memory):
    """Memory whose variables have types, and which is set by `put`."""

    statement_start = 0
    """The token at which the statement begins that is being read."""
    right: Spot = (0, 0)
    """What stands right of the last sign that sets something."""

    def numbers(self, value: Value) -> list[int] | None:
        """The numbers of an array; None where one isn't known."""
        parts = self.elements(value)
        if isinstance(parts, Unknown):
            return None
        numbers = [part for part in parts if isinstance(part, int) and not isinstance(part, Inverted)]
        return numbers if len(numbers) == len(parts) else None

    def elements(self, value: Value) -> list[Value] | Unknown:
        """The elements of an array or braces, or those from where a pointer leads on; Unknown, with why, for others."""
        if isinstance(value, Braced):
            return inside(value)
        if isinstance(value, Array):
            return self.parts(value)
        if isinstance(value, Pointer):
            place = value.to
            if isinstance(place, Place) and isinstance(place.key, int):
                parts = self.parts(place.of)
                if isinstance(parts, list) and not 0 <= place.key <= len(parts):
                    return Unknown(shown(value))
                return parts[place.key :] if isinstance(parts, list) else parts
            pointed = self.value(place)
            return self.elements(pointed) if isinstance(pointed, (Unknown, Array)) else [pointed]
        return value if isinstance(value, Unknown) else Unknown(shown(value))

    def put(self, target: Place | Object, value: Value) -> None:
        """Sets a variable, a member, an element, or all of a struct or an array."""
        if isinstance(target, Object):
            self._put_object(target, value)
            return
        thing, key = target.of, target.key
        if isinstance(thing, Array) and (isinstance(self.parts(thing), Unknown) or key not in thing.cells):
            what = f"may set any element of {thing.called()}" if key == ANY else f"sets {shown(target)}"
            self.lose(thing, f"line {self.line} {what}")
            return
        current = thing.cells.get(key)
        if isinstance(current, Object):
            self._put_object(current, value)
            return
        self.mark_open(current)
        self.wrote(target)
        thing.spots[key] = self.right
        is_member = not isinstance(thing, Array) and key != ""
        thing.cells[key] = self.decayed(self.shaped(value, "")) if is_member else self.shaped(value, thing.kind)
        if key == "Desc" and thing.kind == OPERATOR:
            self._note_described(thing.cells[key])

    def _put_object(self, thing: Object, value: Value) -> None:
        """Sets all of a struct or array; what doesn't fit makes it unknown."""
        if isinstance(thing, Array):
            copy: Value = self.listed(value, thing.kind) if isinstance(value, Braced) else self.copied(value)
        else:
            copy = self.shaped(value, thing.kind)
        self.wrote(thing)
        is_array = isinstance(copy, Array) and isinstance(thing, Array)
        if isinstance(copy, Object) and (is_array or (type(copy) is type(thing) and copy.kind == thing.kind)):
            self.made = [struct for struct in self.made if struct is not copy]
            thing.cells, thing.is_cleared, thing.lost = copy.cells, copy.is_cleared, copy.lost
            thing.spots = {**copy.spots, "": self.right}
        else:
            self.lose(thing, why(copy) or f"line {self.line} sets {thing.called()} to {shown(copy)}")

    def _note_described(self, value: Value) -> None:
        """Notes that a DML_OPERATOR_DESC is made to point at a struct here."""
        if isinstance(value, Pointer) and isinstance(value.to, Object):
            value.to.used = self.at

    def is_type(self, name: str) -> bool:
        """True for a type whose values are kept as they are."""
        return name in TYPES or name in self.structs.enums

    def blank(self, kind: str, *, is_cleared: bool = True) -> Value:
        """A new element of a type: 0, an empty struct, or Unknown."""
        if self.structs.knows(kind):
            return self.new_struct(kind, self.line, is_cleared=is_cleared)
        return 0 if is_cleared and self.is_type(kind) else Unknown("what was never set")

    def decayed(self, value: Value) -> Value:
        """An array as the address of its first element; anything else as it is."""
        return Pointer(Place(value, 0)) if isinstance(value, Array) else value

    def copied(self, value: ValueT) -> ValueT:
        """A copy of a struct or array, as far as that is known; anything else as it is."""
        if not isinstance(value, Object):
            return value
        self.reads.append(value)
        sentence = self.doubt(value)
        if isinstance(value, Array):
            parts = [] if sentence or value.lost else [self.copied(part) for part in inside(value)]
            copy: Object = self.new_array(value.kind, parts, is_c_array=value.is_c_array)
            copy.name = value.name
        else:
            copy = self.new_struct(value.kind, value.line, is_cleared=value.is_cleared)
            copy.cells = {} if sentence else dict(value.cells)
        copy.lost, copy.spots = sentence or value.lost, dict(value.spots)
        return cast(ValueT, copy)

    def shaped(self, value: Value, kind: str) -> Value:
        """What becomes of `value` in a variable of type `kind`."""
        if self.structs.knows(kind):
            if isinstance(value, Braced):
                return self._struct_from_braces(value, kind)
            # What was made a moment ago, amid the same statement, has no other name.
            is_new = isinstance(value, Object) and not value.name and value.born > self.statement_start
            return value if is_new or not isinstance(value, Object) or value.kind != kind else self.copied(value)
        if isinstance(value, Braced):
            if not value.parts and self.is_type(kind):
                return 0
            return self.shaped(value.parts[0][1], kind) if len(value.parts) == 1 else value
        if isinstance(value, float):
            return Unknown(str(value)) if kind not in FLOATS and kind != "auto" and self.is_type(kind) else value
        if isinstance(value, int):
            if kind in FLOATS and value.bit_length() < 1000:
                return float(value)
            if kind in FLOATS or kind in HALVES:
                return Unknown(str(value)[:40] if value.bit_length() < MOST_BITS else "a number")
            if BYTES.get(kind, 4) < 4 and not -128 <= value < 256 ** BYTES[kind]:
                return Unknown(f"{value} in a {kind}" if value.bit_length() < 99 else kind)
        return value

    def listed(self, value: Braced, kind: str, *, is_c_array: bool = False) -> Array:
        """An array of what stands in braces, of elements of type `kind`."""
        parts, spots = inside(value), value.spots
        # std::array may be written with the braces of the array inside it.
        inner = inside(parts[0]) if len(parts) == 1 and isinstance(parts[0], Braced) else []
        if inner and (not self.structs.knows(kind) or isinstance(inner[0], (Braced, Object))):
            parts, spots = inner, cast(Braced, parts[0]).spots
        array = self.new_array(kind, [self.shaped(part, kind) for part in parts], is_c_array=is_c_array)
        array.spots.update(enumerate(spots))
        return array

    def sized_array(self, kind: str, given: Sequence[Term]) -> Value:
        """`(count)`, `(count, value)`, `(array)`, `({...})` or `(begin, end)`, behind an array's type."""
        values = [self.value(term) for term in given]
        first = values[0] if values else 0
        if isinstance(first, Braced):
            return self.listed(first, kind)
        if len(values) == 2 and isinstance(first, Pointer) and isinstance(first.to, Place):
            last = values[1].to if isinstance(values[1], Pointer) else None
            parts = self.elements(first)
            if isinstance(last, Place) and last.of is first.to.of and isinstance(parts, list):
                count = int(last.key) - int(first.to.key)
                return self.new_array(kind, [self.copied(part) for part in parts[: max(count, 0)]])
        elif isinstance(first, Array) and len(values) == 1:
            copy = self.copied(first)
            copy.is_c_array = False
            return copy
        elif isinstance(first, int) and 0 <= first <= MOST_BLANK and len(values) < 3:
            self.burn(first)
            filling = values[1] if len(values) == 2 else None
            parts = [self.blank(kind) if filling is None else self.copied(filling) for _ in range(first)]
            return self.new_array(kind, parts)
        return Unknown("an array of unknown length", why(*values))

    def view(self, given: Sequence[Term]) -> Value:
        """The address of an array's first element, as a span has it; Unknown for others, which may change then."""
        value = self.value(given[0]) if len(given) == 1 else Unknown("a view")
        if not isinstance(value, Array):
            self.unread_call(given, "a view", is_call=False)
        return self.decayed(value) if isinstance(value, Array) else Unknown("a view", why(*given))

    def _struct_from_braces(self, value: Braced, kind: str) -> Object:
        """A struct of what braces give its members; the others are 0."""
        struct = self.new_struct(kind, value.line, is_cleared=True)
        names = self.structs.members.get(kind, ())
        for i, (member, part) in enumerate(value.parts):
            name = names[i] if member is None and i < len(names) else member
            if name is not None and i < len(value.spots):
                struct.spots[name] = value.spots[i]
            if name in names and name is not None:
                struct.cells[name] = self.decayed(self.shaped(part, ""))
                if kind == OPERATOR:
                    self._note_described(struct.cells[name])
        return struct
