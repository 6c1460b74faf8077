"""Each declaration has its check: taken away, that check fails, and no other does that isn't waiting for it."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from support.outside import TOYS, installed, window

from dmlviz.errors import DmlvizError
from operator_kit import kit

SLOW = pytest.mark.slow


class Taken(NamedTuple):
    """A declaration that is taken away."""

    operator: str
    what: str
    """A method's or an attribute's name, or a text in the operator's file or in that of its wrong rules."""
    instead: str | None
    """What stands there then; None to cut the method or attribute `what`."""
    fails: str
    """The check that fails; empty for none, where the default is as right, and only slower."""


TAKEN = [
    Taken("window", "signed=True,", "", "valid_descs_pass"),
    Taken("roll", ", signed=True", "", "valid_descs_pass"),
    Taken("roll", ", neutral=0", "", "dimensions_are_added"),
    Taken("crop", 'of=("Offsets", "Sizes")', 'of="Offsets"', "mistakes_are_found"),
    Taken("window", "per_axis=True,", "", "dimensions_are_added"),
    Taken("window", "neutral=0", "neutral=1", "dimensions_are_added"),
    Taken("window", "of=ARRAYS", 'of="InputWindowOffsets"', "mistakes_are_found"),
    Taken("crop", ', axes_of="OutputTensor"', "", "broken_entries_light_their_axes"),
    Taken("window", '"slice.inside": "The', '"no.rule": "The', "rules_have_sentences"),
    Taken("window", "infer_output", None, "valid_descs_pass"),
    Taken("window", "fixes", None, "mistakes_are_mended"),
    Taken("window", "working", None, "pictures_are_as_told"),
    Taken("window", "block", None, "pictures_are_as_told"),
    Taken("window", "identity", None, "pictures_are_as_told"),
    Taken("window", "identity_of", None, "pictures_are_as_told"),
    Taken("window", "identity_count", None, "colours_join_elements_with_their_sources"),
    Taken("window", "identity_axes", None, "colours_join_elements_with_their_sources"),
    Taken("window", "runs", None, "pictures_are_as_told"),
    Taken("window", "formula", None, "pictures_are_as_told"),
    Taken("window", "stride < 0 and size > 1 for _", "stride < 0 for _", "misreadings_differ_where_they_say"),
    Taken("window", 'id="V2"', 'id="V3"', "misreadings_are_declared"),
    Taken("window", 'id="V2"', 'id="C1"', "misreadings_are_declared"),
    Taken("window", '"formula")', '"formulas")', "misreadings_are_declared"),
    Taken("window", "map_code", None, ""),
    Taken("window", "pseudo_code", None, ""),
    Taken("window", "axis_roles", None, ""),
    Taken("window", "about", None, ""),
    Taken("window", "counts", None, ""),
    Taken("window", "page_number", None, ""),
]
QUICK = {"signed=True,", "neutral=0", "of=ARRAYS"}
REQUIRED = ["name", "title", "desc", "anchor", "rules", "source", "region", "kernel_numbers"]


def without(text: str, name: str) -> str:
    """The text of an operator's module without a method or an attribute."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        found = isinstance(node, ast.FunctionDef) and node.name == name
        found |= isinstance(node, ast.Assign) and [ast.unparse(t) for t in node.targets] == [name]
        if found:
            assert isinstance(node, (ast.FunctionDef, ast.Assign))
            assert node.end_lineno is not None
            del lines[node.lineno - 1 : node.end_lineno]
            return "".join(lines)
    raise AssertionError(f"nothing declares {name}")


def copied(name: str, folder: Path) -> Path:
    """A copy of an operator's four files; the path of the first."""
    if name == "window":
        return window(folder)
    for path in sorted(TOYS.glob(f"*/{name}.*")):
        target = folder / path.relative_to(TOYS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder / "operators" / f"{name}.py"


def label(taken: Taken) -> str:
    return f"{taken.operator}-{re.sub(r'[^a-z_0-9]+', '-', taken.what.lower()).strip('-')}"


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    "taken",
    [pytest.param(t, id=label(t), marks=() if t.operator == "window" and t.what in QUICK else SLOW) for t in TAKEN],
)
def test_a_declaration_that_is_taken_away_fails_its_own_check(taken: Taken, tmp_path: Path) -> None:
    path = copied(taken.operator, tmp_path)
    text = path.read_text("utf-8")
    if taken.instead is None:
        changed = without(text, taken.what)
    else:
        if taken.what not in text:
            path = tmp_path / "misreadings" / path.name
            text = path.read_text("utf-8")
        assert taken.what in text
        changed = text.replace(taken.what, taken.instead, 1)
    path.write_text(changed, "utf-8")
    with installed(tmp_path):
        found = kit.failing(f"DML_OPERATOR_{taken.operator.upper()}")
    assert list(found) == ([taken.fails] if taken.fails else []), found


@pytest.mark.parametrize("name", REQUIRED)
def test_what_is_required_is_asked_for_by_name(name: str, tmp_path: Path) -> None:
    path = copied("window", tmp_path)
    path.write_text(without(path.read_text("utf-8"), name), "utf-8")
    with pytest.raises((DmlvizError, TypeError), match=rf"window declares no {name}|\b{name}\b"), installed(tmp_path):
        pass


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    ("folder", "check"),
    [("kernels", "the_kernel_agrees_with_the_oracle"), ("examples", "examples_come_with_it")],
)
def test_a_file_that_is_taken_away_fails_its_own_check(folder: str, check: str, tmp_path: Path) -> None:
    copied("window", tmp_path)
    for each in (tmp_path / folder).iterdir():
        each.unlink()
    with installed(tmp_path):
        assert (
            kit.told("DML_OPERATOR_WINDOW", check)
            .replace("DmlvizError: ", "")
            .startswith(("WINDOW has no kernel, expected one in", "AssertionError: examples/window.json is missing"))
        )
