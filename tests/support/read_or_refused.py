"""Random bytes for a reader: they give experiments that can be written again, or one sentence."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from dmlviz.importers.lib.imported import Imported, ImportFailedError
from dmlviz.session.experiments import Session
from dmlviz.session.writing import dump


def refusals(
    read: Callable[[bytes, str, Path | None], Imported], inputs: Callable[[random.Random], bytes], seed: int, count: int
) -> list[str]:
    """What `read` says of those of `count` inputs that it refuses; fails where it does neither."""
    generator, said = random.Random(seed), []
    for _ in range(count):
        try:
            found = read(inputs(generator), "fuzz", None)
        except ImportFailedError as error:
            said.append(str(error))
            continue
        assert found.experiments
        assert all(each.text.isprintable() and each.where.isprintable() for each in found.remarks)
        dump(Session(found.experiments))
    assert all(map(str.isprintable, said))
    return said
