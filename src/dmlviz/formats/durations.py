"""Durations and speeds as text, in three digits."""

from __future__ import annotations

import math


def duration(seconds: float) -> str:
    """A duration with its unit, s, ms, µs or ns, in three digits: 1.20 ms."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * factor:
            return f"{three_digits(seconds / factor)} {unit}"
    return f"{three_digits(seconds / 1e-9)} ns"


def three_digits(number: float) -> str:
    """A number from 0.01 up with three digits: 0.380, 4.20, 41.0, 128, 5,120."""
    shown = float(f"{number:.3g}")
    return f"{shown:,.{max(0, 2 - math.floor(math.log10(shown))) if shown > 0 else 0}f}"
