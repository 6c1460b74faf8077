"""Every word of the teaching screens is in the catalogue: in a language of other letters, no other word is left."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache
from html import unescape
from types import MappingProxyType

import pytest
from operator_kit.finding import cases_of
from support.driver import Driver, explore
from textual.widgets import Label, OptionList

from dmlviz.cli.quiz_text import form_line, question_lines, verdict_lines
from dmlviz.desc.levels import LEVELS
from dmlviz.desc.tensors import MEMBERS, DataType
from dmlviz.operators.registry import operators
from dmlviz.recording.html_page import html_page
from dmlviz.scene.levels.sentences import level_adds, level_below
from dmlviz.screens.dialogs.welcome import Welcome
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.teaching.kinds.lib.asking import questions
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.words import catalogue
from dmlviz.teaching.words.catalogue import ENVIRONMENT, english
from dmlviz.teaching.words.texts import Text
from dmlviz.workspace.levels.level_work import LevelWork

WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]+(?!…)")
STILL_ENGLISH: Mapping[str, frozenset[str]] = {
    "quiz": frozenset({"none"}),  # an answer that is typed, as hint and skip are
}
"""Other words that no catalogue has, by the screen they stand on."""


def in_other_letters(text: str) -> str:
    """A sentence in Cyrillic letters, its placeholders as they are."""
    pieces = re.split(r"(\{[^{}]*\})", text)
    turned = (
        p if p.startswith("{") else re.sub("[A-Za-z]", lambda m: chr(0x42F + (ord(m[0]) & 31)), p) for p in pieces
    )
    return "".join(turned)


@cache
def names() -> frozenset[str]:
    """DirectML's and NumPy's names, and dmlviz's own."""
    every = {"Sizes", "FeatureLevel", "DimensionCount", "DataType", "dmlviz", "auto", "min", "max", "if", "else", "for"}
    every |= set(MEMBERS)
    every |= {"Input", "Inputs", "Output", "Outputs", "Lengths"}  # short for DirectML's
    every |= {"UINT", "INT", "FLOAT"}
    every |= {kind.name for kind in DataType}
    every |= set(WORD.findall(" ".join(key for key in english() if key.startswith("check."))))
    for operator in operators().values():
        every |= {operator.name, *WORD.findall(operator.in_numpy)}
        every |= {field.name for field in operator.desc.FIELDS}
        every |= {choice.name for field in operator.desc.FIELDS for choice in field.choices()}
    return frozenset(every)


