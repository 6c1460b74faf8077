"""Catalogues of languages: complete, with the same placeholders, and questions of every kind in German."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.catalogue_faults import faults
from support.shipped import shipped
from support.strategies import Case
from support.teaching import subject_of

import dmlviz
from dmlviz.cli.quiz_text import OF_KIND
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.operators.registry import operators
from dmlviz.operators.report import Severity
from dmlviz.operators.wrong_rules import Phrase
from dmlviz.recording.tasks import FORMS
from dmlviz.scene.steps.order import Unit
from dmlviz.screens.dialogs.welcome import CHOICES
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Experiment
from dmlviz.session.presentation_state import Build
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.kinds.misprint import KIND as MISPRINT
from dmlviz.teaching.lessons.lessons import shipped_levels
from dmlviz.teaching.questions.question import Kind, Question
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.tasks import question_of, task_of
from dmlviz.teaching.words import catalogue, terms
from dmlviz.teaching.words.catalogue import (
    english,
    key_text,
    languages,
    phrased,
    placeholders,
    sentence,
    sentences,
    user_language,
)
from dmlviz.workspace.asking.answering import TASK_FORMS
from dmlviz.workspace.asking.ask_state import Form
from dmlviz.workspace.asking.outcome import IN_EXPLORER, Outcome
from dmlviz.workspace.levels.level_work import GIVEN

SOURCE = Path(dmlviz.__file__).parent
FIVE = ("GATHER", "JOIN", "REVERSE_SUBSEQUENCES", "SPLIT", "TILE")
NAMED = re.compile(r"\{[A-Za-z_]+\}")
FEW = settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
ENGLISH_WORDS = re.compile(r"\b(the|which|what|how|each|and|is|are|where|copies|never|once|twice)\b", re.IGNORECASE)


@pytest.fixture
def told_of_the_shipped(monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """Every English sentence, without those of operators that aren't shipped; the catalogue knows no others."""
    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "operators", shipped)
        every: Mapping[str, str] = english.__wrapped__()
    monkeypatch.setattr(catalogue, "english", lambda: every)
    return every


def _is_key_word(key: str, source: str) -> bool:
    """True if a key of the catalogue is that of a footer's word, or key, that stands in the source."""
    word = sentences("en")[key]
    return key_text("de", word) == sentences("de").get(key) and f'"{word}"' in source


def used() -> set[str]:
    """The keys that the code names."""
    text = "\n".join(file.read_text("utf-8") for file in SOURCE.rglob("*.py"))
    keys = set(re.findall(r"""(?:sentence|told|_says)\(\s*(?:[A-Za-z.]+, )?["']([a-z]+\.[a-z_]+)["']""", text))
    keys |= set(re.findall(r' else "([a-z]+\.[a-z_]+)"[,)]', text))
    keys |= set(re.findall(r'(?<!=)"((?:words|pictures|help|end|key|map|test)\.[a-z_]+)"', text))
    for name, kind in kinds().items():
        sources = "\n".join(map(inspect.getsource, type(kind).__mro__[:-2]))
        keys |= {f"{name}.{part}" for part in re.findall(r'f"\{self\.name\}\.([a-z_]+)"', sources)}
        if type(kind).hints is Kind.hints:
            keys |= {f"{name}.{part}" for part in ("look", "rule", "formula")}
    recording = "\n".join(file.read_text("utf-8") for file in (SOURCE / "recording").glob("*.py"))
    literals = {*re.findall(r"['\"]([a-z_]+)['\"]", recording), *(f"mark_{form}" for form in FORMS.values())}
    literals |= {f"type_{form}" for form in FORMS.values()} | {*Unit, *Severity}
    pages = {key.removeprefix("page.") for key in sentences("en") if key.startswith("page.")}
    keys |= {f"page.{key}" for key in pages if key.removesuffix("_one") in literals}
    served = "\n".join(file.read_text("utf-8") for kind in ("*.py", "class.js") for file in (SOURCE / "web").glob(kind))
    literals = {f"class.{key}" for key in re.findall(r"['\"](?:class\.)?([a-z_]+)['\"]", served)} | {
        f"class.mark_{form}" for form in ("choices", "input", "inputs", "outputs")
    }
    keys |= {key for key in sentences("en") if key in literals}
    keys |= {f"ask.{form.value.replace(' ', '_')}_first" for form in Form if form is not Form.DOOR}
    keys |= {"ask.point_or_nowhere_first", "quiz.cell_or_nowhere"}
    keys |= {f"present.room_ends{kept}{one}" for kept in ("", "_kept") for one in ("", "_one")}
    keys |= {"present.first", "present.second"}
    keys |= {key for key in sentences("en") if key.startswith(("says.", "phase.")) or _is_key_word(key, text)}
    keys |= set(re.findall(r"""(?:_say|say)\(\s*["']([a-z]+\.[a-z_]+)["']""", text))
    keys |= {"lesson.step", "lesson.exit", *GIVEN.values()}
    keys |= {f"welcome.{part}{name}" for name in CHOICES.values() for part in ("", "about_")}
    keys |= {key for key, word in sentences("en").items() if key.startswith("drawn.") and word in text}
    keys |= {f"quiz.{form}" for form in (*OF_KIND.values(), "number", "choice")} | {"quiz.wrong", "quiz.partly"}
    keys |= {f"present.build_{build.value}" for build in Build}
    phrases = set(re.findall(r'Phrase\(\s*"([a-z_]+)"', text)) | {"st", "nd", "rd", "th"}
    keys |= {f"kind.{name}" for name in kinds()} | {
        f"help.{topic}" for topic in ("question", "lesson", "level", "map", "end")
    }
    keys |= {f"term.{name}" for name in terms.TERMS} | {f"sign.{name}" for name in terms.SIGNS}
    return keys | {f"phrase.{each}" for each in phrases}


