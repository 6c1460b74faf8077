"""A recorded page in a tab of a headless Chromium: opens it, answers its tasks, and reads what it shows."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dmlviz.session.examples import example
from dmlviz.session.experiments import Session
from dmlviz.session.reading import load
from dmlviz.teaching.lessons.lessons import CONTENT
from dmlviz.teaching.progress.progress import LESSONS

from .browser import Tab, find_chromium, tab
from .page_json import html_page

CLASSROOM = Path(__file__).parents[2] / "examples" / "classroom" / "rows-by-index.json"

CHROMIUM = find_chromium() or ""
IN_CHROMIUM = [
    pytest.mark.slow,
    pytest.mark.integration,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path"),
]
"""The marks of what needs a browser."""
WATCH = """
window.faults = [];
for (const kind of ["error", "securitypolicyviolation", "unhandledrejection"])
  window.addEventListener(kind, (event) => faults.push(`${kind}: ${event.message || event.blockedURI}`), true);
for (const kind of ["error", "warn", "log"]) console[kind] = (...words) => faults.push(`${kind}: ${words}`);
"""
CHECK = """axe.run(document, { resultTypes: ["violations"] }).then((found) => JSON.stringify(
  found.violations.map((each) => [each.id, each.impact, each.nodes.map((node) => node.html.slice(0, 160))])))"""
"""What the checker of `axe` finds wrong on a page that has it."""
GIVE = """((root, form, truth) => {
  const inputs = [...root.querySelectorAll(".task input")];
  if (truth === "") {
    root.querySelector(".options button").click();
    return root.querySelector(".task .verdict").className;
  }
  if (form.startsWith("choice")) {
    for (const each of inputs)
      if (each.checked !== truth.split(" ").includes(each.value)) each.click();
  } else if (["input", "inputs", "outputs"].includes(form)) {
    for (const each of root.cells) if (each.td.classList.contains("marked")) each.td.click();
    for (const place of truth.split(" ")) root.at((form === "outputs" ? "o" : "i") + place).td.click();
  } else inputs.find((each) => each.type === "text").value = truth;
  root.querySelector(".task .answer").click();
  return root.querySelector(".task .verdict").className;
})"""
"""Gives an answer as its text, by clicks; how the verdict looks."""


def session_of(name: str) -> Session:
    """A shipped lesson, the lesson of the classroom, or an example."""
    if name == "classroom":
        return load(CLASSROOM)
    return load(CONTENT / f"lesson-{name}.json") if name in LESSONS else example(name).session()


def written(session: Session, file: Path, **how: Any) -> Path:
    """A session's page as a file."""
    file.write_text(html_page(session, **how), "utf-8")
    return file


async def value(page: Tab, script: str) -> Any:
    found = await page.call("Runtime.evaluate", expression=f"JSON.stringify({script})", awaitPromise=True)
    assert "exceptionDetails" not in found, found
    return json.loads(found["result"]["value"])


async def sized(page: Tab, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    await page.call("Emulation.setDeviceMetricsOverride", **size)


async def opened(page: Tab, file: Path) -> None:
    await page.call("Page.navigate", url="about:blank")
    await page.call("Page.navigate", url=file.as_uri())
    for _ in range(1200):
        script = "document.readyState === 'complete' && location.protocol"
        ready = await page.call("Runtime.evaluate", expression=script)
        if ready["result"].get("value") == "file:":
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the page doesn't load")


def visited(visit: Callable[[Tab], Awaitable[None]], file: Path | None = None) -> None:
    """Visits a page, or what `visit` opens; nothing may go wrong or be loaded."""

    async def run() -> None:
        async with tab(CHROMIUM, "about:blank", (1400, 800)) as page:
            await page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            if file is not None:
                await page.downloads_go_to(file.parent)
                await opened(page, file)
            await visit(page)
            assert await value(page, "window.faults ?? []") == []
            assert await value(page, "performance.getEntriesByType('resource').map((entry) => entry.name)") == []

    asyncio.run(run())


def axe() -> str:
    """The accessibility checker's source text; "" where no package brings it."""
    for name in ("axe_playwright_python", "axe_core_python"):
        found = importlib.util.find_spec(name)
        for folder in (found.submodule_search_locations or ()) if found is not None else ():
            for path in sorted(Path(folder).rglob("axe*.js")):
                return path.read_text("utf-8")
    return ""
