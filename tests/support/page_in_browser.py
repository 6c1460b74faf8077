"""A recorded page in a tab: opens it, answers its tasks, and reads what it shows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from .browser import Tab

WATCH = """
window.faults = [];
for (const kind of ["error", "securitypolicyviolation", "unhandledrejection"])
  window.addEventListener(kind, (event) => faults.push(`${kind}: ${event.message || event.blockedURI}`), true);
for (const kind of ["error", "warn", "log"]) console[kind] = (...words) => faults.push(`${kind}: ${words}`);
"""
STATE = """[...document.querySelectorAll(".dmlviz")].map((root) => [
  root.className, root.querySelector(".verdict")?.textContent,
  [...root.querySelectorAll(".picture td")].map((td) => td.textContent + td.className.replace(/ ?cursor/, "")),
  [...root.querySelectorAll("input:not([type=range])")].map((input) => [input.value, input.checked])])"""
GIVE = """((root, form, truth) => {
  if (truth === "") root.querySelector(".task input[name=none]").click();
  else if (form.startsWith("choice"))
    for (const each of root.querySelectorAll(".task input")) {
      if (each.checked !== truth.split(" ").includes(each.value)) each.click();
    }
  else if (["input", "inputs", "outputs"].includes(form))
    for (const place of truth.split(" ")) root.dmlviz.cell(form === "outputs", ...place.split(":").map(Number)).click();
  else root.querySelector(".task input").value = truth;
  root.querySelector(".task .answer").click();
  return root.querySelector(".task .verdict").className;
})"""


async def value(page: Tab, script: str) -> Any:
    found = await page.call("Runtime.evaluate", expression=f"JSON.stringify({script})", awaitPromise=True)
    assert "exceptionDetails" not in found, found
    return json.loads(found["result"]["value"])


async def opened(page: Tab, file: Path, place: str = "") -> None:
    """Opens a page, at a place if there is one, such as `#experiment=2`."""
    await page.call("Page.navigate", url="about:blank")  # a place of the page that is open would be no page to load
    await page.call("Page.navigate", url=f"{file.as_uri()}{place}")
    for _ in range(1200):
        script = "document.readyState === 'complete' && location.protocol"
        ready = await page.call("Runtime.evaluate", expression=script)
        if ready["result"].get("value") == "file:":
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the page doesn't load")