def test_every_key_that_the_code_names_is_english_and_no_other() -> None:
    assert used() == set(sentences("en"))


def test_german_is_complete_and_has_the_same_placeholders(told_of_the_shipped: Mapping[str, str]) -> None:
    english.cache_clear()
    assert languages()[:2] == ("en", "de")
    assert not [*faults("de")]
    assert set(told_of_the_shipped) <= set(sentences("de")) <= set(english())
    for key, text in sentences("de").items():
        assert placeholders(text) == placeholders(english()[key]), key


def test_no_catalogue_has_a_fault() -> None:
    assert [sentence for lang in languages() for sentence in faults(lang)] == []


@pytest.mark.parametrize(
    "text", ["Welche Zahl?", "Welche Zahl {steht}?", "Welche {element} {element.path}?", "Welche {"]
)
def test_a_sentence_with_other_placeholders_is_refused_and_english(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (fault,) = faults("de", {"cell.prompt": text})
    assert "cell.prompt" in fault
    assert fault.endswith("expected element.")
    real = catalogue.sentences
    monkeypatch.setattr(
        catalogue, "sentences", lambda lang: {**real(lang), "cell.prompt": text} if lang == "de" else real(lang)
    )
    assert sentence("de", "cell.prompt", element="OutputTensor[2]") == "Which number stands in OutputTensor[2]?"
    assert sentence("de", "promised.yes") == "Ja"


def test_an_unknown_key_is_refused() -> None:
    (sentence,) = faults("de", {"cell.no": "Nein"})
    assert "cell.no is no sentence" in sentence


def test_a_sentence_that_a_catalogue_lacks_is_english(monkeypatch: pytest.MonkeyPatch) -> None:
    real = catalogue.sentences
    monkeypatch.setattr(catalogue, "sentences", lambda lang: {} if lang == "de" else real(lang))
    made = [each.prompt for each in questions(Subject(examples()["gather-2"].experiments[0], "de"))]
    assert made == [each.prompt for each in questions(Subject(examples()["gather-2"].experiments[0], "en"))]


@pytest.mark.parametrize(
    ("set_", "lang"),
    [("de", "de"), ("de_AT.UTF-8", "de"), ("DE", "de"), ("en", "en"), ("xx", ""), ("", ""), ("../en", "")],
)
def test_the_environment_says_the_language(set_: str, lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(catalogue.ENVIRONMENT, set_)
    assert user_language() == lang
    assert Subject(examples()["gather-2"].experiments[0]).lang == (lang or "en")


@pytest.mark.parametrize(("asked", "lang"), [("pt-BR", "pt_BR"), ("pt_br.UTF-8", "pt_BR"), ("PT", ""), ("DE-at", "de")])
def test_a_catalogue_with_capitals_in_its_name_is_found(asked: str, lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "languages", lambda: ("en", "de", "pt_BR"))
    assert catalogue.known_language(asked) == lang


def test_the_settings_say_the_language_unless_the_environment_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_chosen", [""])
    monkeypatch.delenv(catalogue.ENVIRONMENT, raising=False)
    with pytest.raises(DmlvizError, match='lang is "xx", expected one of en, de'):
        catalogue.choose("xx")
    catalogue.choose("de")
    assert user_language() == "de"
    monkeypatch.setenv(catalogue.ENVIRONMENT, "en")
    assert user_language() == "en"


def test_the_share_of_a_partial_catalogue_is_told_where_a_language_is_chosen(
    told_of_the_shipped: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    every = told_of_the_shipped
    some = {key: every[key] for key in sorted(every)[: len(every) // 2]}
    folder = tmp_path / catalogue.FOLDER
    shutil.copytree(SOURCE / "teaching/words" / catalogue.FOLDER, folder)
    (folder / "fr.json").write_text(json.dumps({**some, "help.keys": "{strange}"}), "utf-8")
    fresh = catalogue.languages.__wrapped__, catalogue.sentences.__wrapped__
    monkeypatch.setattr(catalogue, "files", lambda package: tmp_path)
    monkeypatch.setattr(catalogue, "languages", fresh[0])
    monkeypatch.setattr(catalogue, "sentences", fresh[1])
    assert catalogue.languages_told() == "en, de, fr (49 %)"
    assert catalogue.languages_told(["ja", "fr"]) == "en, de, fr (49 %), ja"
    with pytest.raises(DmlvizError, match=r'lang is "xx", expected one of en, de, fr \(49 %\)\.$'):
        catalogue.choose("xx")


@pytest.mark.parametrize("name", FIVE)
def test_places_of_the_explorer_are_told_from_the_others_in_each_language(name: str) -> None:
    (operator,) = [each for each in operators().values() if each.name == name]
    for rule in operator.misreadings():
        looks = [catalogue.rule_text(lang, rule, "look", name) for lang in ("en", "de")]
        assert len({bool(IN_EXPLORER.search(look)) for look in looks}) == 1, looks


def test_a_language_without_a_catalogue_loses_no_number() -> None:
    """A lesson in French is asked in English with all that English says, and not with the bare rule."""
    experiment = examples()["gather-2"].experiments[0]
    english_ = [(each.prompt, each.hint(2)) for each in questions(Subject(experiment, "en"))]
    for lang in ("fr", "en-GB"):
        assert [(each.prompt, each.hint(2)) for each in questions(Subject(experiment, lang))] == english_


def test_a_task_is_asked_in_its_lessons_language_unless_the_user_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(catalogue.ENVIRONMENT, raising=False)
    asked = {"ask": {"kind": "cell"}, "title": {"en": "One", "de": "Eins"}}
    experiment = replace(examples()["gather-2"].experiments[0], extra={"task": asked})
    task = task_of(experiment)
    assert task is not None
    assert question_of(experiment, task, lang="de").prompt.startswith("Welche Zahl steht in")
    assert question_of(experiment, task).prompt.startswith("Which number stands in")
    monkeypatch.setenv(catalogue.ENVIRONMENT, "de")
    assert question_of(experiment, task).prompt.startswith("Welche Zahl steht in")


# ---- what is said


def told(question: Question) -> Iterator[str]:
    """Everything that is said of a question, by every wrong rule's holder too."""
    yield question.prompt
    yield from (question.hint(number) for number in range(1, 5))
    yield question.kind.says(question)
    form = TASK_FORMS[question.kind.name]
    yield from Outcome(question=question, form=form, verdict=None, given=None, places=()).sentences
    for rule, answer in question.answers.items():
        found = question.kind.json(answer)
        verdict = question.grade(found)
        yield from (verdict.feedback, verdict.look, question.subject.rule_says(question.rule(rule), "name"))
        if not form.is_typed:
            yield from Outcome(question=question, form=form, verdict=verdict, given=found, places=()).sentences


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", FIVE)
def test_every_kind_is_asked_in_german_with_the_same_answers(name: str) -> None:
    (kind,) = [each for each, operator in operators().items() if operator.name == name]

    @FEW
    @given(cases_of(kind).cases(), st.integers(0, 5))
    def run(case: Case, seed: int) -> None:
        experiment = subject_of(case.desc, case.arrays).experiment
        german, english_ = (questions(Subject(experiment, lang), seed=seed) for lang in ("de", "en"))
        assert [each.id for each in german] == [each.id for each in english_]
        for one, other in zip(german, english_, strict=True):
            assert (one.truth, one.answers, one.at, one.hidden) == (other.truth, other.answers, other.at, other.hidden)
            sentences_ = [*told(one)]
            assert len(sentences_) == len([*told(other)])
            assert not [text for text in sentences_ if NAMED.search(text)]
            assert one.prompt != other.prompt
            assert not [text for text in sentences_ if ENGLISH_WORDS.search(text)]

    run()


@pytest.mark.parametrize("name", ["gather-2", "reverse-1", "warning-length-clamped", "warning-index-range"])
def test_words_among_numbers_are_those_of_the_catalogue(name: str) -> None:
    subject = Subject(examples()[name].experiments[0])
    found = [
        value
        for rule in subject.rules
        if rule.numbers is not None
        for value in rule.numbers(subject.desc, subject.trace.read, *_first(subject)).values()
        if isinstance(value, Phrase)
    ]
    assert found
    for value in found:
        assert phrased("en", value) == value
        assert sentence("en", f"phrase.{value.key}", **value.numbers) == value
        assert phrased("de", value) != value


def _first(subject: Subject) -> tuple[Place, tuple[int, ...]]:
    return Place(True, 0), (0,) * len(subject.desc.outputs[0].tensor.sizes)


@pytest.mark.parametrize("name", FIVE)
def test_broken_descs_are_asked_about_in_german(name: str) -> None:
    (kind,) = [each for each, operator in operators().items() if operator.name == name]
    asked = set()
    for desc in cases_of(kind).BROKEN.values():
        german, english_ = (questions(Subject(Experiment("it", desc), lang)) for lang in ("de", "en"))
        assert [each.id for each in german] == [each.id for each in english_]
        for one, other in zip(german, english_, strict=True):
            asked.add(one.kind.name)
            assert (one.truth, one.answers) == (other.truth, other.answers)
            texts = [one.prompt, *(one.hint(number) for number in range(1, 5)), *(each.text for each in one.choices)]
            assert not [text for text in texts if NAMED.search(text)]
            assert not [text for text in texts if ENGLISH_WORDS.search(text)]
    assert {"valid", "fixes"} <= asked


def test_what_is_said_of_every_try_at_a_level_is_german(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(catalogue.ENVIRONMENT, "de")
    for level in shipped_levels():
        won = level.judge(level.solution()).sentence
        assert won.startswith("Das ist das Ziel: ")
        for k in range(len(level.level_task.traps)):
            rule, tried = level.trap(k)
            verdict = level.judge(tried)
            assert rule in verdict.rules
            assert verdict.sentence.startswith("Nach „")
            assert not NAMED.search(verdict.sentence)
            assert not ENGLISH_WORDS.search(verdict.sentence)
        assert not ENGLISH_WORDS.search(level.judge(level.start).sentence)


def test_a_misprint_is_german() -> None:
    subject = Subject(examples()["gather-2"].experiments[0], "de")
    question = MISPRINT.of_task(subject, 0, sentence("de", "misprint.prompt"), ["Axis 1", "Axis 0"], 0)
    assert question.prompt == "Was ist der Druckfehler?"
    assert question.grade(question.truth).feedback == f"Der Druckfehler ist {question.truth}: Axis 1"
    assert not [number for number in range(1, 5) if ENGLISH_WORDS.search(question.hint(number))]
