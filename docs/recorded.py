"""Records the classroom lesson as a page anew, `examples/classroom/rows-by-index.html`: `python docs/recorded.py`."""

from __future__ import annotations

from pathlib import Path

import dmlviz as dml

FOLDER = Path(__file__).parent.parent / "examples" / "classroom"


def page() -> str:
    """The lesson of four experiments as one page."""
    (made,) = dml.record(dml.load(FOLDER / "rows-by-index.json"), "html")
    assert isinstance(made, str)
    return made


def main() -> None:
    (FOLDER / "rows-by-index.html").write_bytes(page().encode())


if __name__ == "__main__":
    main()
