"""The tokens of C++ text, without comments."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_cpp
from tree_sitter import Language, Parser


def tokens(text: str) -> Iterator[str]:
    """Words and signs in order; a directive's body and a string are one each."""
    waiting = [Parser(Language(tree_sitter_cpp.language())).parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        if not node.children and node.type != "comment":
            assert node.text is not None
            yield node.text.decode()
        waiting += reversed(node.children)
