"""The command line: stdout is data, stderr is talk, exit codes are an API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Result, call, document, experiment, process
from support.printed import PRINTED

from dmlviz import __version__
from dmlviz.cli.entry import COMMANDS
from dmlviz.desc.levels import LEVELS
from dmlviz.running import memory
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.timing import sampling

EXAMPLES = {each.name: each.path for each in examples.all_examples()}


GOOD, INVALID = experiment("good"), experiment("invalid", Repeats=[0])
UNREADABLE = {"name": "unreadable"}


# ---- talk -------------------------------------------------------------------------------------------------------


def test_version() -> None:
    assert call("--version") == Result(0, f"dmlviz {__version__}\n", "")


@pytest.mark.parametrize("minor", [9, 10, 15, 16])
@pytest.mark.parametrize(
    ("words", "before"), [(["-m", "dmlviz"], ""), (["dmlviz"], ""), (["-c", "import dmlviz"], "ImportError: ")]
)
def test_a_python_that_pip_refuses_is_told_in_a_sentence(
    tmp_path: Path, words: list[str], before: str, minor: int
) -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.15"
    (tmp_path / "sitecustomize.py").write_text(f"import sys; sys.version_info = (3, {minor}, 2, 'final', 0)")
    (tmp_path / "dmlviz").write_text("from dmlviz.cli import main; main()")  # as pip writes it
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root / 'src'}"}
    found = subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.returncode == 1
    *lines, last = found.stderr.splitlines()
    assert last == f"{before}dmlviz needs Python 3.11 to 3.14, found 3.{minor}."
    assert bool(lines) == bool(before)  # who imports it sees where


def test_help_names_every_command() -> None:
    told = (*COMMANDS, "--version", "--level", "Exit codes: 0", "dmlviz lesson.json")
    for word in ("--help", "-h"):
        found = call(word)
        assert (found.code, found.err) == (0, "")
        assert not [each for each in told if each not in found.out]
    for command in COMMANDS:
        found = call(command, "--help")
        assert (found.code, found.err) == (0, "")
        assert found.out.startswith(f"usage: dmlviz {command}")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--nonsense"], "--nonsense is no option here, expected --help, --version or --warm."),
        (["a", "b"], 'found "a" and "b", expected one file, or one of examples, check, rule, run, '),
        (["check", "x", "--no"], "unrecognized arguments: --no; `dmlviz check --help` tells what is expected."),
        (["run"], "the following arguments are required: FILE; `dmlviz run --help` tells what is expected."),
        (["examples", "nothing"], 'there is no example "nothing"; `dmlviz examples` lists them.'),
        (["check", "x", "--level", "9_9"], 'feature level is "9_9", expected one of 1_0, 2_0, 2_1,'),
        (["nothing.json"], "nothing.json: no such file, expected a file to open."),
        (["\udcff.json"], "\\udcff.json: no such file, expected a file to open."),
        (["export", "x"], "--to is missing, expected --to and one of "),
        (["export", "--to", "numpy"], "FILE is missing, expected a file, an example's name, a token, or -."),
        (["learn", "gather-2"], "gather-2 holds no lesson, expected a session in which an experiment has a task."),
        (["learn", "--lesson", "x"], '--lesson is "x", expected one of join, split, reverse, gather, tile, invalid, '),
        (["present", "-"], "present reads no session from standard input, expected a file"),
        (["present"], "the following arguments are required: FILE"),
        (["present", "gather-2"], "the explorer needs a terminal"),
        (["quiz", "gather-2", "--json", "--kinds", "riddle"], 'kind is "riddle", expected one of'),
        (["quiz", "gather-2", "--json", "--count", "0"], '--count is "0", expected an integer of 1 to 100,000'),
        (["quiz", "gather-2", "--kinds", "misprint,level"], "gather-2: no question can be asked, expected other kinds"),
        (["quiz", "-", "--json"], "- is no file to ask about: answers are read from standard input"),
        (["serve", "--port", "70000"], '--port is "70000", expected an integer of 0 to 65,535.'),
        (["serve", "-"], "serve reads no session from standard input, expected a file"),
        (["serve", "--present"], "serve --present has no FILE, expected a session to present."),
        (["serve", "--host", "no host.example"], "--host is no host.example, expected a name or an address"),
        (["check", "dml3:AAAA"], "the token begins dml3:, a newer version, expected dml2:; a newer dmlviz reads it."),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(argv: list[str], said: str) -> None:
    found = call(*argv)
    assert (found.code, found.out) == (2, "")
    (sentence,) = found.said
    assert sentence.startswith(said)
    assert sentence.endswith(".")


def test_a_file_called_like_a_command_is_opened_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "check").write_text(document(INVALID))
    assert call("check", f"{tmp_path}/check").code == 1
    assert "the explorer needs a terminal" in call(f"{tmp_path}/check").err


# ---- examples ---------------------------------------------------------------------------------------------------


def test_the_list_of_examples() -> None:
    found = call("examples")
    assert found.code == 0
    assert not found.err
    assert [line.split()[0] for line in found.out.splitlines()] == list(EXAMPLES)
    assert "gather-2                 " in found.out
    assert "GATHER, example 2" in found.out


def test_an_example_is_printed_as_its_file_and_read_from_standard_input() -> None:
    for name in ("gather-2", "gather-3-as-printed", "inline-split"):
        printed = call("examples", name)
        assert (printed.code, printed.out, printed.err) == (0, EXAMPLES[name].read_text("utf-8"), "")
        invalid = int(name == "gather-3-as-printed")
        checked, ran = call("check", "-", stdin=printed.out), call("run", "-", stdin=printed.out)
        assert (checked.code, checked.err) == (invalid, "")
        assert (ran.code, len(ran.said)) == (invalid, invalid)


@pytest.mark.slow
def test_pipes_between_processes_carry_utf_8_whatever_the_locale_says() -> None:
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    made = process("examples", "gather-2", **plain)
    assert made == Result(0, EXAMPLES["gather-2"].read_text("utf-8"), "")
    found = process("check", "-", "--json", stdin=document(experiment("數 😀")), **plain)
    assert (found.code, found.json[0]["name"], found.err) == (0, "數 😀", "")


# ---- check ------------------------------------------------------------------------------------------------------


def test_gather_3_as_printed() -> None:
    found = call("check", EXAMPLES["gather-3-as-printed"], "--json")
    assert found.code == 1
    (each,) = found.json
    (broken,) = [c for c in each["checks"] if not c["ok"]]
    assert broken["id"] == "gather.fits"
    fix = broken["fixes"][0]
    assert (fix["label"], fix["mends_all"]) == ("IndexDimensions 2 → 1", True)
    assert fix["edits"] == [{"op": "replace", "path": "/desc/IndexDimensions", "value": 1}]
    assert each["waiting"] == [{"id": "gather.sizes", "field": "OutputTensor.Sizes", "on": "gather.fits"}]
    text = call("check", EXAMPLES["gather-3-as-printed"]).out
    assert "✘ gather.fits: IndexDimensions is 2" in text
    assert "fix 1: IndexDimensions 2 → 1" in text
    assert "… gather.sizes (OutputTensor.Sizes) waits for gather.fits" in text


@pytest.mark.parametrize(
    ("held", "code"),
    [
        ([GOOD], 0),
        ([INVALID], 1),
        ([UNREADABLE], 2),
        ([GOOD, INVALID], 1),
        ([GOOD, UNREADABLE], 2),
        ([UNREADABLE, INVALID, GOOD], 1),
        ([INVALID, UNREADABLE, INVALID], 1),
    ],
    ids=lambda found: "+".join(each["name"] for each in found) if isinstance(found, list) else str(found),
)
def test_exit_codes_of_one_file(tmp_path: Path, held: list[Any], code: int) -> None:
    file = tmp_path / "s.json"
    file.write_text(document(*held))
    for command in ("check", "run"):
        found, listed = call(command, file), call(command, file, "--json")
        assert (found.code, listed.code) == (code, code)
        readable = [each for each in held if each is not UNREADABLE]
        assert [(each["name"], each["ok"]) for each in listed.json] == [(x["name"], x is GOOD) for x in readable]
        assert all(each["name"] in found.out for each in held if each is GOOD)
        unread = [sentence for sentence in found.said if "unreadable" in sentence]
        reason = "feature_level is missing, expected it in every experiment."
        assert unread == [f'{file}: experiment "unreadable": {reason}'] * held.count(UNREADABLE)
        # `check` has told on stdout what is broken; `run` has nothing else to say of it.
        assert len(found.said) - len(unread) == (held.count(INVALID) if command == "run" else 0)
        assert found.said == listed.said


def test_exit_codes_of_several_files(tmp_path: Path) -> None:
    for name, held in (("good", GOOD), ("invalid", INVALID), ("unreadable", UNREADABLE)):
        (tmp_path / name).write_text(document(held))
    good, invalid, unreadable, missing = (tmp_path / x for x in ("good", "invalid", "unreadable", "missing"))
    assert call("check", good, good).code == 0
    assert call("check", good, invalid).code == 1
    assert call("check", missing, good, invalid).code == 1  # what is known to be broken outweighs what isn't read
    assert call("check", missing, good).code == 2
    found = call("check", unreadable, good, missing, invalid)
    assert found.code == 1
    assert [line.split(": ")[0] for line in found.out.splitlines() if line[0] in "✔✘"] == [f"✔ {good}", f"✘ {invalid}"]
    assert [sentence.split(": ")[0] for sentence in found.said] == [str(unreadable), str(missing)]
    listed = call("check", unreadable, good, missing, invalid, "--json").json
    assert [each["file"] for each in listed] == [str(good), str(invalid)]


def test_the_level_of_the_file_is_overruled() -> None:
    file = EXAMPLES["gather-2"]
    levels = [each.value for each in LEVELS]
    codes = [call("check", file, "--level", level).code for level in levels]
    assert codes == [int(level < "3_0") for level in levels]
    found = call("check", file, "--level", "2_1", "--json").json[0]
    assert (found["feature_level"], found["lowest_level"], found["ok"]) == ("2_1", "3_0", False)


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_the_shape_of_check_json(name: str) -> None:
    found = call("check", EXAMPLES[name], "--json")
    whole = json.loads(found.out)
    assert list(whole) == ["experiments", "files"]
    (file,) = whole["files"]
    asks = file.pop("lesson", None)
    sound: dict[str, list[str]] = {"faults": [], "notes": []}
    assert asks in (None, sound), "what it asks is not at fault"
    assert file == {"file": str(EXAMPLES[name]), "error": None, "remarks": []}
    for each in whole["experiments"]:
        assert list(each)[:6] == ["file", "name", "feature_level", "ok", "lowest_level", "checks"]
        assert each.pop("task", sound) == sound
        assert list(each)[6:] == ["verdict", "type", "desc", "waiting", "not_checked"]
        assert each["file"] == str(EXAMPLES[name])
        assert each["lowest_level"] in (None, *(level.value for level in LEVELS))
        for c in each["checks"]:
            assert list(c)[:9] == ["id", "severity", "ok", "field", "expected", "found", "message", "page", "fixes"]
            assert list(c)[9:11] == ["expected_kind", "found_kind"]
            assert list(c)[11:] == ([] if c["ok"] else ["place"])
            assert c["ok"] or list(c["place"]) == ["line", "column", "end_line", "end_column"]
            assert {c["expected_kind"], c["found_kind"]} <= {"value", "range", "set"}
            assert c["severity"] in ("error", "warning", "note")
            assert isinstance(c["ok"], bool)
            assert all(isinstance(c[key], str) for key in ("id", "field", "message", "page"))
            assert all(list(fix) == ["label", "mends_all", "edits"] for fix in c["fixes"])
            assert all(isinstance(fix["label"], str) and fix["edits"] for fix in c["fixes"])
        pairs = [(c["id"], c["field"]) for c in each["checks"]]
        assert len(set(pairs)) == len(pairs)
        holds = all(c["ok"] for c in each["checks"] if c["severity"] == "error")
        assert each["ok"] is (None if holds and each["not_checked"] else holds)
    told = {each["ok"] for each in whole["experiments"]}
    assert found.code == (1 if False in told else 2 if None in told else 0)
    assert not found.err


# ---- run --------------------------------------------------------------------------------------------------------

# As the pages print them, with the columns aligned.
TEXTS = {
    "join-2-axis-1": """\
