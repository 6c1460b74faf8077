"""Times and means as the bench's table and its page say them."""

from __future__ import annotations

from dmlviz.formats.durations import duration

from .results import CellResult


def time_text(cell: CellResult, name: str) -> str:
    return duration(cell.measurements[name].warm.median) if name in cell.measurements else "-"


def means_text(found: dict[str, float]) -> str:
    """`JOIN 1.45  REVERSE 7.74`."""
    return "  ".join(f"{name.split('_')[0]} {value:.2f}" for name, value in found.items())


def spent_text(seconds: float) -> str:
    """`40 seconds`, `1 minute`, `25 minutes`."""
    minutes = round(seconds / 60)
    count, unit = (minutes, "minute") if seconds >= 55 else (round(seconds), "second")
    return f"{count} {unit}{'' if count == 1 else 's'}"


def micro(seconds: float) -> str:
    return f"{seconds * 1e6:.2f} µs"
