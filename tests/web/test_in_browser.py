"""Visitors of `dmlviz serve` in a headless Chromium: what the page itself takes, gives and refuses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from support.browser import find_chromium, tab
from support.served import FAULTY, origin_of, served, served_program, soon
from support.worker_processes import children

from dmlviz.session import examples
from dmlviz.session.reading import load
from dmlviz.session.writing import dump, save
from dmlviz.web.access import REFUSED

CHROMIUM = find_chromium() or ""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the tests end processes as POSIX does"),
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine; set CHROMIUM to its path"),
]


HOSTILE = """<!DOCTYPE html><title>hostile</title><body><script>
const address = {address};
const tried = [], seen = [];
window.tried = tried; window.seen = seen;
const frame = (name, attribute) => {{
  const made = document.createElement(name);
  tried.push(new Promise((done) => {{ made.onload = made.onerror = done; setTimeout(done, 5000); }}));
  made[attribute] = address;
  document.body.append(made);
  return made;
}};
const frames_ = [frame("iframe", "src"), frame("object", "data"), frame("embed", "src")];
frame("img", "src"); frame("script", "src");
tried.push(fetch(address, {{ credentials: "include" }}).then((a) => a.text()).then((t) => seen.push(t), () => 0));
tried.push(fetch(address, {{ mode: "no-cors", credentials: "include" }}).then((a) => a.text()).then((t) => seen.push(t),
  () => 0));
tried.push(new Promise((done) => {{
  const socket = new WebSocket(new URL("/ws?width=80&height=24", address).href.replace("http", "ws"));
  socket.onmessage = (event) => seen.push("a message");
  socket.onopen = () => seen.push("a socket");
  socket.onclose = done;
}}));
Promise.all(tried).then(() => {{
  for (const each of frames_) {{
    let held = null;
    try {{ held = each.contentDocument; }} catch {{ held = null; }}
    if (held && held.body && held.body.innerText) seen.push(held.body.innerText);
  }}
  document.title = "tried: " + seen.filter(Boolean).join("|");
}});
</script></body>"""


@contextlib.asynccontextmanager
async def hostile(host: str, address: str) -> AsyncIterator[str]:
    """The address of another program's page, which tries to show an address and to read it."""

    async def page(_: web.Request) -> web.Response:
        return web.Response(text=HOSTILE.format(address=json.dumps(address)), content_type="text/html")

    app = web.Application()
    app.router.add_get("/", page)
    async with TestServer(app, host="127.0.0.1") as server:
        yield f"http://{host}:{server.port}/"


@pytest.mark.parametrize(
    ("host", "with_secret", "has_cookie"),
    [("127.0.0.1", True, True), ("127.0.0.1", False, True), ("localhost", True, True), ("localhost", False, False)],
)
def test_a_visitor_without_it_gets_nothing_in_a_frame(host: str, with_secret: bool, has_cookie: bool) -> None:
    """The address that it prints holds a secret: a visitor without it gets nothing, over HTTP, a WebSocket or in a
    frame."""

    async def script(address: str, pid: int) -> None:
        framed = address if with_secret else f"{origin_of(address)}/"
        async with hostile(host, framed) as there, tab(CHROMIUM, address if has_cookie else "about:blank") as page:
            if has_cookie:
                await page.until("✔ valid")
            await page.call("Page.navigate", url=there)
            assert (await _until(page, "document.title", "tried")).strip() == "tried:", "nothing could be read"
            tree = (await page.call("Page.getFrameTree"))["frameTree"]
            for child in tree.get("childFrames", []):
                assert child["frame"]["url"].startswith("chrome-error:"), "nothing is shown"
                assert origin_of(address) not in child["frame"]["securityOrigin"]
            assert await page.pixels((15, 18, 22)) == 0, "not a pixel of the page's ground is there"
            await soon(lambda: not children(pid), "the end of the explorer before; no other was started")

    with served() as (process, address):
        asyncio.run(script(address, process.pid))


