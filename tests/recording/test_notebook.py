"""A notebook that is executed holds tables and pictures, which stand without scripts too."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest
from support.browser import find_chromium, tab
from support.recorded_pages import experiments, parsed, tables_of

CHROMIUM = find_chromium() or ""
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


@pytest.mark.slow
@pytest.mark.integration
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path")
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

    async def visit() -> None:
        async with tab(CHROMIUM, "about:blank") as page:
            await page.call("Emulation.setScriptExecutionDisabled", value=True)
            await page.call("Page.navigate", url=file.as_uri())
            script = """JSON.stringify([document.querySelectorAll("[data-on]").length,
                [...document.querySelectorAll("article")].map((each) => [...each.querySelectorAll("td")]
                    .filter((td) => td.checkVisibility() && td.getBoundingClientRect().width > 5).length)])"""
            for _ in range(1200):
                found = await page.call("Runtime.evaluate", expression=script)
                started, cells = json.loads(found["result"]["value"])
                if len(cells) == len(shown):
                    break
                await asyncio.sleep(0.05)
            assert started == 0
            assert cells == [len(parsed(each).all("td")) for each in shown]
            assert len(base64.b64decode((await page.call("Page.captureScreenshot", format="png"))["data"])) > 10_000

    asyncio.run(visit())
