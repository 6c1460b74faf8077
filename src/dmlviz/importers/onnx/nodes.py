"""A node of an ONNX model: its attributes, and whether it is one of ONNX's own operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Unknown(Exception):  # noqa: N818 (not an error of the model)
    """What a node's desc needs and the model doesn't say; the message is half a sentence.

    `group` is shared by messages that differ in names alone, so that the commonest reason can be told.
    """

    def __init__(self, message: str, group: str = "") -> None:
        super().__init__(message)
        self.group = group or message


def number(node: Any, name: str, default: int) -> int:
    """An attribute that is an integer; `default` where there is none. Raises Unknown for one of another kind."""
    for attribute in node.attribute:
        if attribute.name == name:
            # A writer of proto3 leaves out a 0.
            if not attribute.ref_attr_name and (attribute.HasField("i") or attribute.type == 2):
                return int(attribute.i)
            raise Unknown(f"its {name} is no integer, expected one")
    return default


def real(node: Any, name: str, default: float) -> float:
    """An attribute that is a float; `default` where there is none."""
    return next((float(attribute.f) for attribute in node.attribute if attribute.name == name), default)


def text(node: Any, name: str, default: str) -> str:
    """An attribute that is a text; `default` where there is none. Raises Unknown for bytes that are none."""
    for attribute in node.attribute:
        if attribute.name == name:
            try:
                return bytes(attribute.s).decode()
            except UnicodeDecodeError:
                raise Unknown(f"its {name} is no text, expected one") from None
    return default


def has(node: Any, name: str) -> bool:
    """True if the node has an attribute of that name."""
    return any(attribute.name == name for attribute in node.attribute)


def numbers(node: Any, name: str) -> list[int] | None:
    """An attribute that is a list of integers; None where there is none, or it is empty."""
    return next(
        (list(attribute.ints) for attribute in node.attribute if attribute.name == name and len(attribute.ints)), None
    )


def is_standard(node: Any) -> bool:
    """True for a node of ONNX's own set of operators."""
    return node.domain in ("", "ai.onnx")


def subgraphs(node: Any) -> Iterator[tuple[str, Any]]:
    """The graphs that a node holds, and what they are called: `then_branch`, `branches[1]`."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.name, attribute.g
        for i, graph in enumerate(attribute.graphs):
            yield f"{attribute.name}[{i}]", graph


def all_nodes(nodes: Any) -> Iterator[Any]:
    """`nodes`, and those of every graph in them."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        for _, graph in subgraphs(node):
            waiting += graph.node