def test_a_browser_without_the_secret_shows_nothing() -> None:
    async def script(address: str, pid: int) -> None:
        async with tab(CHROMIUM, origin_of(address)) as page:
            said = await _until(page, "document.body.innerText", "whoever opens the address")
            assert said.strip() == REFUSED.strip()
        assert not children(pid), "no explorer was started"

    with served() as (process, address):
        asyncio.run(script(address, process.pid))


@pytest.mark.parametrize(("key", "sentence"), [("?", "A fault of dmlviz's own has ended"), ("q", "has ended.")])
def test_a_page_says_whether_a_fault_has_ended_its_explorer(key: str, sentence: str) -> None:
    async def script() -> None:
        async with served_program(FAULTY) as address, tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.press(key)
            told = await _until(page, "document.body.innerText", sentence)
            assert "Start again" in told
            assert ("fault" in told) == (key == "?")

    asyncio.run(script())


def test_an_old_address_spoils_no_page_that_was_let_in() -> None:
    async def script(address: str) -> None:
        async with tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.call("Page.navigate", url=f"{origin_of(address)}/?secret=old")
            assert (await _until(page, "document.body.innerText", "whoever opens")).strip() == REFUSED.strip()
            page.screen.reset()
            await page.call("Page.navigate", url=origin_of(address))
            await page.until("✔ valid")
            await page.call("Runtime.evaluate", expression="localStorage.setItem('secret', 'old')")
            await page.call("Page.reload")
            told = await _until(page, "document.body.innerText", "No explorer")
            assert "open the address that `dmlviz serve` has printed." in told
            assert "has ended" not in told
            page.screen.reset()
            await page.call("Page.navigate", url=address)
            await page.until("✔ valid")

    with served() as (_, address):
        asyncio.run(script(address))


def test_all_characters_that_an_input_method_hands_over_at_once_arrive() -> None:
    async def script(address: str) -> None:
        async with tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.press("n")
            await page.until("Markdown · tab")
            await page.call("Input.insertText", text="several at once, ")  # as an input method hands it over
            await page.call("Input.insertText", text="漢字 é")
            await page.press(*"fast")
            shown = await page.until(lambda text: "several at once" in text and "fast" in text)
            (line,) = [each for each in shown.split("\n") if "several at once" in each]
            assert "漢字éfast" in "".join(line.split())
            await page.press("Escape", "?")
            await page.until("The cell cursor")

    with served() as (_, address):
        asyncio.run(script(address))


def test_a_session_is_uploaded_and_downloaded_and_the_secret_leaves_the_address(tmp_path: Path) -> None:
    save(examples.example("tile-1").session(), tmp_path / "sent.json")
    (tmp_path / "taken").mkdir()

    async def script(address: str) -> None:
        async with tab(CHROMIUM, address) as page:
            await page.until("✔ valid")
            await page.downloads_go_to(tmp_path / "taken")
            assert await _until(page, "location.href", "/") == f"{origin_of(address)}/"
            root = (await page.call("DOM.getDocument"))["root"]["nodeId"]
            node = (await page.call("DOM.querySelector", nodeId=root, selector="#chooser"))["nodeId"]
            await page.call("DOM.setFileInputFiles", nodeId=node, files=[str(tmp_path / "sent.json")])
            await page.until("1 experiment")
            await asyncio.sleep(0.5)
            await page.press("o")
            await page.until(lambda text: "TILE ·" in text and "Import" not in text)
            await page.call(
                "Input.dispatchKeyEvent", type="rawKeyDown", key="s", code="KeyS", windowsVirtualKeyCode=83, modifiers=2
            )
            await page.until("your browser has session.json")
            await page.downloaded()

    with served() as (_, address):
        asyncio.run(script(address))
    found = load(tmp_path / "taken" / "session.json")
    assert dump(found).count("DML_OPERATOR_TILE") == 1


async def _until(page: object, script: str, wanted: str) -> str:
    for _ in range(1200):
        found = await page.call("Runtime.evaluate", expression=f"String({script})")  # type: ignore[attr-defined]
        if wanted in str(found["result"].get("value", "")):
            return str(found["result"]["value"])
        await asyncio.sleep(0.05)
    raise AssertionError(f"still waiting for {wanted!r}, found {found}")
