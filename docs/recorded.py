"""Records the classroom lesson anew, as a page and as README's animation: `python docs/recorded.py`."""

from __future__ import annotations

from pathlib import Path

import dmlviz as dml

FOLDER = Path(__file__).parent.parent / "examples" / "classroom"


def page() -> str:
    """The lesson of four experiments as one page."""
    (made,) = dml.record(dml.load(FOLDER / "rows-by-index.json"), "html")
    assert isinstance(made, str)
    return made


def animation() -> bytes:
    """Ten seconds of its first experiment; the fonts are this machine's, so no test holds it against anything."""
    (made,) = dml.record(dml.load(FOLDER / "rows-by-index.json"), "gif", experiment="rows 1")
    assert isinstance(made, bytes)
    return made


def main() -> None:
    (FOLDER / "rows-by-index.html").write_bytes(page().encode())
    (Path(__file__).parent / "rows-by-index.gif").write_bytes(animation())


if __name__ == "__main__":
    main()
