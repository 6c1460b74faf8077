"""Golden texts: pictures that somebody read line by line once, beside the test that draws them.

    GOLDEN=write python -m pytest -n 0 -k golden tests/scene tests/widgets tests/recording

writes them anew. Look at the difference before you keep it: a golden text of a wrong picture is worse than none.
"""

import os
import re
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from dmlviz.scene.spans import Line

RULE = "=== "
DOES = re.compile(r"screen\.do\('(?:answering\.)?(\w+)'(?:, (\(.*\)))?\)")


class Golden:
    """The texts beside a test: those of `test_some.py` are in `some.txt`, each below `=== its name`."""

    def __init__(self, test: str) -> None:
        self.file = Path(test).with_name(f"{Path(test).stem.removeprefix('test_')}.txt")

    def texts(self) -> dict[str, list[str]]:
        texts: dict[str, list[str]] = {}
        for line in self.file.read_text("utf-8").splitlines() if self.file.exists() else ():
            if line.startswith(RULE):
                lines = texts[line.removeprefix(RULE)] = []
            else:
                lines.append(line)
        return texts

    def check(self, drawn: dict[str, str]) -> None:
        """Compares all texts with what is `drawn`, by name; spaces at the ends of lines don't count."""
        new = {name: [line.rstrip() for line in text.split("\n")] for name, text in drawn.items()}
        if os.environ.get("GOLDEN") == "write":
            lines = [line for name, text in new.items() for line in (RULE + name, *text)]
            self.file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        held = self.texts()
        assert list(new) == list(held)
        for name, text in new.items():
            assert "\n".join(text) == "\n".join(held[name]), name


def marked(lines: Iterable[Line]) -> str:
    """Lines in which what isn't plain stands in braces behind its style: `{axis! a}`, with ! for strong, * for marked.

    What a click does stands behind that, `@` alone where it is the same as before: `{tab @screen.leave  q }`.
    """
    return "\n".join(map(_marked_line, lines))


def _marked_line(line: Line) -> str:
    text, before = "", ""
    for (style, action), spans in groupby(line, key=itemgetter(1, 2)):
        identity = str(style.identity) * (style.identity >= 0)
        look = f"{style.kind}{'!' * style.strong}{'*' * style.marked}{identity}"
        does = DOES.sub(r"\1\2", action) if action != before else ""
        before, words = action, "".join(span.text for span in spans)
        text += words if look == "plain" and not action else f"{{{look}{f' @{does}' * bool(action)} {words}}}"
    return text
