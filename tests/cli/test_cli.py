"""The command line: stdout is data, stderr is talk, exit codes are an API."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from support.commands import Result, call, document, experiment, process

from dmlviz import __version__
from dmlviz.cli.entry import COMMANDS
from dmlviz.running import memory
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.timing import sampling

EXAMPLES = {each.name: each.path for each in examples.all_examples()}
GOOD, INVALID, UNREADABLE = experiment("good"), experiment("invalid", Repeats=[0]), {"name": "unreadable"}


# ---- words --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minor", [10, 15])
@pytest.mark.parametrize("words", [["-m", "dmlviz"], ["dmlviz"], ["-c", "import dmlviz"]])
def test_a_python_that_pip_refuses_is_told_in_a_sentence(tmp_path: Path, words: list[str], minor: int) -> None:
    root, before = Path(__file__).parents[2], "ImportError: " * ("-c" in words)
    assert tomllib.loads((root / "pyproject.toml").read_text())["project"]["requires-python"] == ">=3.11,<3.15"
    (tmp_path / "sitecustomize.py").write_text(f"import sys; sys.version_info = (3, {minor}, 2, 'final', 0)")
    (tmp_path / "dmlviz").write_text("from dmlviz.cli import main; main()")  # as pip writes it
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root / 'src'}"}
    found = subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
    *lines, last = found.stderr.splitlines()
    assert (found.returncode, last) == (1, f"{before}dmlviz needs Python 3.11 to 3.14, found 3.{minor}.")
    assert bool(lines) == bool(before)  # who imports it sees where


def test_help_names_every_command() -> None:
    assert call("--version") == Result(0, f"dmlviz {__version__}\n", "")
    told = (*COMMANDS, "--version", "--level", "Exit codes: 0", "dmlviz lesson.json")
    for word in ("--help", "-h"):
        found = call(word)
        assert (found.code, found.err, [each for each in told if each not in found.out]) == (0, "", [])
    for command in COMMANDS:
        found = call(command, "--help")
        assert (found.code, found.err) == (0, "")
        assert found.out.startswith(f"usage: dmlviz {command}")


NO_FILE = "argument FILE: standard input can't be read again, expected a file's name; "


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--nonsense", "--nonsense is no option here, expected --help, --version or --warm."),
        ("a b", 'found "a" and "b", expected one file, or one of examples, check, rule, run, '),
        ("check x --no", "unrecognized arguments: --no; `dmlviz check --help` lists the options."),
        ("check x --fix --level 5_0", "--level is given, expected none with --fix, which fixes at the level that "),
        ("check x --dim batch", '--dim is "batch", expected NAME=N: a free dimension and its size.'),
        ("check x --dim b=-1", '--dim "b" is "-1", expected an integer of 1 to 4,294,967,295.'),
        (
            "explain join-1 --dim n=1",
            "the example join-1 is a session, which has no free dimensions to give sizes for, ",
        ),
        ("run", "the following arguments are required: FILE; `dmlviz run --help` lists the options."),
        ("examples nothing", 'there is no example "nothing"; `dmlviz examples` lists them.'),
        ("join1", "join1: no such file, and no example; did you mean the example join-1?"),
        ("export join-1 --to numpy --snippet --level 1_0", "--level is given, expected none with --snippet, which "),
        ("learn gather-2", "gather-2 holds no lesson, expected an experiment that has a task."),
        ("learn tile-1", "the explorer needs a terminal"),
        ("learn --lesson x", '--lesson is "x", expected one of join, split, reverse, gather, tile, invalid, '),
        ("quiz -", NO_FILE),
        ("quiz gather-2 --kinds misprint,level", "gather-2: no question can be asked, expected other kinds"),
        ("class gather-2 --save /nowhere/a", "--save is /nowhere/a, which can't be written: No such file or"),
        ("progress --csv", "--csv is given without --merge, expected --merge F... too."),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(line: str, said: str) -> None:
    found = call(*line.split(" "))
    assert (found.code, found.out) == (2, "")
    (sentence,) = found.said
    assert sentence.startswith(said)
    assert sentence.endswith((".", "?"))


# ---- files and examples -------------------------------------------------------------------------------------------


def test_examples_are_listed_printed_and_stand_for_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = call("examples")
    assert (found.code, found.err) == (0, "")
    assert [line.split()[0] for line in found.out.splitlines()] == list(EXAMPLES)
    assert "GATHER, example 2" in found.out
    for name in ("gather-2", "inline-split"):
        assert call("examples", name) == Result(0, EXAMPLES[name].read_text("utf-8"), "")


def test_a_file_comes_before_an_example_and_a_command_before_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("join-1").write_bytes(EXAMPLES["split-1"].read_bytes())
    assert "SPLIT" in call("check", "join-1").out
    Path("tile-1").mkdir()
    assert call("run", "tile-1").said == ["tile-1 is a directory, expected a file to open."]
    assert call("check", "tile-1").out.startswith("0 files: 0 with descs, 0 descs, 0 invalid, 0 not checked")
    Path("gather-1").symlink_to("gone")
    assert call("check", "gather-1").said == ["gather-1: no such file, expected a file to open."]
    assert call("chek").said == ["chek: no such file, expected a file or a command; did you mean check?"]
    assert not any("a command" in call(word).err for word in ("./check", "check/", "check-1"))
    shipped = examples.Example("chek", EXAMPLES["tile-1"])
    monkeypatch.setattr(examples, "by_name", lambda: {"chek": shipped})
    assert "the explorer needs a terminal" in call("chek").err
    Path("check").write_text(document(INVALID))
    assert call("check", "check").code == 1
    assert "the explorer needs a terminal" in call("./check").err


def test_run_tells_what_is_broken_on_stderr_and_that_outweighs_what_can_not_be_read() -> None:
    told = call("run", "-", "--json", stdin=document(UNREADABLE, INVALID, GOOD))
    assert (told.code, [each["name"] for each in told.json if each["ok"]]) == (1, ["good"])
    assert sorted(re.findall(r'experiment "(\w+)": ', told.err)) == ["invalid", "unreadable"]
    assert told.json[0] == {"name": "invalid", "ok": False, "kernel": "numba", "outputs": [], "timing": None}


# ---- run and bench --------------------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is spent on timing."""
    real = sampling.measure
    monkeypatch.setattr(sampling, "measure", lambda bound: real(bound, 0))


