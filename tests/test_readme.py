"""README and the pages in docs/: what they show is what happens, what they promise is tested by name, README is short
and leads to every page."""

from __future__ import annotations

import ast
import json
import re
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.commands import call

import dmlviz as dml
from dmlviz.cli.entry import COMMANDS, main
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
EXCHANGE = PAGES["exchange"]


def block(language: str, text: str) -> str:
    """The first block of a language in a text."""
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def test_the_course_is_told_with_its_levels_as_they_are() -> None:
    five = [each for each in shipped_levels() if not operator_of(each.start.desc).neighbour]
    for text in (README, PAGES["learning"], PAGES["command-line"], call("--help").out, call("learn", "--help").out):
        words = " ".join(text.split())
        assert f"{len(five)} levels" in words
        assert re.search(r"\bone (level )?for each (neighbour|operator)", words)


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= 110
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 250


def test_readme_and_contributing_lead_to_every_page() -> None:
    texts = README + (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert not {name for name in PAGES if f"](docs/{name}.md)" not in texts}


def test_every_command_is_there_and_stands_on_the_page_of_the_command_line() -> None:
    texts = [path.read_text("utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))]
    assert {found for text in texts for found in re.findall(r"`dmlviz\s([a-z]+)(?=[\s`])", text)} <= COMMANDS.keys()
    assert set(re.findall(r"^\| `dmlviz (\w+)", PAGES["command-line"], re.MULTILINE)) == COMMANDS.keys()


def test_the_keys_that_readme_names_are_keys() -> None:
    named = {
        found.lower().replace("ctrl+", "^") for found in re.findall(r"`([^\s`]|F\d|ctrl\+\w|space|escape)`", README)
    }
    assert len(named) > 15
    assert named - {"^p"} <= set(re.findall(r"`(\S+)`", PAGES["keys"]))


def test_the_python_lines_run() -> None:
    names: dict[str, object] = {}
    exec(compile(block("python", PAGES["python"]), "python.md", "exec"), names)
    assert np.array_equal(names["out"], [[1, 2], [3, 4], [3, 4], [5, 6]])  # type: ignore[arg-type]
    assert names["report"].ok  # type: ignore[attr-defined]


def test_the_session_file_is_one() -> None:
    found, errors = reading.parse(block("json", PAGES["session-files"]).encode(), "session-files.md", None)
    assert not errors
    assert found.experiments[0].check().ok
    assert json.loads(block("json", PAGES["session-files"]))["title"] == found.title


def test_the_settings_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(block("json", PAGES["what-is-kept"]))
    store = settings.Store(tmp_path / "config.json")
    found = store.settings
    assert not store.sentences
    assert (found.theme, found.seconds, found.animation) == ("dmlviz-light", 5.0, False)
    keys, _, said = checked(found.keys)
    assert not said
    assert set(keys) == {"steps.play", "session.open"}


def test_the_keys_are_those_of_the_table_of_commands() -> None:
    assert runpy.run_path(str(ROOT / "docs" / "keys.py"))["key_list"]() in PAGES["keys"]


def test_check_prints_what_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "desc.json"
    file.write_text(examples.example("gather-3-as-printed").path.read_text("utf-8"), "utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["check", file.name])
    assert ended.value.code == 1
    command, shown = block("console", PAGES["checking"]).split("\n", 1)
    assert command == "$ dmlviz check desc.json"
    assert capsys.readouterr().out == shown


SNIPPETS = re.findall(r"<!-- export: (\S+) (\S+) -->\n```\w+\n(.*?)```", EXCHANGE, re.DOTALL)


@pytest.mark.parametrize(("example", "target", "text"), SNIPPETS, ids=[target for _, target, _ in SNIPPETS])
def test_a_snippet_stands_in_what_is_exported(example: str, target: str, text: str) -> None:
    made = dml.export(examples.example(example).session(), target)
    assert isinstance(made, str)
    assert text in made


def test_every_target_is_shown() -> None:
    shown = re.findall(r"^\*\*(\w+)\*\*: ", EXCHANGE, re.MULTILINE)
    assert shown == list(targets())
    assert {target for _, target, _ in SNIPPETS} == set(targets()) - {"onnx"}


def test_the_model_runs(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    file = tmp_path / "lesson.onnx"
    dml.export(examples.example("gather-2").session(), "onnx", file)
    (found,) = onnxruntime.InferenceSession(file).run(None, {})
    assert found.tolist() == [[1, 2], [3, 4], [3, 4], [5, 6]]


def test_the_line_of_numpy_is_imported(tmp_path: Path) -> None:
    line = re.search(r"^\$ echo '(.*)' \| dmlviz import - -o lesson.json$", EXCHANGE, re.MULTILINE)
    assert line
    made = call("import", "-", "-o", tmp_path / "lesson.json", stdin=line[1])
    assert made.code == 0
    (found,) = reading.load(tmp_path / "lesson.json").experiments
    assert found.desc == dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("INT64", (1, 2)), 0, 1)


def test_the_token_is_one() -> None:
    found = re.search(r"^dml1:\S+$", EXCHANGE, re.MULTILINE)
    assert found
    (wanted,) = examples.example("gather-2").session().experiments
    assert experiments_of(found[0])[-1] == replace(wanted, notes="", folder=None)


def headings(text: str) -> set[str]:
    """A page's headings as links call them."""
    found = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in found}


@pytest.mark.parametrize(
    "page", [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md"))], ids=lambda page: page.name
)
def test_every_picture_and_file_it_names_is_there(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\(((?!http)[^)]*)\)", text):
        name, _, heading = link.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), name
        assert not heading or heading in headings(path.read_text("utf-8")), link


def test_pictures_need_no_web() -> None:
    for picture in (ROOT / "docs").glob("*.svg"):
        links = set(re.findall(r"https?://[^\"' )]*", picture.read_text("utf-8")))
        assert links <= {"http://www.w3.org/2000/svg"}, picture


def sentences(text: str) -> list[str]:
    """The sentences of paragraphs, each on one line; blocks and headings are left out."""
    paragraphs = re.sub(r"```.*?```", "", text, flags=re.DOTALL).split("\n\n")
    joined = [" ".join(each.split()) for each in paragraphs if not each.lstrip().startswith("#")]
    return [found for each in joined if each for found in re.split(r"(?<=\.) (?=[A-Z`\[])", each)]


def promises() -> list[str]:
    """What is said of who sees what of `serve`, and of what is kept."""
    _, served = PAGES["serve"].split("\n## Who sees what\n")
    return sentences(served) + sentences(PAGES["what-is-kept"])


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("'", ""))


def named_tests() -> list[tuple[str, str]]:
    """The name of each test that has a docstring, and the docstring in one line."""
    return [
        (node.name, " ".join(said.split()))
        for file in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and (said := ast.get_docstring(node))
    ]


def test_each_sentence_of_what_is_promised_has_a_test_that_is_named_after_it() -> None:
    found = named_tests()
    for promise in promises():
        named = [name for name, said in found if said.startswith(promise)]
        assert named, f"no test's docstring begins with {promise!r}"
        for name in named:
            left = iter(words(promise))
            assert all(word in left for word in name.removeprefix("test_").split("_")), f"{name} says {promise!r}"


def test_the_contact_sheet_shows_the_main_states() -> None:
    assert len(re.findall(r"\]\(([^)]*\.svg)\)", PAGES["contact-sheet"])) > 5
