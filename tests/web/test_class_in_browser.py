"""A class on a phone, in a headless Chromium with the real server: by touch, with a network that comes and goes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from support.browser import Tab, tab
from support.class_touch import Phone
from support.every_kind import of_kind
from support.kinds import FORMS
from support.page_in_browser import CHROMIUM, IN_CHROMIUM, value
from support.presentations import CLASSROOM

import dmlviz as dml
from dmlviz.session.experiments import Session
from dmlviz.teaching.asked import text_of
from dmlviz.web.class_server import ClassServer, Hall

pytestmark = IN_CHROMIUM
KINDS = ("cell", "count", "sizes", "source", "unread", "dest", "valid", "pictures", "fill")
SPOKEN = "[...document.querySelectorAll('main > [role=status], .bar [role=status]')]"
OFFLINE = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class Hosted(Phone):
    """A phone in a class that is held in this process."""

    def __init__(self, page: Tab, server: ClassServer) -> None:
        super().__init__(page, f"http://127.0.0.1:{server.port}", server.code)
        self.server = server

    def hosts(self, act: str) -> None:
        """Does what the host's phone asks for."""
        self.server._class.act(act)
        self.server._wake()


def in_class(act: Callable[[Hosted], Awaitable[None]], session: Session | None = None, **hall: Any) -> None:
    """Holds a class in this process, which a browser visits."""

    async def hold() -> None:
        lesson = session if session is not None else dml.load(CLASSROOM)
        ready = asyncio.Event()
        server = ClassServer(Hall(name="/a/lesson.json", bind="127.0.0.1", port=0, **hall), lesson)
        runs = asyncio.create_task(server.run(ready.set))
        try:
            await ready.wait()
            async with tab(CHROMIUM, "about:blank", (360, 640)) as page:
                phone = Hosted(page, server)
                await phone.is_held()
                await act(phone)
                assert await value(page, "faults") == []
        finally:
            server.end()
            await runs

    asyncio.run(hold())


def test_a_lesson_is_played_by_touch_and_what_was_sent_is_there_after_a_reload() -> None:
    async def act(phone: Hosted) -> None:
        server = phone.server
        await phone.opens("/")
        await phone.types(f" {server.code[:3].lower()}-{server.code[3:].lower().replace('0', 'o').replace('1', 'l')}")
        await phone.touches("button")
        await phone.says("legend", "Which picture is the output?")
        cells = await value(phone.page, "[...document.querySelectorAll('.out tbody td')].map((td) => td.innerText)")
        assert set(cells) == {"·"}
        assert await value(phone.page, f"{SPOKEN}.every((each) => getComputedStyle(each).display !== 'none')")
        await phone.touches(".asked .options label", 2)
        await phone.says(".sent", "sent ✔ c")
        await phone.touches(".asked .options label", 1)
        await phone.says(".sent", "sent ✔ b")
        assert await value(phone.page, "document.querySelector('.next').hidden")
        assert not await phone.text(".reveal")
        await phone.joins()
        await phone.until("document.querySelector('.asked input[value=b]').checked")
        await phone.says(".sent", "sent ✔ b")
        phone.hosts("second_vote")
        await phone.says(".again", "Your first answer: b.")
        await phone.until("!document.querySelector('.asked input:checked')")
        await phone.touches(".asked .options label", 0)
        await phone.says(".sent", "sent ✔ a")
        phone.hosts("forward")
        await phone.says("main > .told", "the steps are shown there")
        assert await value(phone.page, "scrollY") == 0
        phone.hosts("reveal")
        await phone.says(".reveal", "Right.")
        bars = "[...document.querySelectorAll('.counts li')].map((row) => [...row.children])"
        boxes = f"{bars}.map((row) => row.map((each) => each.getBoundingClientRect()))"
        assert await value(phone.page, f"{boxes}.every(([, words, , bar]) => words.bottom <= bar.top)")
        await phone.until("document.querySelector('.shown .steps .next').offsetParent")
        await phone.touches(".shown .steps .first")
        await phone.says(".shown .now", "step 0 of 4")
        await phone.touches(".shown .out td", 4)
        await phone.says(".shown .formula", "not written yet")
        colours = "[...document.querySelectorAll('.shown .in td.i2')].map((td) => getComputedStyle(td).backgroundColor)"
        assert len(set(await value(phone.page, colours))) == 1
        phone.hosts("forward")
        await phone.says("legend", "Mark every place")
        assert not await phone.text(".shown")
        phone.hosts("reveal")
        await phone.says(".reveal", "You gave no answer.")
        while "forward" in server._class.acts:
            phone.hosts("forward")
        await phone.says("main > .told", "Look at the wall")

    in_class(act)


def test_an_answer_waits_for_the_network_and_is_sent_again_to_who_lost_it() -> None:
    async def act(phone: Hosted) -> None:
        page, server = phone.page, phone.server
        await phone.joins()
        await phone.says("header .line", "connected")
        (student,) = server.room.students.values()
        await page.call("Network.emulateNetworkConditions", offline=True, **OFFLINE)
        await phone.touches(".asked .options label", 3)
        await phone.says(".sent", "not sent")
        await phone.says("header .line", "not connected")
        assert not student.given
        await page.call("Network.emulateNetworkConditions", offline=False, **OFFLINE)
        await phone.says(".sent", "sent ✔ d")
        await phone.says("header .line", "connected")
        assert [given.text for given in student.given.values()] == ["d"]
        student.given.clear()
        server._class.rev += 1
        server._wake()
        for _ in range(200):
            if student.given:
                break
            await asyncio.sleep(0.05)
        assert [given.text for given in student.given.values()] == ["d"]
        phone.hosts("reveal")
        await phone.says(".reveal", "Not right.")
        server.lose_wall()
        await phone.says("header .line", "the host is away")
        await phone.touches("footer .leave")
        await phone.says("footer .leave", "Really?")
        await phone.touches("footer .leave")
        await phone.says("h1", "Join the class")
        assert not server.room.students

    in_class(act)


