"""Writes the exported examples in `examples/exported` anew: `python docs/exported.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dmlviz.exporters.lib.exporting import export, target_of, targets
from dmlviz.session import examples

FOLDER = Path(__file__).parent.parent / "examples" / "exported"
EXPORTED = (
    ("gather-2", "numpy"),
    ("gather-2", "dmlviz"),
    ("gather-2", "torch"),
    ("gather-2", "cpp"),
    ("gather-2", "directmlx"),
    ("gather-2", "dxdispatch"),
    ("gather-4", "numpy"),
    ("join-1", "numpy"),
    ("join-1", "cpp"),
    ("reverse-1", "numpy"),
    ("reverse-1", "torch"),
    ("split-1", "numpy"),
    ("warning-index-range", "numpy"),
    ("gather-3-as-printed", "markdown"),
)
"""Examples and targets; a target that isn't there is left out, and so are binary ones, which no diff shows."""


def exported() -> Iterator[tuple[str, bytes]]:
    """The name of each file and what is in it."""
    for name, target in EXPORTED:
        if target in targets():
            made = export(examples.example(name).session(), target, stem=name)
            assert isinstance(made.content, str)
            assert not made.files, f"{name} has values that need files of their own"
            yield f"{name}-{target}{target_of(target).SUFFIX}", made.data


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.iterdir():
        path.unlink()
    for name, data in exported():
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    main()
