"""Certificates of random pairs that are the same map, and forged ones: one thing changed, or right for other chains.

    PYTHONPATH=src:tests .venv/bin/python -m support.forged_certificates 3000 7

has so many forged, from seed 7, and prints what `verify` lets pass.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from dmlviz.equality.certificates import certificate_of
from dmlviz.equality.deciding import same
from dmlviz.equality.tables import NotDecided
from dmlviz.equality.verify import verify
from dmlviz.session.writing import dump
from support.random_pairs import drawn_pair

Proof = dict[str, Any]


def proved(made: random.Random) -> tuple[Proof, Any]:
    """A certificate of a random pair, and the JSON of the session that it is about."""
    session, a, b, output = drawn_pair(made, changed=False)
    left, right = session.chain(a), session.chain(b)
    try:
        certificate = certificate_of(same(left, right, output, output), left, right, output, output)
    except NotDecided:  # it would have too many numbers, as one or two of a thousand do
        return proved(made)
    return json.loads(json.dumps(certificate)), json.loads(dump(session))


def refusal(certificate: Any, session: Any) -> str:
    """Why a certificate is refused; "" for one that holds."""
    try:
        verify(certificate, session)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        return str(error) or type(error).__name__
    return ""


def nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for then in tree.get("then", ()):
        yield from nodes(then)


def forged(made: random.Random, certificate: Proof, session: Any) -> tuple[str, Proof, Any]:
    """What was done, and a certificate and a session of which one says what isn't so."""
    proof, every = deepcopy(certificate), list(nodes(certificate["tree"]))
    leaves = [node for node in nodes(proof["tree"]) if "cut" not in node]
    cuts = [node for node in nodes(proof["tree"]) if "cut" in node]
    variables = [new for node in nodes(proof["tree"]) for new in node.get("variables", ())]
    tables = [table for leaf in leaves for table in leaf.get("tables", ())]
    names = [one["input"] for one in (*every, *variables) if one.get("input")]
    kinds = ["chain", "chain", "file"]
    kinds += ["cell", "cell", "cut off"] * bool(tables)
    kinds += ["input"] + ["constant"] * any(leaf["input"] for leaf in leaves)
    kinds += ["twice", "left out"] * bool(cuts) + ["row", "size"] * bool(variables)
    unlike = [cut for cut in cuts if cut["then"][0] != cut["then"][1]]
    kinds += ["position", "swapped"] * bool(unlike)
    kinds += ["for all"] * (proof["values"] == "for these")
    kind = made.choice(kinds)
    if kind in ("chain", "file"):
        other, a, b, output = drawn_pair(made, changed=True)
        left = other.chain(a)
        try:
            made_of = certificate_of(same(left, left, output, output), left, left, output, output)
        except NotDecided:
            return forged(made, certificate, session)
        proof = json.loads(json.dumps(made_of))
        if kind == "chain":
            proof["outputs"] = made.choice(([[a, output], [b, output]], [[b, output], [a, output]]))
        else:
            if proof["tree"] == certificate["tree"]:
                return forged(made, certificate, session)
            proof["outputs"] = certificate["outputs"]  # tables that are right elsewhere
            return kind, proof, session
        return kind, proof, json.loads(dump(other))
    if kind == "cell":
        cells = made.choice(tables)[1]
        cells[made.randrange(len(cells))] += made.choice((-1, 1))
    elif kind == "cut off":
        made.choice(tables)[1].pop()
    elif kind == "input":
        leaf = made.choice([*leaves, *variables])
        leaf["input"] = made.choice([name for name in [*names, ["r0", "InputTensor", 1]] if name != leaf["input"]])
    elif kind == "constant":
        made.choice([leaf for leaf in leaves if leaf["input"]])["input"] = None
    elif kind in ("twice", "left out"):
        part = made.choice(made.choice(cuts)["parts"])
        if kind == "twice":
            part.append(part[0])
        else:
            part.pop(made.randrange(len(part)))
    elif kind in ("position", "swapped"):
        parts = made.choice(unlike)["parts"]
        if kind == "swapped":
            parts[:2] = parts[1::-1]
        else:
            parts[0].append(parts[1].pop(made.randrange(len(parts[1]))))
    elif kind == "row":
        rows = made.choice(made.choice(variables)["cells"])[1]
        made.choice(rows)[-1] += 1
    elif kind == "size":
        made.choice(variables)["size"] += made.choice((1, 2))
    else:
        proof["values"] = "for all"
    return kind, proof, session


def main(count: int, seed: int) -> int:
    said: Counter[str] = Counter()
    passed = []
    for n in range(count):
        made = random.Random(f"{seed}.{n}")
        certificate, session = proved(made)
        if why := refusal(certificate, session):
            passed.append(f"{n}: what holds is refused: {why}")
        kind, proof, about = forged(made, certificate, session)
        said[kind] += 1
        if not refusal(proof, about):
            passed.append(f"{n}: {kind} passes")
    print(f"{count} forged certificates, {len(passed)} wrong", dict(said), *passed[:20], sep="\n")
    return len(passed)


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]))))
