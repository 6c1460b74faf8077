"""An answer is empty until it is touched, and a second try replaces the first."""

from __future__ import annotations

import pytest
from support.answering import Clock, asking, give
from support.every_kind import KINDS, of_kind
from support.lesson_play import true_options
from support.untouched import is_untouched

from dmlviz.session import examples
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.words.catalogue import sentence
from dmlviz.workspace.asking.answering import NONE, first_sentence
from dmlviz.workspace.asking.ask_state import Form
from dmlviz.workspace.asking.asking import Asking
from dmlviz.workspace.shown.picture import Room


@pytest.mark.parametrize("kind", KINDS)
def test_an_untouched_answer_is_not_graded(kind: str) -> None:
    experiment, question = of_kind(kind)
    progress = Progress()
    asked = Asking(experiment, progress, Clock(), own=question)
    for act in (asked.answer, lambda: asked.fit(Room(60, 12)), lambda: asked.step(1), asked.answer):
        state = act()
        assert state.open
        assert is_untouched(state)
        assert not progress.answers
    if state.form is Form.DOOR:
        return  # the level's own screen is answered
    assert state.entry.sentence == first_sentence(question) or kind == "order"
    truth = true_options(asked)[0] if asked.options.offered else question.truth
    assert give(asked, truth).feedback.verdict is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_key_that_moves_shows_what_enter_would_take(kind: str) -> None:
    experiment, question = of_kind(kind)
    asked = Asking(experiment, Progress(), Clock(), own=question)
    form = asked.form
    if not (form.is_listed or form.is_pointed):
        return
    for by in ((0, 1), (1, 0), (0, -1)):
        asked._begin(question)
        asked.fit(Room(100, 24))
        state = asked.move(*by)
        entry = state.entry
        if form.is_listed:
            (here,) = [option for option in entry.options if option.at]
            assert here in (entry.options[0], entry.options[-1])
            assert here.chosen is (form in (Form.CHOICE, Form.LEVEL))
        else:
            assert state.picture.look.cursor is not None
            assert (state.entry.pointed == "?") is form.is_marked
        assert asked.answer().open is (form.is_marked or form is Form.LIST)  # which space takes


def test_none_has_to_be_said_where_elements_are_marked() -> None:
    gather = examples.example("gather-2").session().experiments[0]
    for kind in ("dest", "unread"):
        asked = asking(gather, kind)
        assert asked.choose(NONE).entry.none.chosen  # type: ignore[union-attr]
        asked.choose(NONE)
        assert asked.answer().open
        asked.choose(NONE)
        asked.move(0, 1)
        state = asked.mark()  # a mark takes it back
        assert state.entry.none is not None
        assert (state.entry.none.chosen, state.entry.pointed) == (False, "1 marked")
        assert asked.choose(NONE).entry.pointed == sentence("verdict.none")
        assert asked.answer().feedback.verdict is not None
        assert asked._given == []


def typed(asked: Asking, keys: str) -> tuple[str, ...]:
    for key in keys:
        asked.press(key) if key != "↵" else asked.answer()
    return asked.state.entry.slots


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("4,2", "4,2"),
        ("4 2", "4,2"),
        ("4, 2", "4,2"),
        (" 4  2 ", "4,2,"),
        ("4-↵7", "7"),
        ("4-↵7 2", "7,2"),
        ("4-↵,2", "4-,2"),
    ],
)
def test_blank_and_comma_part_numbers_and_what_was_refused_is_replaced(keys: str, text: str) -> None:
    asked = asking(examples.example("gather-2").session().experiments[0], "sizes")
    assert typed(asked, keys) == (text,)
    if "-" not in text:
        assert not asked.answer().open


def test_backspace_edits_what_was_refused() -> None:
    asked = asking(examples.example("gather-2").session().experiments[0], "sizes")
    typed(asked, "4,2-↵")
    asked.erase()
    assert typed(asked, "1") == ("4,21",)


def test_a_blank_leads_to_the_next_cell_and_a_number_that_one_comes_back_to_is_replaced() -> None:
    asked = asking(examples.example("gather-2").session().experiments[0], "fill")
    assert typed(asked, "12 3,4")[:3] == ("12", "3", "4")
    asked.go_to_slot(0)
    assert typed(asked, "25")[0] == "25"


def test_an_option_chosen_later_is_the_answer() -> None:
    asked = asking(examples.example("reverse-1").session().experiments[0], "pictures")
    asked.choose("a")
    asked.move(0, 1)
    assert [option.id for option in asked.state.entry.options if option.chosen] == ["b"]
    asked.choose("d")
    assert [option.id for option in asked.state.entry.options if option.chosen] == ["d"]
    asked.answer()
    assert asked._given == "d"
