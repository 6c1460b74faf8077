"""Fixes: the likeliest first, each verified."""

from __future__ import annotations

from typing import Any

from support.reports import f32, u32

import dmlviz as dml


def test_the_first_fix_is_the_likely_one() -> None:
    def first(desc: Any, level: str = "6_4") -> str:
        (broken, *_) = dml.check(desc, feature_level=level).errors
        assert broken.fixes[0].mends_all
        return broken.fixes[0].label

    assert first(dml.Gather(f32(3, 2), u32(1, 2), 1, 2, f32(3, 2))) == "IndexDimensions 2 → 1"
    assert first(dml.Join((f32(1, 1, 2, 3), f32(1, 1, 2, 4)), -1)) == "Axis -1 → 3"
    assert first(dml.Gather(f32(3, 2), u32(4), 0, 1, f32(4, 2))) == "IndicesTensor {4} → {1, 4}"
    lengths = first(dml.ReverseSubsequences(f32(2, 4), u32(2), 1, f32(2, 4)))
    assert lengths == "SequenceLengthsTensor {2} → {2, 1}"
    assert first(dml.ReverseSubsequences(f32(1, 1, 2, 4), u32(1, 1, 2, 1), 3), "2_0") == "feature level 2_0 → 2_1"
    assert first(dml.Tile(f32(2, 3), (2, 2), f32(4, 5))) == "OutputTensor {4, 5} → {4, 6}"
