"""The JSON that a recorded page draws."""

from __future__ import annotations

import json
import re
from typing import Any

from dmlviz.recording.page import SHARED


def json_of_page(page: str) -> Any:
    """A page's JSON, with every text where it belongs."""
    (text,) = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return _whole(json.loads(text), json.loads(text)["shared"])


def _whole(tree: Any, shared: list[str]) -> Any:
    if isinstance(tree, dict):
        return {key: _whole(each, shared) for key, each in tree.items()}
    if isinstance(tree, list):
        return [_whole(each, shared) for each in tree]
    return shared[int(tree[1:])] if isinstance(tree, str) and tree.startswith(SHARED) else tree
