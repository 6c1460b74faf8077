"""A phone in a headless Chromium, which is held by a thumb."""

from __future__ import annotations

import asyncio
import json
from itertools import product

from support.browser import Tab
from support.page_in_browser import CHECK, WATCH, axe, value


class Phone:
    """A phone that is held by a thumb."""

    def __init__(self, page: Tab, url: str, code: str) -> None:
        self.page, self.url, self.code = page, url, code

    async def is_held(self, width: int = 360) -> None:
        """Makes the tab a phone, before it opens anything."""
        await self.page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        await self.page.call("Emulation.setTouchEmulationEnabled", enabled=True)
        await self.sized(width)

    async def opens(self, path: str) -> None:
        await self.page.call("Page.navigate", url="about:blank")
        await self.page.call("Page.navigate", url=self.url + path)
        await self.until("document.readyState === 'complete' && location.protocol === 'http:'")

    async def joins(self) -> None:
        await self.opens(f"/{self.code}")
        await self.until("document.querySelector('.asked .dmlviz')")

    async def until(self, script: str) -> None:
        for _ in range(200):
            found = await self.page.call("Runtime.evaluate", expression=f"Boolean({script})")
            if found["result"].get("value") is True:
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"still waiting for {script}; the phone shows:\n{await self.text('body')}")

    async def text(self, selector: str) -> str:
        return str(await value(self.page, f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    async def says(self, selector: str, text: str) -> None:
        await self.until(f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(text)})")

    async def touches(self, selector: str, number: int = 0) -> None:
        """Touches the middle of an element, once it is there; it is large enough for a thumb."""
        await self.until(f"document.querySelectorAll({json.dumps(selector)})[{number}]")
        box = await value(
            self.page,
            f"""((each) => {{ each.scrollIntoView({{ block: "center" }}); const box = each.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height]; }})(
            document.querySelectorAll({json.dumps(selector)})[{number}])""",
        )
        assert min(box[2:]) >= 40, (selector, box)
        await self.page.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": box[0], "y": box[1]}])
        await self.page.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def types(self, text: str) -> None:
        await self.page.call("Runtime.evaluate", expression="document.querySelector('input[type=text]').select()")
        await self.page.call("Input.insertText", text=text)

    async def answers(self, form: str, key: str) -> None:
        """Gives the answer of a key, see `key_of`, in a form, and sends it."""
        if form in ("values", "number", "sizes"):
            await self.types(key)
        elif form.startswith("choice"):
            for letter in key.split():
                await self.touches(f".asked label:has([value='{letter}'])")
        elif not key:
            await self.touches(".asked label:has([name=none])")
        for place in key.split() if form in ("input", "inputs", "outputs") else ():
            side = "out" if form == "outputs" else "in"
            number, flat = map(int, place.split(":"))
            cell = (
                f"document.querySelector('.asked .dmlviz').dmlviz.cell({json.dumps(side == 'out')}, {number}, {flat})"
            )
            where = f"[...document.querySelectorAll('.asked .{side} td')].indexOf({cell})"
            await self.touches(f".asked .{side} td", await value(self.page, where))
        await self.touches("main .send")

    async def is_clean(self) -> None:
        """Nothing went wrong, nothing is wider than the phone, and a checker of accessibility finds nothing."""
        assert await value(self.page, "faults") == []
        for scheme, width in product(("light", "dark"), (360, 1280)):
            await self.sized(width)
            media = [{"name": "prefers-color-scheme", "value": scheme}]
            await self.page.call("Emulation.setEmulatedMedia", features=media)
            assert await value(self.page, "document.documentElement.scrollWidth <= innerWidth")
            if axe():
                await self.page.call("Runtime.evaluate", expression=axe())
                said = await self.page.call("Runtime.evaluate", expression=CHECK, awaitPromise=True)
                assert json.loads(said["result"]["value"]) == [], (scheme, width)
        await self.sized(180)  # 200 % of a phone
        assert await value(self.page, "document.documentElement.scrollWidth <= innerWidth")
        await self.sized(360)

    async def sized(self, width: int) -> None:
        size = {"width": width, "height": 640 if width < 800 else 800, "deviceScaleFactor": 1, "mobile": width < 800}
        await self.page.call("Emulation.setDeviceMetricsOverride", **size)
