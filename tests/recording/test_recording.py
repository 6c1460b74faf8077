"""Recording: formats, steps and files; what a missing library and a file in the way are told by."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from support.commands import call

import dmlviz as dml
from dmlviz.errors import DmlvizError, SessionError
from dmlviz.recording.recording import record, save_recording, size_of
from dmlviz.recording.stills import Drawing
from dmlviz.session.examples import all_examples
from dmlviz.session.experiments import Experiment, Session

SESSIONS = {each.name: each.session() for each in all_examples()}
GATHER = SESSIONS["gather-2"]


@pytest.mark.parametrize(("steps", "wanted"), [(None, range(9)), ("1:2", (1, 2)), ("8", (8,)), ("0", (0,))])
def test_only_the_steps_that_are_wanted_are_recorded(steps: str | None, wanted: Sequence[int]) -> None:
    every, found = record(GATHER, "svg"), record(GATHER, "svg", steps=steps)
    assert [each.content for each in found] == [every[step].content for step in wanted]
    assert str(found[0].content).startswith("<svg "), "which is text"
    assert [each.name for each in found] == ([f"-step-00{step}" for step in wanted] if len(wanted) > 1 else [""])


@pytest.mark.parametrize("steps", ["", "a:b", "3:2", "-1:2", "1:2:3", "1.5", "٣", "0:9", "9"])
def test_steps_that_are_none_are_refused_in_a_sentence(steps: str) -> None:
    with pytest.raises(DmlvizError, match=r"^steps is .*, expected A:B or one step, of 0 to 8\.$"):
        record(GATHER, "gif", steps=steps)


def test_a_format_that_is_not_there_is_refused() -> None:
    with pytest.raises(DmlvizError, match=r"^to is \"bmp\", expected one of html, svg, png, gif\.$"):
        record(GATHER, "bmp")


@pytest.mark.parametrize(("to", "module", "extra"), [("png", "resvg_py", "png"), ("gif", "PIL", "gif")])
def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch, to: str, module: str, extra: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DmlvizError, match=rf"pip install '\.\[{extra}\]'"):
        record(GATHER, to, steps="1")


def test_a_gif_shows_each_of_its_stills() -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("resvg_py")

    def pixels(to: str) -> list[Any]:
        made = [image.open(io.BytesIO(each.content)) for each in record(one, to, steps="0:2")]  # type: ignore[arg-type]
        assert to == "png" or (made[0].n_frames, made[0].info["loop"]) == (3, 0), "without an end"
        return made

    def frame(step: int) -> Any:
        found.seek(step)
        assert found.info["duration"] == (900, 3000)[step == 2]
        return np.asarray(found.convert("RGB"), int)

    one = Session(GATHER.experiments[:1])
    stills, (found,) = [np.asarray(each.convert("RGB"), int) for each in pixels("png")], pixels("gif")
    for step in range(3):
        apart = [np.abs(frame(step) - still).sum() for still in stills]
        assert np.argmin(apart) == step


@pytest.mark.parametrize(("size", "ratio"), [("16:9", 16 / 9), ("1:2", 0.5)])
def test_a_still_of_a_size_has_all_of_it_in_the_middle_of_its_ground(size: str, ratio: float) -> None:
    (plain, *_), (sized, *_) = (record(GATHER, "svg", steps="1", size=each) for each in (None, size))
    before, after = (ElementTree.fromstring(str(each.content)) for each in (plain, sized))
    left, top, wide, high = map(float, after.get("viewBox", "").split())
    width, height = size_of(str(plain.content))
    assert [wide, high] == pytest.approx([max(width, height * ratio), max(height, width / ratio)], rel=1e-3)
    assert [2 * left + wide, 2 * top + high] == pytest.approx([width, height], rel=1e-3)
    assert [after[1].get(key) for key in ("x", "y", "width", "height")] == [f"{left:g}", f"{top:g}", "100%", "100%"]
    assert [*before[2].itertext()] == [*after[2].itertext()]
    assert size_of(str(sized.content)) == (wide, high)


def test_the_size_of_a_still_of_a_million_pixels_is_read() -> None:
    width, height = size_of(Drawing("").svg((80_000, 200), 1 / 99))
    assert height == pytest.approx(99 * width)


@pytest.mark.parametrize(
    ("to", "how", "said"),
    [
        *(
            ("svg", {"size": bad}, f'^size is "{bad}", expected the ratio')
            for bad in ("16/9", "0:9", "100:9", "1920x1080", "")
        ),
        ("html", {"size": "16:9"}, "^steps or size is given, expected none for html"),
    ],
)
def test_a_size_that_is_none_is_refused_in_a_sentence(to: str, how: dict[str, Any], said: str) -> None:
    with pytest.raises(DmlvizError, match=said):
        record(GATHER, to, **how)


def test_a_file_in_the_way_is_kept(tmp_path: Path) -> None:
    session = Session(GATHER.experiments[:1])
    (tmp_path / "still-step-002.svg").write_text("mine")
    with pytest.raises(SessionError, match=r"exists already, expected another name, or --force"):
        save_recording(record(session, "svg"), tmp_path / "still.svg", unless="--force")
    assert [each.name for each in tmp_path.iterdir()] == ["still-step-002.svg"]
    paths = save_recording(record(session, "svg"), tmp_path / "still.svg")
    assert [each.name for each in paths] == [f"still-step-00{n}.svg" for n in range(9)]
    assert (tmp_path / "still-step-002.svg").read_text("utf-8") != "mine"


def test_the_command_writes_the_page_that_python_makes(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    result = call("record", "gather-2", "-o", str(path))
    assert result.code == 0
    assert path.read_bytes().decode() == dml.record(GATHER, "html")[0]
    refused = call("record", "gather-2", "-o", str(path))
    assert refused.code == 2
    assert "--force" in refused.err
    assert call("record", "gather-2", "--to", "html").out == path.read_bytes().decode()
    slide = call("record", "gather-2", "--steps", "3", "--to", "svg").out
    assert [slide] == dml.record(GATHER, "svg", steps="3")


def test_an_invalid_desc_is_recorded_and_tells_by_the_exit_code(tmp_path: Path) -> None:
    broken = Experiment("broken", dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (0, 2)))
    path = tmp_path / "broken.json"
    dml.save(Session((broken,)), path)
    result = call("record", str(path), "-o", str(tmp_path / "page.svg"))
    assert result.code == 1
    assert "✘ invalid" in (tmp_path / "page.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "output", "sentence"),
    [
        (
            (),
            "slide.pdf",
            r'^-o is "slide.pdf", expected a file to write whose name ends with .html or .svg or .png or .gif\.$',
        ),
        (("--to", "png"), "x.html", r'^-o is "x.html", expected .* ends with .png\.$'),
        ((), "missing/page", r"^missing/page can't be written: missing is no directory\.$"),
        ((), ".", r"^\. is a directory, expected a file to write\.$"),
        ((), "nope/", r'^-o is "nope/", expected a file to write'),
    ],
)
def test_an_output_that_is_called_after_no_format_or_another_is_refused(
    words: tuple[str, ...], output: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = call("record", "gather-2", *words, "-o", output)
    assert (result.code, result.out, len(result.said)) == (2, "", 1)
    assert re.search(sentence, result.said[0].removeprefix("dmlviz: "))
    assert not [*tmp_path.iterdir()]
    with pytest.raises(DmlvizError, match=r"^output is |directory"):
        dml.record(GATHER, words[1] if words else "html", output)
    assert not [*tmp_path.iterdir()]
