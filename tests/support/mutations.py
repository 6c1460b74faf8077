"""What fuzzers do to good inputs: bytes that change, and JSON whose values become what nobody expects."""

from __future__ import annotations

import json
from random import Random
from typing import Any

RAW = (
    *(
        "null",
        "true",
        "-1",
        "0",
        "-0.0",
        "1.5",
        "1e400",
        "NaN",
        '"nan"',
        '"-inf"',
        "4294967296",
        "18446744073709551616",
    ),
    *("9" * 5000, "[]", "{}", '""', "[[1,2],[3]]", "[" * 3000 + "]" * 3000, "[65535,65535]", '"FLOAT64"', '"6_4"'),
    *('"\\ud800"', '"\\u0000\\u001b[31m\\n\\u202e\\u2028"', '"' + "x" * 3000 + '"', '"DML_OPERATOR_TILE"'),
    *('{"fill":"random","seed":-1}', '{"fill":"iota","start":1e300,"step":1}', '{"fill":1}', '{"a":1,"a":2}'),
    *('{"npy":"../x.npy"}', '{"npy":"\\u0000"}'),
)
"""JSON texts in place of a value, some of which are none."""
_MARK = "@raw:"


def damaged(random: Random, data: bytes) -> bytes:
    """`data` with a few bytes replaced by others, by nothing, or by some of its own."""
    for _ in range(random.randint(1, 4)):
        at, own = random.randrange(len(data) + 1), random.randrange(len(data) + 1)
        kinds = (b"", random.randbytes(random.randint(1, 6)), data[own : own + random.randint(1, 60)])
        new = random.choice((*kinds, bytes(random.choices(b'{}[]",:0123456789-+.eE_ \n\tdml'))))
        data = data[:at] + new + data[at + random.choice((0, len(new), random.randint(1, 12), len(data))) :]
    return data


def hostile(random: Random, tree: Any) -> str:
    """JSON of `tree` with up to three of its values, or keys, replaced, doubled or taken out."""
    made = json.loads(json.dumps(tree))
    for _ in range(random.choice((1, 1, 2, 3))):
        made = _changed(random, made)
    text = json.dumps(made, ensure_ascii=random.random() < 0.5)
    for number, raw in enumerate(RAW):
        text = text.replace(f'"{_MARK}{number}@"', raw)
    return text


def _changed(random: Random, tree: Any) -> Any:
    """A copy with one node changed, deeper ones more often than not."""
    if isinstance(tree, int) and random.random() < 0.6:
        return random.randrange(-3, 10)
    if not isinstance(tree, (dict, list)) or not tree or random.random() < 0.05:
        return f"{_MARK}{random.randrange(len(RAW))}@"
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
    key, how = random.choice(keys), random.random()
    if how < 0.75:
        tree[key] = _changed(random, tree[key])
    elif how < 0.85:
        del tree[key]
    elif isinstance(tree, list):
        tree.extend(tree[:] if how < 0.9 else [tree[key]])
    else:
        tree[random.choice(("npy", "fill", "extra", "Axis", "values", "dmlviz", "\u202e", key))] = tree.pop(key)
    return tree