@pytest.mark.usefixtures("quick")
def test_run_prints_what_the_page_prints() -> None:
    taken = "OutputTensor: (Sizes:{3, 1, 2}, DataType:FLOAT32)\n[[[1, 3]],\n [[4, 6]],\n [[7, 9]]]"
    assert f" · GATHER\n{taken}\nnumba kernel, " in call("run", EXAMPLES["gather-4"]).out


@pytest.mark.usefixtures("quick")
def test_run_json_holds_each_output_and_its_times() -> None:
    (each,) = call("run", "split-1", "--json").json
    assert list(each) == ["name", "ok", "kernel", "outputs", "timing"]
    assert [list(output) for output in each["outputs"]] == [["name", "data_type", "sizes", "values"]] * 3
    assert [list(output.values())[:3] for output in each["outputs"]] == [
        [f"OutputTensors[{k}]", "FLOAT32", [1, 1, n, 2]] for k, n in enumerate((2, 1, 3))
    ]
    warm = each["timing"]["warm"]
    assert 0 < warm["min_seconds"] <= warm["median_seconds"] <= warm["p95_seconds"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("data_type", "values"),
    [("UINT64", [2**64 - 1, 2**53 + 1]), ("INT64", [-(2**63), 1 - 2**63]), ("FLOAT16", ["nan", "inf", "-inf"])],
)
def test_integers_of_64_bits_are_exact_and_specials_are_strings(data_type: str, values: list[Any]) -> None:
    desc = {"InputTensors": [{"DataType": data_type, "Sizes": [len(values)]}], "Axis": 0}
    copied = {"name": "n", "feature_level": "5_0", "type": "DML_OPERATOR_JOIN", "desc": desc}
    held = document({**copied, "values": {"InputTensors": [values]}})
    assert call("run", "-", "--json", stdin=held).json[0]["outputs"][0]["values"] == values
    assert all(str(value) in call("run", "-", stdin=held).out for value in values)