OutputTensor: (Sizes:{1, 3, 2, 2}, DataType:FLOAT32)
[[[[ 1,  2],
   [ 3,  4]],

  [[ 5,  6],
   [ 7,  8]],

  [[ 9, 10],
   [11, 12]]]]
""",
    "split-1": """\
OutputTensors[0]: (Sizes:{1, 1, 2, 2}, DataType:FLOAT32)
[[[[1, 2],
   [3, 4]]]]
OutputTensors[1]: (Sizes:{1, 1, 1, 2}, DataType:FLOAT32)
[[[[5, 6]]]]
OutputTensors[2]: (Sizes:{1, 1, 3, 2}, DataType:FLOAT32)
[[[[ 7,  8],
   [ 9, 10],
   [11, 12]]]]
""",
    "gather-4": """\
OutputTensor: (Sizes:{3, 1, 2}, DataType:FLOAT32)
[[[1, 3]],
 [[4, 6]],
 [[7, 9]]]
""",
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is spent on timing."""
    real = sampling.measure
    monkeypatch.setattr(sampling, "measure", lambda bound: real(bound, 0))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", list(TEXTS))
def test_run_prints_what_the_page_prints(name: str) -> None:
    found = call("run", EXAMPLES[name])
    assert (found.code, found.said) == (0, [])
    head, rest = found.out.split("\n", 1)
    assert " · " in head
    assert rest.startswith(TEXTS[name])
    timing = rest.removeprefix(TEXTS[name])
    assert timing.startswith("numba kernel, ")
    assert timing.count("\n") == 1


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", list(PRINTED))
def test_run_json_holds_what_the_page_prints(name: str) -> None:
    found = call("run", EXAMPLES[name], "--json")
    assert (found.code, found.said) == (0, [])
    assert list(json.loads(found.out)) == ["experiments"]
    (each,) = found.json
    assert list(each) == ["name", "ok", "kernel", "outputs", "timing"]
    assert (each["ok"], each["kernel"]) == (True, "numba")
    assert [output["values"] for output in each["outputs"]] == PRINTED[name]
    for k, output in enumerate(each["outputs"]):
        assert list(output) == ["name", "data_type", "sizes", "values"]
        assert output["name"] == (f"OutputTensors[{k}]" if name.startswith("split") else "OutputTensor")
        assert output["sizes"] == list(np.shape(output["values"]))
        assert output["data_type"] == "FLOAT32"
    warm = each["timing"]["warm"]
    assert each["timing"]["cold_seconds"] > 0
    assert 0 < warm["min_seconds"] <= warm["median_seconds"] <= warm["p95_seconds"]
    assert warm["n"] >= 1


