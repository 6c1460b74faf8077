"""The size of an ONNX model before it is parsed: an empty message takes 2 bytes in a file and hundreds in memory."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MOST_FIELDS = 1_000_000
MOST_DEPTH = 50
_WIDTHS = {1: 8, 5: 4}
"""Bytes of a field by its wire type."""
_MESSAGES: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        "model": {7: "graph", 8: "leaf", 14: "leaf", 20: "training", 25: "function"},
        "graph": {
            1: "node",
            5: "tensor",
            11: "info",
            12: "info",
            13: "info",
            14: "quantization",
            15: "sparse",
            16: "leaf",
        },
        "node": {5: "attribute", 9: "leaf"},
        "attribute": {
            5: "tensor",
            6: "graph",
            10: "tensor",
            11: "graph",
            14: "type",
            15: "type",
            22: "sparse",
            23: "sparse",
        },
        "tensor": {13: "leaf", 16: "leaf"},
        "sparse": {1: "tensor", 2: "tensor"},
        "info": {2: "type", 4: "leaf"},
        "type": {1: "tensor_type", 4: "sequence", 5: "map", 8: "tensor_type", 9: "sequence"},
        "tensor_type": {2: "shape"},
        "sequence": {1: "type"},
        "map": {2: "type"},
        "shape": {1: "leaf"},
        "quantization": {2: "leaf"},
        "training": {1: "graph", 2: "graph", 3: "leaf", 4: "leaf"},
        "function": {7: "node", 9: "leaf", 11: "attribute", 12: "info", 14: "leaf"},
        "leaf": {},
    }
)
"""Which fields of ONNX's messages are messages, by number."""


def trouble(data: bytes) -> str:
    """Why `data` is no model that should be parsed, as the end of a sentence; empty where it may be."""
    waiting = [(0, len(data), "model", 0)]
    fields = 0
    while waiting:
        at, end, kind, depth = waiting.pop()
        inner = _MESSAGES[kind]
        while at < end:
            fields += 1
            if fields > MOST_FIELDS:
                return f"has more than {MOST_FIELDS:,} fields"
            tag, at = _varint(data, at, end)
            wire = tag & 7
            if wire == 0:
                _, at = _varint(data, at, end)
            elif wire == 2:
                size, at = _varint(data, at, end)
                name = inner.get(tag >> 3)
                if name is not None and size and at + size <= end:
                    if depth == MOST_DEPTH:
                        return f"is nested more than {MOST_DEPTH} deep"
                    waiting.append((at, at + size, name, depth + 1))
                at += size
            elif wire in _WIDTHS:
                at += _WIDTHS[wire]
            else:
                return "is damaged"
            if tag < 8 or at > end:
                return "is damaged"
    return ""


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """A number of seven bits a byte, and the place behind it; the place is beyond `end` where there is none."""
    if at < end and (first := data[at]) < 128:
        return first, at + 1
    number = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        number |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return number, at
        shift += 7
    return 0, end + 1
