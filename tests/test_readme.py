"""README and the pages in docs/: what they show is what happens, what they promise is tested by name, README is short
and leads to every page."""

from __future__ import annotations

import json
import re
import runpy
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import call

import dmlviz as dml
from dmlviz.cli.entry import COMMANDS
from dmlviz.exporters.lib.exporting import targets
from dmlviz.operators.registry import operator_of
from dmlviz.screens.explorer.user_keys import checked
from dmlviz.session import examples, reading, settings
from dmlviz.session.tokens import experiments_of
from dmlviz.teaching.lessons.lessons import shipped_levels

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = {path.stem: path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md")}
"""The pages in docs/, by name."""
FILES = PAGES["files"]
BLOCK = re.compile(r"```.*?```", re.DOTALL)
PROMISED = ("Settings and recovery", "In a browser")
"""The sections of the explorer's page whose every item is held by a test."""


def block(language: str, text: str) -> str:
    """The first block of a language in a text."""
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def test_the_course_is_told_with_its_levels_as_they_are() -> None:
    five = [each for each in shipped_levels() if not operator_of(each.start.desc).neighbour]
    for text in (README, PAGES["learn-and-teach"], PAGES["reference"], call("--help").out, call("learn", "--help").out):
        words = " ".join(text.split())
        assert f"{len(five)} puzzles" in words
        assert re.search(r"\bone for each related operator", words)


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= 110
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 250
    assert sum(len(text.splitlines()) for text in PAGES.values()) <= 1250
    assert len(PAGES) == 9


def test_readme_and_contributing_lead_to_every_page() -> None:
    texts = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert not {name for name in PAGES if f"](docs/{name}.md)" not in texts}


def test_every_command_is_there_and_stands_on_the_page_of_the_command_line() -> None:
    texts = [path.read_text("utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))]
    assert {found for text in texts for found in re.findall(r"`dmlviz\s([a-z]+)(?=[\s`])", text)} <= COMMANDS.keys()
    assert set(re.findall(r"^\| `dmlviz (\w+)", PAGES["reference"], re.MULTILINE)) == COMMANDS.keys()


def test_the_keys_that_readme_names_are_keys() -> None:
    named = set(re.findall(r"`([^\s`]|F\d|ctrl\+\w|space|esc)`", README))
    assert len(named) > 15
    assert named <= set(re.findall(r"`(\S+)`", PAGES["explorer"]))


def test_the_python_lines_run() -> None:
    names: dict[str, object] = {}
    exec(compile(block("python", PAGES["python"]), "python.md", "exec"), names)
    assert np.array_equal(names["out"], [[1, 2], [3, 4], [3, 4], [5, 6]])  # type: ignore[arg-type]
    assert names["report"].ok  # type: ignore[attr-defined]


def test_the_session_file_is_one() -> None:
    found, errors = reading.parse(block("json", FILES).encode(), "files.md", None)
    assert not errors
    assert found.experiments[0].check().ok
    assert json.loads(block("json", FILES))["title"] == found.title


def test_the_settings_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(block("json", PAGES["explorer"]))
    store = settings.Store(tmp_path / "config.json")
    found = store.settings
    assert not store.sentences
    assert (found.theme, found.seconds, found.animation) == ("dmlviz-light", 5.0, False)
    keys, _, said = checked(found.keys)
    assert not said
    assert set(keys) == {"steps.play", "session.open"}


def test_the_keys_are_those_of_the_table_of_commands() -> None:
    assert runpy.run_path(str(ROOT / "docs" / "keys.py"))["key_list"]() in PAGES["explorer"]


CONSOLE = [
    (page, command, shown)
    for page, text in {"README": README, **PAGES}.items()
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]
"""(page, command, what is shown below it)."""


@pytest.mark.parametrize(("page", "command", "shown"), CONSOLE, ids=[f"{page}: {line}" for page, line, _ in CONSOLE])
def test_a_command_prints_what_is_shown(
    page: str, command: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "desc.json").write_bytes(examples.example("gather-3-as-printed").path.read_bytes())
    piped, _, line = command.rpartition(" | ")
    called, *words = shlex.split(line)
    assert called == "dmlviz"
    told = call(*words, stdin=" ".join(shlex.split(piped)[1:]))
    assert told.out == shown
    assert told.code == (1 if shown else 0)


SHELL = "".join(re.findall(r"```sh\n(.*?)```", "".join(PAGES.values()), re.DOTALL))


@pytest.mark.parametrize("line", sorted(set(re.findall(r"^dmlviz (.*)$", SHELL, re.MULTILINE))))
def test_a_command_of_a_block_runs(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the explorer itself, which `dmlviz gather-2` opens."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.log").write_text(call("export", "gather-2", "--to", "dxdispatch").out)
    words = shlex.split(line.partition(" > ")[0])
    if words[0] in COMMANDS:
        assert call(*words).code <= 1
    else:
        assert examples.example(words[0])


SNIPPETS = re.findall(r"<!-- export: (\S+) (\S+) -->\n```\w+\n(.*?)```", FILES, re.DOTALL)


@pytest.mark.parametrize(("example", "target", "text"), SNIPPETS, ids=[target for _, target, _ in SNIPPETS])
def test_a_snippet_stands_in_what_is_exported(example: str, target: str, text: str) -> None:
    made = dml.export(examples.example(example).session(), target)
    assert isinstance(made, str)
    assert text in made


def test_every_target_is_listed() -> None:
    listed = FILES.split("| target | |\n|---|---|\n")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \| ", listed, re.MULTILINE) == list(targets())


def test_the_model_runs(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    file = tmp_path / "lesson.onnx"
    dml.export(examples.example("gather-2").session(), "onnx", file)
    (found,) = onnxruntime.InferenceSession(file).run(None, {})
    assert found.tolist() == [[1, 2], [3, 4], [3, 4], [5, 6]]


def test_the_line_of_numpy_is_imported(tmp_path: Path) -> None:
    line = re.search(r"^\$ echo '(.*)' \| dmlviz import - -o lesson.json$", FILES, re.MULTILINE)
    assert line
    made = call("import", "-", "-o", tmp_path / "lesson.json", stdin=line[1])
    assert made.code == 0
    (found,) = reading.load(tmp_path / "lesson.json").experiments
    assert found.desc == dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("INT64", (1, 2)), 0, 1)


def test_the_token_is_one() -> None:
    found = re.search(r"^dml1:\S+$", FILES, re.MULTILINE)
    assert found
    (wanted,) = examples.example("gather-2").session().experiments
    assert experiments_of(found[0])[-1] == replace(wanted, notes="", folder=None)


def headings(text: str) -> set[str]:
    """A page's headings as links call them."""
    found = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in found}


@pytest.mark.parametrize(
    "page",
    [
        path
        for folder in ("", "docs/", "docs/sheet/", "benchmarks/", "tests/")
        for path in sorted(ROOT.glob(f"{folder}*.md"))
    ],
    ids=lambda page: page.name,
)
def test_every_picture_and_file_it_names_is_there(page: Path) -> None:
    text = BLOCK.sub("", page.read_text("utf-8"))
    for link in re.findall(r"\]\(((?!http)[^)]*)\)", text):
        name, _, heading = link.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), name
        assert not heading or heading in headings(path.read_text("utf-8")), link


def test_pictures_need_no_web() -> None:
    for picture in (ROOT / "docs").glob("*.svg"):
        links = set(re.findall(r"https?://[^\"' )]*", picture.read_text("utf-8")))
        assert links <= {"http://www.w3.org/2000/svg"}, picture


MARKED = re.compile(r"<!-- test: (.*?) -->", re.DOTALL)


def promises() -> list[str]:
    """What is said of settings and recovery, and of who sees what of `serve`: the items of two lists."""
    sections = [PAGES["explorer"].split(f"## {title}\n")[1].split("\n## ")[0] for title in PROMISED]
    return [item for each in sections for item in re.split(r"^(?=- )", BLOCK.sub("", each), flags=re.MULTILINE)[1:]]


def test_each_promise_names_tests_that_there_are() -> None:
    texts = [file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py")]
    there = [name for text in texts for name in re.findall(r"^(?:async )?def test_(\w+)", text, re.MULTILINE)]
    assert len(promises()) > 10
    for promise in promises():
        names = [name for found in MARKED.findall(promise) for name in re.split(r",\s+", found)]
        assert names, f"no test is named after {promise!r}"
        assert not [name for name in names if not any(test.startswith(name) for test in there)]


def test_the_contact_sheet_shows_the_main_states() -> None:
    sheet = (ROOT / "docs" / "sheet" / "README.md").read_text("utf-8")
    assert len(re.findall(r"\]\(([^)]*\.svg)\)", sheet)) > 5