@pytest.mark.usefixtures("quick")
def test_a_run_that_does_not_fit_in_memory_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    big = experiment("big", InputTensor={"DataType": "UINT8", "Sizes": [65535, 65535]}, Repeats=[1, 1])
    found = call("run", "-", "--json", stdin=document(big, GOOD))
    assert (found.code, [(each["name"], each["ok"]) for each in found.json]) == (2, [("big", False), ("good", True)])
    needs = "running TILE needs 8.0 GiB of memory, but only 1000 bytes is available."
    assert found.said == [f'standard input: experiment "big": {needs}']


def test_bench_times_the_kernel_beside_numpy_the_loop_and_a_copy(tmp_path: Path) -> None:
    done = call("bench", "gather-2", "-o", file := tmp_path / "times.json")
    assert done.code == 0
    name, *rows = done.out.splitlines()
    assert name == "row gather · GATHER"
    assert [row.split("  ")[1].split(" ")[0] for row in rows] == ["kernel", "NumPy", "naive", "memcpy"]
    assert all(row.endswith(" times the kernel's") for row in rows[1:])
    told = json.loads(file.read_text("utf-8"))
    (timed,) = told["experiments"]
    assert [told["dmlviz_bench"], *map(timed.get, ("name", "peer_name", "elements"))] == [3, "row gather", "take", 8]
    taken = f"{file} exists already, expected another name, or --force, which replaces it."
    assert call("bench", "gather-2", "-o", file).said == [taken]
    done = call("bench", "rule-sizes-sum", "-o", file, "--force")
    assert (done.code, done.out, json.loads(file.read_text("utf-8"))["experiments"]) == (1, "", [])
    assert all(sentence.startswith("rule-sizes-sum: experiment ") for sentence in done.said)


# ---- streams ----------------------------------------------------------------------------------------------------


@pytest.mark.drawn(1)
@pytest.mark.parametrize("command", ["check", "run"])
def test_what_takes_longer_than_a_second_is_told_on_stderr(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    real = Experiment.check
    monkeypatch.setattr(Experiment, "check", lambda self: time.sleep(1.3) or real(self))  # type: ignore[func-returns-value]
    found = call(command, "-", "--json", stdin=document(GOOD))
    assert "dmlviz: checking good … 1 s" in found.err.splitlines()
    assert (found.code, found.said, found.json[0]["ok"]) == (0, [], True)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full, and a shell's pipe")
def test_a_closed_pipe_ends_quietly_and_a_full_disk_is_told() -> None:
    full = "dmlviz: standard output can't be written: No space left on device.\n"
    for words in ("examples", f"check --json {EXAMPLES['gather-2']} {EXAMPLES['join-1']}"):
        for end, code, said in (("| head -c 1; exit ${PIPESTATUS[0]}", 0, ""), ("> /dev/full", 2, full)):
            line = f"{sys.executable} -m dmlviz {words} {end}"
            made = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
            assert (made.returncode, made.stderr) == (code, said)


@pytest.mark.slow
def test_the_program_in_a_process_of_its_own_carries_utf_8_whatever_the_locale_says() -> None:
    plain = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert process("examples", "gather-2", **plain) == Result(0, EXAMPLES["gather-2"].read_text("utf-8"), "")
    found = process("check", "-", "--json", stdin=document(experiment("數 😀")), **plain)
    assert (found.code, found.json[0]["name"], found.err) == (0, "數 😀", "")
