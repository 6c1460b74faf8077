"""Sentences on what a feature level refuses, and what the next one adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...desc.base import Desc
from ...desc.levels import LEVELS, FeatureLevel
from ...operators.level_rules import is_of_level, refusals
from ...operators.registry import operator_of
from ...operators.report import Report
from ...session.experiments import Experiment
from .columns import TYPES, columns, rows_at


def level_below(one: Experiment, report: Report) -> str:
    """One sentence: what breaks below the present level, or what is broken at it."""
    desc, here, lowest = one.desc, one.feature_level, report.lowest_level
    if lowest is None:
        broken = next((c for c in report.errors if not is_of_level(c)), None) or report.errors[0]
        return f"No feature level accepts this desc. {broken.message}"
    if here < lowest:
        return f"{refusals(desc, here)[0].message} The lowest level that accepts this desc is {lowest}."
    if lowest is LEVELS[0]:
        return "Every feature level accepts this desc."
    under = LEVELS[LEVELS.index(lowest) - 1]
    broken = refusals(desc, under)[0]
    return f"{'' if lowest is here else f'Down to {lowest} nothing breaks. '}{broken.message}"


def level_adds(desc: Desc, level: FeatureLevel) -> str:
    """One sentence: what the next level at which something changes adds to `level`."""
    kind, name = type(desc), operator_of(desc).name
    following = [c.first for c in columns(kind) if c.first > level]
    if not following:
        return f"No later level adds anything to {name}."
    after = following[0]
    old, new = rows_at(kind, level), rows_at(kind, after)
    if not new:
        return f"{after} doesn't have {name} either."
    if not old:
        return f"{after} brings {name}."
    needs: dict[str, list[str]] = {}
    for field, row in new.items():
        before = old[field]
        types = [t.name for t in TYPES if t in row.types and t not in before.types]
        counts = [n for n in range(row.lowest, row.highest + 1) if not before.lowest <= n <= before.highest]
        more = [_joined(types)] if types else []
        more += [f"DimensionCount {_ranges(counts)}"] if counts else []
        if more:
            needs.setdefault(" and ".join(more), []).append(field)
    chosen = [
        f"{field.name} {_joined(names)}"
        for field in kind.ATTRIBUTES
        if (names := [c.name for c in field.choices(after) if c not in field.choices(level)])
    ]
    everywhere = len(needs) == 1 and len(new) == len(next(iter(needs.values())))
    phrases = [what if everywhere else f"{what} for {_joined(fields)}" for what, fields in needs.items()]
    return f"{after} adds {'; '.join(phrases + chosen)}."


def _joined(words: Sequence[str]) -> str:
    """Words with commas and an "and" between them."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers in words, neighbours as ranges: `1 to 3 and 6 to 8`."""
    ranges: list[list[int]] = []
    for n in numbers:
        if ranges and ranges[-1][-1] == n - 1:
            ranges[-1].append(n)
        else:
            ranges.append([n])
    return _joined([str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in ranges])