def test_what_the_server_has_is_what_a_phone_shows() -> None:
    """Of another class nothing is sent, another window's answer is taken over, and one that came too late is undone."""

    async def act(phone: Hosted) -> None:
        page, server = phone.page, phone.server
        question = server._class.question(0)
        assert question is not None
        await phone.opens("/")
        given = json.dumps(json.dumps({"of": "/OTHER 0", f"{question.id} 0": {"answer": "a", "kept": False}}))
        await value(page, f"sessionStorage['dmlviz-class'] = {given}")
        await phone.joins()
        await phone.says("header .line", "connected")
        assert await value(page, "document.querySelector('.sent').innerText") == ""
        await phone.touches(".asked .options label", 1)
        await phone.says(".sent", "sent ✔ b")
        (student,) = server.room.students.values()
        server._class.put(student, question.id, 0, "c")
        await value(page, "window.dispatchEvent(new Event('online'))")
        await phone.says(".sent", "sent ✔ c")
        assert await value(page, "document.querySelector('.asked :checked').value") == "c"
        await page.call("Network.setBlockedURLs", urls=["*/state"])
        phone.hosts("forward")
        await phone.touches(".asked .options label", 3)
        await phone.until("document.querySelector('.asked :checked').value === 'd'")
        await page.call("Network.setBlockedURLs", urls=["*/question/*"])
        await phone.says("main > .told", "Answers are closed")
        await phone.until("document.querySelector('.asked :checked').value === 'c'")
        assert [given.text for given in student.given.values()] == ["c"]
        phone.hosts("reveal")
        phone.hosts("forward")
        await phone.says("header .where", "2 of 4")
        await page.call("Network.setBlockedURLs", urls=[])
        await phone.says("legend", "Mark every place")
        server.end()
        await phone.says("main > .told", "This class is over.")
        assert await value(page, "document.querySelector('legend').offsetParent === null")

    in_class(act)


def test_every_form_at_ones_own_pace() -> None:
    """Wrong once, then right; at the end how many were right at first; and the host sees who is where."""
    asked = [of_kind(kind) for kind in KINDS]
    session = Session(tuple(replace(experiment, name=f"n{n}") for n, (experiment, _) in enumerate(asked)))

    async def act(phone: Hosted) -> None:
        await phone.joins()
        for number, (kind, task) in enumerate(zip(KINDS, phone.server._class.tasks, strict=True)):
            question = phone.server._class.question(task)
            assert question is not None
            await phone.says("header .where", f"{number + 1} of {len(KINDS)}")
            await phone.says("legend", question.item.prompt.split(".")[0])
            await phone.touches("main .send")
            await phone.until("document.querySelector('.asked .verdict').innerText")
            wrong = next((a for a in question.question.answers.values() if a != question.question.truth), None)
            if number % 2 == 0 and wrong is not None:
                await phone.answers(FORMS[kind], text_of(question.question, wrong))
                await phone.says(".reveal", "Try again")
                assert not await phone.text(".shown")
                await value(phone.page, "[document.querySelector('.asked .dmlviz').dmlviz.put(null)].length")
            await phone.answers(FORMS[kind], text_of(question.question, question.question.truth))
            await phone.says(".reveal", "Right.")
            assert "Answer:" not in await phone.text(".reveal")
            assert not await value(phone.page, "document.querySelector('.asked .verdict').textContent")
            if number < 2:
                await phone.is_clean()
            await phone.touches(".next:not([hidden])")
        await phone.says("main > .told", "Right at the first try: ")
        (student,) = phone.server.room.students.values()
        assert f"{sum(given.first for given in student.given.values())} of {len(KINDS)}" in await phone.text(
            "main > .told"
        )
        await phone.opens(phone.server.host_address.removeprefix(phone.server.address))
        await phone.until("document.querySelectorAll('.places td').length > 9")

    in_class(act, session, own_pace=True)


def test_each_page_is_clean_and_the_hosts_phone_goes_on() -> None:
    async def act(phone: Hosted) -> None:
        await phone.page.call("Page.setBypassCSP", enabled=True)
        await phone.opens("/NOTHING")
        await phone.says(".told", "NOTHING")
        await phone.is_clean()
        await phone.joins()
        await phone.is_clean()
        host = phone.server.host_address.removeprefix(phone.server.address)
        await phone.opens(host)
        await phone.until("!document.querySelector('[data-act=reveal]').disabled")
        await phone.is_clean()
        await phone.touches("[data-act=reveal]")
        await phone.until("document.querySelector('[data-act=reveal]').disabled")
        await phone.joins()
        await phone.says(".reveal", "You gave no answer.")
        await phone.is_clean()
        await phone.opens(host)
        await phone.touches("[data-act=forward]:enabled")
        await phone.says("header .where", "2 of 4")
        await phone.joins()
        await phone.touches(".asked .options label", 1)
        await phone.says(".sent", "sent ✔ b")
        await phone.is_clean()

    in_class(act)