@pytest.mark.usefixtures("quick")
def test_an_invalid_desc_is_not_run() -> None:
    found = call("run", EXAMPLES["gather-3-as-printed"], "--json")
    assert found.code == 1
    nothing = {"ok": False, "kernel": "numba", "outputs": [], "timing": None}
    assert found.json == [{"name": "column swap, as printed", **nothing}]
    (sentence,) = found.said
    assert sentence.startswith(f'{EXAMPLES["gather-3-as-printed"]}: experiment "column swap, as printed": gather.fits:')


def copy_of(data_type: str, values: list[Any]) -> str:
    """JOIN of one tensor: a copy."""
    tensor = {"DataType": data_type, "Sizes": [len(values)]}
    desc = {"InputTensors": [tensor], "Axis": 0}
    held = {"name": "n", "feature_level": "5_0", "type": "DML_OPERATOR_JOIN", "desc": desc}
    return document({**held, "values": {"InputTensors": [values]}})


def printed(found: Result) -> str:
    """The values of the only output, as text."""
    text = found.out.split('"values": ')[1]
    return text[: text.index("]") + 1]


@pytest.mark.usefixtures("quick")
def test_integers_of_64_bits_are_exact_and_specials_are_strings() -> None:
    high = 2**64 - 1
    assert printed(call("run", "-", "--json", stdin=copy_of("UINT64", [high, 2**53 + 1]))) == f"[{high}, {2**53 + 1}]"
    low = -(2**63)
    assert printed(call("run", "-", "--json", stdin=copy_of("INT64", [low, low + 1]))) == f"[{low}, {low + 1}]"
    found = call("run", "-", "--json", stdin=copy_of("FLOAT16", ["nan", "inf", "-inf"]))
    assert printed(found) == '["nan", "inf", "-inf"]'
    assert "\n[ nan,  inf, -inf]\n" in call("run", "-", stdin=copy_of("FLOAT16", ["nan", "inf", "-inf"])).out


