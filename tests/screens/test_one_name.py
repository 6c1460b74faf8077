"""A tensor has one name on a screen, and the axes are named in one way below every tensor."""

from __future__ import annotations

import re

import pytest
from support.driver import Driver, explore

from dmlviz.scene.drawing.figure_lines import foot
from dmlviz.scene.layout.stack import GAP
from dmlviz.scene.look import Look
from dmlviz.scene.names import FEW, WHOLE_FROM, called, short_name, shortened

SIZES = [(80, 24), (120, 36), (200, 50)]
NAMES = ["gather-2", "join-1", "join-2-axis-3", "reverse-1", "split-1", "tile-1", "rule-sizes-match", "rule-sizes-sum"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_form_picture_formula_and_reason_call_a_tensor_alike(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        trace, valid = screen.state.view.trace, screen.state.view.report.ok
        assert trace is not None
        paths = [part.path for part in (*trace.inputs, *trace.outputs)]
        whole = size[0] >= WHOLE_FROM and len(paths) <= FEW and name != "reverse-1"
        panels = ["#strip" if size[0] < 100 else "#form", "#picture", "#formula" if valid else "#why", "#caption"]
        said = "\n".join(driver.text(panel) for panel in panels)
        for path in paths:
            own, other = (path, short_name(path)) if whole else (short_name(path), path)
            root = other.partition("[")[0]
            assert not re.search(rf"\b{root}\b", said), (path, said)
            assert re.search(rf"\b{re.escape(own)}", driver.text("#picture")), path
        if size[0] >= 100:
            assert all((path if whole else short_name(path)) in driver.text("#form") for path in paths)

    explore(script, name, size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", NAMES)
def test_axes_are_named_in_one_way_below_every_tensor(name: str, size: tuple[int, int]) -> None:
    async def script(driver: Driver) -> None:
        scene = driver.screen.state.picture.scene
        assert scene is not None
        ways = set()
        for stack, room in (
            (scene.inputs, driver.side(False).size.width),
            (scene.outputs, driver.side(True).size.width),
        ):
            for n, figure in enumerate(stack.figures):
                columns = stack.lefts[n + 1] - stack.lefts[n] - GAP if stack.beside else room - stack.before
                text = "".join(span.text for span in foot(figure, Look(), columns))
                if len(figure.down) + len(figure.across) > 1:
                    worded = re.search(r"[↓→] axis \d", text) is not None
                    tight = re.search(r"[↓→]\d", text) is not None
                    ways.add((worded, tight, text.startswith("axes ")))
        assert len(ways) <= 1, ways

    explore(script, name, size)


def test_two_tensors_that_would_be_called_alike_keep_their_names() -> None:
    assert shortened("ATensor and BTensor[1]", ["ATensor", "BTensor[1]"]) == "A and B[1]"
    paths = ["LeftInputTensor", "RightInputTensor"]
    assert shortened("LeftInputTensor, RightInputTensor", paths) == "LeftInputTensor, RightInputTensor"


def test_a_text_has_whole_names_where_there_is_room() -> None:
    async def script(driver: Driver) -> None:
        desc = driver.screen.workspace.experiment.desc
        text = "InputTensor.Sizes[1] and OutputTensor[0,1]"
        assert called(desc, text, WHOLE_FROM) == text
        assert called(desc, text, WHOLE_FROM - 1) == "Input.Sizes[1] and Output[0,1]"

    explore(script, "gather-2")
