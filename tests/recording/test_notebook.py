"""A notebook that is executed holds tables and pictures, which stand without scripts too."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import Tab
from support.page_in_browser import IN_CHROMIUM, opened, value, visited
from support.recorded_pages import experiments, parsed, tables_of

import dmlviz as dml

pytestmark = IN_CHROMIUM
CELLS = (
    "import numpy as np\nimport dmlviz as dml\n"
    "desc = dml.Gather(dml.TensorDesc('FLOAT32', (3, 2)), dml.TensorDesc('UINT32', (1, 4)), 0, 1)\n"
    "arrays = [np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([[2, 0, 2, 1]], np.uint32)]",
    "desc",
    "dml.check(desc)",
    "dml.trace(desc, arrays)",
    "dml.Experiment('rows', desc)",
    "dml.show(desc, arrays)",
    "dml.show(dml.check(desc.replace({'Axis': 7})))",
)
ARRAYS = [np.array([[1, 2], [3, 4], [5, 6]], np.float32), np.array([[2, 0, 2, 1]], np.uint32)]
GATHERED = ["5", "6", "1", "2", "5", "6", "3", "4"]


def executed() -> list[str]:
    """The HTML of what each cell shows."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in CELLS])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs: list[list[dict[str, Any]]] = [cell["outputs"] for cell in notebook["cells"]]
    assert outputs[0] == []
    for found in outputs[1:]:
        assert len(found) == 1
        assert found[0]["output_type"] in ("execute_result", "display_data")
    return ["".join(found[0]["data"]["text/html"]) for found in outputs[1:]]


@pytest.mark.filterwarnings("ignore")
def test_an_executed_notebook_shows_tables_and_pictures_without_scripts_too(tmp_path: Path) -> None:
    shown = executed()
    assert all(len(each.encode()) < 100_000 for each in shown)
    for number in (2, 4):
        (section,) = experiments(shown[number])
        assert tables_of(section)[-1] == GATHERED
    for number in (1, 5):
        assert parsed(shown[number]).all("table")
    assert "axis.range" in shown[5]
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{''.join(f'<article>{each}</article>' for each in shown)}")

    async def visit(page: Tab) -> None:
        await page.call("Emulation.setScriptExecutionDisabled", value=True)
        await opened(page, file)
        script = """[document.querySelectorAll("[data-on]").length,
            [...document.querySelectorAll("[data-dmlviz]")].map((each) => [
                ...each.shadowRoot.querySelectorAll("td")]
                .filter((td) => td.checkVisibility() && td.getBoundingClientRect().width > 5).length)]"""
        assert await value(page, script) == [0, [len(parsed(each).all("td")) for each in shown]]
        assert len(base64.b64decode((await page.call("Page.captureScreenshot", format="png"))["data"])) > 10_000

    visited(visit)


HOSTILE = """<style>
    td, th { text-align: right !important; font: 40px serif !important; white-space: normal !important; }
    tr:nth-child(odd) { background: #d0d0d0 !important; } table { border-collapse: collapse !important; }
    section { display: none } * { letter-spacing: 9px }
</style>"""
LOOKS = """(() => {
    const root = document.querySelector("[data-dmlviz]").shadowRoot, td = root.querySelector(".out tbody td");
    const { textAlign, fontFamily, letterSpacing } = getComputedStyle(td);
    const striped = [...root.querySelectorAll("tr")].map((row) => getComputedStyle(row).backgroundColor);
    return [textAlign, fontFamily === "serif", letterSpacing, [...new Set(striped)], td.checkVisibility(),
        getComputedStyle(root.querySelector(".dmlviz")).backgroundColor,
        [...root.querySelectorAll(".side")].map((side) => Math.round(side.getBoundingClientRect().top))];
})()"""
PUT_IN = """(html) => { document.body.innerHTML = html;
    for (const each of document.querySelectorAll("script:not([type])")) {
        const made = document.createElement("script");
        made.textContent = each.textContent;
        each.replaceWith(made);
    } }"""
"""What JupyterLab does with an output."""


@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
@pytest.mark.parametrize("way", ["parsed", "put in"])
def test_a_notebooks_style_sheet_does_not_reach_in_and_a_click_shows_a_path(
    way: str, ground: str, tmp_path: Path
) -> None:
    trace = dml.trace(dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1), ARRAYS)
    shown = str(trace._repr_html_())
    page = f"<!DOCTYPE html><meta charset=utf-8>{HOSTILE}<body style='background:{ground}'>"
    file = tmp_path / "notebook.html"
    file.write_text(page + (shown if way == "parsed" else ""))

    async def visit(page: Tab) -> None:
        if way == "put in":
            await value(page, f"({PUT_IN})({json.dumps(shown)}) ?? 0")
        align, is_serif, spacing, rows, is_seen, paper, tops = await value(page, LOOKS)
        assert (align, is_serif, spacing, is_seen) == ("center", False, "normal", True)
        assert rows == ["rgba(0, 0, 0, 0)"], "no stripes"
        assert (paper == "rgb(255, 255, 255)") == (ground == "#ffffff"), "as dark as the notebook"
        assert len(set(tops)) == 1, "inputs beside outputs"
        root = 'document.querySelector("[data-dmlviz]").shadowRoot'
        cell = f"{root}.querySelectorAll('.out tbody td')[2].getBoundingClientRect()"
        await page.click(*await value(page, f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({cell})"))
        picture = f"{root}.querySelector('.dmlviz').dmlviz"
        wires = f"{root}.querySelectorAll('.wires path').length"
        near, said, count = await value(page, f"[{picture}.near(), {picture}.said(), {wires}]")
        source = trace.source(output=0, index=(1, 0))
        assert sorted(near) == [[False, source.tensor, 2 * source.index[0] + source.index[1]], [False, 1, 1]]
        assert said == "OutputTensor[1,0] = InputTensor[IndicesTensor[0,1],0] = InputTensor[0,0] = 1"
        assert count == 2

    visited(visit, file, size=(760, 900))
