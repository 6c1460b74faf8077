"""The table of sentences has those that the code names, and no others."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from support.kinds import FORMS

import dmlviz
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.questions.question import Kind
from dmlviz.teaching.words.catalogue import sentences

SOURCE = Path(dmlviz.__file__).parent
TOPICS = ("question", "lesson", "level", "map", "end")
"""What a page of help is about."""


def used() -> set[str]:
    """The keys that the code names."""
    text = "\n".join(file.read_text("utf-8") for file in SOURCE.rglob("*.py"))
    keys = set(re.findall(r"""(?:sentence|told|_?says?)\(\s*["']([a-z]+\.[a-z_]+)["']""", text))
    keys |= set(re.findall(r"""["']([a-z]+\.[a-z_]+)["']""", text)) & {*sentences()}
    for name, kind in kinds().items():
        methods = inspect.getmembers(type(kind), inspect.isfunction)
        sources = "\n".join(inspect.getsource(method) for _, method in methods)
        keys |= {f"{name}.{part}" for part in re.findall(r'f"\{self\.name\}\.([a-z_]+)"', sources)}
        if type(kind).hints is Kind.hints:
            keys |= {f"{name}.{part}" for part in ("look", "rule", "formula")}
    player = (SOURCE / "recording" / "player.js").read_text("utf-8")
    keys |= {f"page.{key}" for key in re.findall(r"\w+", player)} & {*sentences()}
    keys |= {f"page.{verb}_{form}" for form in FORMS.values() for verb in ("mark", "type")} & {*sentences()}
    served = "\n".join(file.read_text("utf-8") for file in (SOURCE / "web").glob("*.py"))
    literals = {f"class.{key}" for key in re.findall(r"['\"](?:class\.)?([a-z_]+)['\"]", served)}
    keys |= {key for key in sentences() if key in literals}
    keys |= {"lesson.exit"}
    keys |= {f"quiz.{kind.form.words}" for kind in kinds().values()} | {"quiz.right", "quiz.wrong"}
    keys |= {f"help.{topic}" for topic in TOPICS}
    return keys


def test_every_key_that_the_code_names_is_there_and_no_other() -> None:
    assert used() == set(sentences())