@pytest.fixture(autouse=True)
def _in_other_letters(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """German is a language of other letters, for the catalogue and for what authors say."""
    monkeypatch.setenv(ENVIRONMENT, "de")
    whole = MappingProxyType({key: in_other_letters(text) for key, text in english().items()})
    real, said = catalogue.sentences, Text.in_language
    monkeypatch.setattr(catalogue, "sentences", lambda lang: whole if lang == "de" else real(lang))
    monkeypatch.setattr(Text, "in_language", lambda self, lang="en": in_other_letters(said(self, lang)))
    catalogue.drawn_words.cache_clear()  # it keeps real German
    yield
    catalogue.drawn_words.cache_clear()


def authors(session: Session) -> frozenset[str]:
    """What a session's author calls it and its experiments, and notes about them."""
    told = (f"{each.name} {each.notes}" for each in session.experiments)
    return frozenset(WORD.findall(" ".join((session.title, *told))))


def left_over(text: str, screen: str = "") -> set[str]:
    """The words of a screen that no catalogue has; ids of levels are none."""
    words = {word for word in WORD.findall(text) if not re.fullmatch(r"[A-Z]\d+", word)}
    cut = {word for word in words if len(word) > 5 and any(name.startswith(word) for name in names())}
    return words - cut - names() - STILL_ENGLISH.get(screen, frozenset())


def is_top(driver: Driver) -> bool:
    """True once a screen or dialog over the explorer is laid out."""
    screen = driver.app.screen
    return not isinstance(screen, Explorer) and screen.is_mounted


async def opened(driver: Driver, *keys: str) -> None:
    await driver.press(*keys)
    await driver.until(lambda: is_top(driver))
    await driver.settle()


async def walked(driver: Driver, screen: str, *keys: str) -> set[str]:
    """The words left over on the screen, and on it after each key."""
    words = left_over(driver.text(), screen)
    for key in keys:
        await driver.press(key)
        await driver.settle()
        words |= left_over(driver.text(), screen)
        words |= {word for notice in driver.notices for word in left_over(notice, screen)}
    return words


@pytest.mark.parametrize(
    ("screen", "example", "keys"),
    [
        ("question", "gather-2", ("h", "h", "h", "h", "enter", "a", "enter", "question_mark", "escape", "enter", "s")),
        ("question", "join-1", ("h", "b", "enter", "r", "enter", "s", "enter", "s", "enter", "n")),
        ("question", "reverse-1", ("s", "tab", "tab", "enter", *("s", "enter") * 3, "x", "1", "enter")),
    ],
)
def test_a_question(screen: str, example: str, keys: tuple[str, ...]) -> None:
    async def script(driver: Driver) -> None:
        await opened(driver, "g")
        assert await walked(driver, screen, *keys) == set()

    explore(script, example, (120, 36))


def test_the_map_a_lesson_and_a_level() -> None:
    async def script(driver: Driver) -> None:
        await opened(driver, "t")
        assert await walked(driver, "map", "down", "question_mark", "escape", "home") == set()
        assert await walked(driver, "lesson", "enter", "h", "enter", "a", "enter", "question_mark", "escape") == set()
        assert await walked(driver, "lesson", "enter", "s", "enter", "s", "escape", "tab") == set()
        keys = ("enter", "enter", "m", "v", "down", "right", "escape", "h", "enter", "up", "enter", "h", "h")
        last = ("m", "v", "escape", "s", "question_mark", "escape", "escape")
        assert await walked(driver, "level", *keys, *last) == set()

    explore(script, "gather-2", (120, 36))


@pytest.mark.parametrize(
    ("name", "keys"),
    [("L25", ["Operator", "FeatureLevel", "DataType", "values", "Axis", "Axis.values"]), ("L01", []), ("L10", [])],
)
def test_what_a_level_refuses_and_cannot_read(name: str, keys: list[str]) -> None:
    (level,) = [each for each in shipped_levels() if each.task.id == name]
    work = LevelWork(level, Progress(), lambda: 0.0, "de")
    for key in keys:
        assert left_over(work.refuse(key).feedback.refused) == set()
    for row in work.state.form.rows:
        for typed in ("q", "", "1, 1, 1, 1, 1"):
            state = work.type_in_field(row.key, typed)
            told = " ".join([*state.form.errors.values(), state.feedback.refused, state.feedback.summary])
            assert left_over(told.replace('"q"', "")) == set(), row.key
    assert left_over(" ".join(text for _, text in work.state.given)) == set()


def test_what_checks_and_levels_say_of_any_desc_and_their_fixes() -> None:
    """The numbers stay, too: a sentence that no catalogue has is told by its bare rule."""
    descs = [desc for kind in operators() for desc in (*cases_of(kind).BROKEN.values(), *cases_of(kind).VALID)]
    descs += [each.desc for session in examples().values() for each in session.experiments]
    starts = [level.start.desc for level in shipped_levels()]
    descs += [desc.replace({"Axis": axis}) for desc in starts if hasattr(desc, "axis") for axis in (-1, 1, 2)]
    for desc in dict.fromkeys(descs):
        for level in (LEVELS[0], LEVELS[-1]):
            experiment = Experiment("x", desc, level)
            report = experiment.check()
            for check in (cause.told for cause in report.causes):
                told = catalogue.retold("de", check.message)
                assert told, check.message
                assert left_over(told, "checks") == set()
                assert re.findall(r"-?\d+", told) == re.findall(r"-?\d+", check.message)
                for fix in check.fixes:
                    assert left_over(catalogue.changes_told("de", fix.changes).replace("feature level", "")) == set()
            said = [level_below(experiment, report), level_adds(desc, level)]
            assert left_over(" ".join(catalogue.retold_part("de", text) for text in said), "checks") == set()


def test_ways_to_begin() -> None:
    async def script(driver: Driver) -> None:
        driver.app.push_screen(Welcome({}))
        await driver.until(lambda: isinstance(driver.app.screen, Welcome))
        await driver.settle()
        ways = driver.app.screen.query_one(OptionList)
        told = [str(ways.get_option_at_index(n).prompt) for n in range(ways.option_count)]
        told += [str(label.content) for label in driver.app.screen.query(Label)]
        assert left_over(" ".join(told)) <= {"DxDispatch", "ONNX"}

    explore(script, "gather-2", (80, 24))


def test_a_presentation() -> None:
    async def script(driver: Driver) -> None:
        await opened(driver, "w")
        keys = ("s", "a", "3", "enter", "g", "9", "enter", "v", "pageup", "question_mark", "escape")
        assert await walked(driver, "present", *keys) == set()
        assert await walked(driver, "present", "pagedown", "p", "r", "pagedown", "pagedown", "Z") == set()

    bare = (dataclasses.replace(each, name="x", notes="", extra={}) for each in examples()["gather-2"].experiments)
    explore(script, Session(tuple(bare)), (120, 36))


@pytest.mark.parametrize("example", ["gather-2", "join-1", "split-1", "tile-1", "reverse-1"])
def test_a_page(example: str) -> None:
    written = html_page(examples()[example], lang="de")
    body = re.sub(r"<(style|script)\b.*?</\1>", " ", written.partition("<body")[2], flags=re.DOTALL)
    labels = " ".join(re.findall(r'(?:aria-label|title|placeholder)="([^"]*)"', body))
    assert left_over(unescape(re.sub(r"<[^>]*>", " ", body) + labels), "page") <= authors(examples()[example])


@pytest.mark.parametrize("example", ["gather-2", "join-1", "split-1", "tile-1", "reverse-1"])
def test_a_quiz(example: str) -> None:
    subject = Subject(examples()[example].experiments[0], "de")
    for question in questions(subject):
        lines = [*question_lines(question), form_line(question)]
        for verdict in (question.verdict_on(answer) for answer in (question.truth, *question.answers.values())):
            lines += verdict_lines(question, verdict)
        assert left_over("\n".join(lines), "quiz") <= authors(examples()[example]), question.kind.name
