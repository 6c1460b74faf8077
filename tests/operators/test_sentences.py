"""Every rule has one plain sentence."""

from __future__ import annotations

import re
from pathlib import Path

from dmlviz import operators
from dmlviz.operators.registry import operators as all_operators
from dmlviz.operators.sentences import SENTENCES, SHARED_SENTENCES, sentence_of

SESSION = Path(operators.__file__).parents[1] / "session"
SOME = {"level.operator", "count.positive", "sizes.match", "repeats.count", "values.index_range", "note.gather_shapes"}


def test_every_rule_that_can_be_recorded_has_a_plain_sentence() -> None:
    untold = [f"{kind.name.lower()}.py" for kind in all_operators().values() if not kind.sentences]  # none, or all
    paths = Path(operators.__file__).parent.glob("*.py")
    source = "".join(path.read_text("utf-8") for path in paths if path.name not in untold)
    source += "".join(path.read_text("utf-8") for path in (SESSION / "wiring.py",))
    recorded = set(re.findall(r'(?:record\.(?:expect|note|wait)\(|_rules?\(\s*record,)\s*"([a-z_.]+0?6?4?)"', source))
    assert recorded >= SOME  # the pattern finds them in each of their shapes
    told = [kind for kind in all_operators().values() if kind.sentences]
    for kind in told:
        own = Path(operators.__file__).with_name(f"{kind.name.lower()}.py").read_text("utf-8")
        for id_ in recorded:
            if f'"{id_}"' in own or id_ in SENTENCES:
                assert re.fullmatch(r"[A-Z].+\.", sentence_of(kind, id_)), (kind.name, id_)
    known = {**SENTENCES, **SHARED_SENTENCES}
    for kind in all_operators().values():
        known |= kind.sentences
    assert set(known) >= recorded
    assert all(f'"{id_}"' in source.replace(f'"{id_}": ', "", 1) for id_ in known), "a sentence without a rule"
    assert len(set(known.values())) == len(known)
    assert max(map(len, known.values())) < 110
