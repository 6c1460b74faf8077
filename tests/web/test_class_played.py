"""The classroom's lesson, played: three students by touch alone, and an instructor at a wall in a real terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from pathlib import Path

from support.browser import tab
from support.class_hall import Hall
from support.class_touch import Phone
from support.page_in_browser import CHROMIUM, IN_CHROMIUM, value

pytestmark = IN_CHROMIUM
ON, REVEAL = "\x1b[6~", "r"
"""Page down, as a terminal sends it, and the answer."""
WIDTHS = (360, 1280, 360)


def test_three_students_play_the_lesson_with_the_wall(tmp_path: Path) -> None:
    hall = Hall(tmp_path, "--port", "0", "--save", str(tmp_path / "kept.jsonl"))
    try:
        asyncio.run(_played(hall))
    finally:
        hall.close()
    kept = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    given = sorted([(answer["task"][-1], answer["right"]) for answer in each["answers"]] for each in kept)
    assert given == [
        [("1", False), ("1", True), ("2", True), ("3", True)],
        [("1", False), ("1", True), ("2", True), ("3", True)],
        [("1", True), ("1", True), ("2", False), ("3", False)],
    ]


async def _played(hall: Hall) -> None:
    wall = hall.terminal

    async def shows(shown: str | Callable[[str], bool]) -> str:
        return await asyncio.to_thread(wall.until, shown)

    async with contextlib.AsyncExitStack() as stack:
        phones: list[Phone] = []
        for width in WIDTHS:
            page = await stack.enter_async_context(tab(CHROMIUM, "about:blank", (width, 640)))
            phones.append(Phone(page, hall.status["address"], hall.status["code"]))
            await phones[-1].is_held(width)

        async def answer(*letters: str) -> None:
            """Everybody taps an answer, and sees that it was sent."""
            for phone, letter in zip(phones, letters, strict=True):
                await phone.touches(f".asked .options label:has([value={letter}])")
            for phone, letter in zip(phones, letters, strict=True):
                await phone.says(".sent", f"sent ✔ {letter}")

        await shows("0 joined")
        for phone in phones[:2]:
            await phone.opens("/")
            await phone.types(phone.code)
            await phone.touches("button")
        await phones[2].joins()
        await shows("3 joined")
        wall.send(ON)
        await shows("0 of 3 answered")
        await answer("b", "a", "b")
        before = await shows("3 of 3 answered")
        assert "indices from 1" not in before  # neither counts nor rules before the reveal
        wall.send("v")
        await phones[0].says(".again", "Your first answer: b.")
        await answer("a", "a", "a")
        await shows("3 of 3 answered")
        wall.send(REVEAL)
        await shows("indices from 1")
        for phone in phones:
            await phone.says(".reveal", "Right.")
        wall.send(ON)
        for phone in phones:
            await phone.says("legend", "Mark every place")
        await _answers_as_the_wall_says(phones, "OutputTensor[1,1], OutputTensor[2,1]", answer)
        wall.send(REVEAL)
        await phones[1].says(".reveal", "Not right.")
        await phones[2].says(".reveal", "Right.")
        wall.send(ON)
        for phone in phones:
            await phone.says("legend", "never read")
        await _answers_as_the_wall_says(phones, "InputTensor[2,0], InputTensor[2,1]", answer)
        wall.send(REVEAL)
        await phones[1].says(".reveal", "Not right.")
        wall.send(ON)
        for phone in phones:
            await phone.says("main > .told", "Look at the wall")
            assert await value(phone.page, "faults") == []
        wall.send("q")
        await shows("3 phones: q again ends the class")
        wall.send("q")
        while not hall.has_ended():
            await asyncio.sleep(0.05)
        for phone in phones:
            await phone.says("main > .told", "This class is over.")


async def _answers_as_the_wall_says(phones: list[Phone], right: str, answer: Callable[..., object]) -> None:
    """The second student is wrong, the others choose what is right."""
    texts = await value(phones[0].page, "[...document.querySelectorAll('.asked label')].map((each) => each.innerText)")
    letters = "abcd"[: len(texts)]
    at = next(letter for letter, text in zip(letters, texts, strict=True) if right in " ".join(text.split()))
    wrong = next(letter for letter in letters if letter != at)
    given = answer(at, wrong, at)
    assert asyncio.iscoroutine(given)
    await given
