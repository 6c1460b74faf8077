"""The list of keys in docs/explorer.md, made of the table of commands: `python docs/keys.py` puts it in its place."""

from __future__ import annotations

import re
from pathlib import Path

from dmlviz.screens.dialogs.help import all_keys
from dmlviz.widgets.lib.commands import GROUPS, listed

PAGE = Path(__file__).with_name("explorer.md")
BEGIN, END = "<!-- keys -->\n", "<!-- /keys -->"


def key_list() -> str:
    """Two tables in Markdown: the keys of each group of commands, and the ids."""
    lines = ["| | |", "|---|---|"]
    for title, rows in all_keys({}).items():
        keys = " · ".join(f"{_code(keys)} {name.lower()}" for name, keys in rows)
        lines.append(f"| {title} | {keys} |")
    lines += ["", "### Ids of commands", "", "| | |", "|---|---|"]
    for group, title in GROUPS.items():
        ids = " · ".join(f"`{each.id}` {each.title.lower()}" for each in listed() if each.group == group)
        lines.append(f"| {title} | {ids} |")
    return "\n".join(lines) + "\n"


SPELT = {"escape": "esc", "pgup": "page up", "pgdn": "page down", "^": "ctrl+"}
"""The names in prose of keys that are short in the footer."""


def _code(keys: str) -> str:
    spelt = (
        re.sub(r"escape|pgup|pgdn|\^|f\d+", lambda found: SPELT.get(found[0], found[0].upper()), key)
        for key in keys.split(" ")
    )
    return " ".join(key if key == "…" else f"`{key}`" for key in spelt)


if __name__ == "__main__":
    head, begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    tail = rest[rest.index(END) :]
    PAGE.write_text(head + begin + key_list() + tail, encoding="utf-8")