@pytest.mark.usefixtures("quick")
def test_a_run_that_does_not_fit_in_memory_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    big = experiment("big", InputTensor={"DataType": "UINT8", "Sizes": [65535, 65535]}, Repeats=[1, 1])
    found = call("run", "-", "--json", stdin=document(big, GOOD))
    assert found.code == 2
    assert [(each["name"], each["ok"]) for each in found.json] == [("big", False), ("good", True)]
    needs = "running TILE needs 8.0 GiB of memory, but only 1000 bytes is available."
    assert found.said == [f'standard input: experiment "big": {needs}']


# ---- streams ----------------------------------------------------------------------------------------------------


@pytest.mark.drawn(1)
@pytest.mark.parametrize("command", ["check", "run"])
def test_what_takes_longer_than_a_second_is_told_on_stderr(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    real = Experiment.check

    def slow(self: Experiment, *others: Any) -> Any:
        time.sleep(1.3)
        return real(self, *others)

    monkeypatch.setattr(Experiment, "check", slow)
    found = call(command, "-", "--json", stdin=document(GOOD))
    assert found.code == 0
    assert "dmlviz: checking good … 1 s" in found.err.splitlines()
    assert not found.said
    assert found.json[0]["ok"]


def test_a_name_that_no_encoding_holds_is_printed_as_escapes() -> None:
    name = "bell \a escape \x1b[31m line\n\u2028end"
    found = call("check", "-", stdin=document(experiment(name)))
    assert found.code == 0
    assert len(found.out.splitlines()) == 1
    assert "\x1b" not in found.out
    assert "\\u001b[31m line\\n" in found.out
    assert call("check", "-", "--json", stdin=document(experiment(name))).json[0]["name"] == name


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a shell's pipe")
def test_a_closed_pipe_ends_quietly() -> None:
    for command in ("examples", f"check --json {EXAMPLES['gather-2']} {EXAMPLES['join-1']}"):
        line = f"{sys.executable} -m dmlviz {command} | head -c 1; exit ${{PIPESTATUS[0]}}"
        made = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
        assert (made.returncode, len(made.stdout), made.stderr) == (0, 1, b"")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_told_in_a_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "dmlviz", "examples"]
        made = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert made.returncode == 2
    assert made.stderr == "dmlviz: standard output can't be written: No space left on device.\n"


@pytest.mark.slow
def test_the_program() -> None:
    assert process("--version") == Result(0, f"dmlviz {__version__}\n", "")
    explorer = process()
    assert (explorer.code, explorer.out, len(explorer.said)) == (2, "", 1)
    ran = process("run", "--json", "-", stdin=EXAMPLES["gather-2"].read_text("utf-8"))
    assert (ran.code, ran.said) == (0, [])
    assert ran.json[0]["outputs"][0]["values"] == [[1, 2], [3, 4], [3, 4], [5, 6]]
    broken = process("check", "-", stdin="{")
    assert (broken.code, broken.out, len(broken.said)) == (2, "", 1)
