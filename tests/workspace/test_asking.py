"""Questions about an experiment without a screen: answered step by step, revealed, and nothing told before."""

from __future__ import annotations

import dataclasses
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.answering import Clock, asking, give, typed
from support.effort import tried
from support.kinds import IN_PICTURE, OF_CHAINS
from support.other_maps import with_other_map
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.tensors import brackets
from dmlviz.desc.value_sources import Listed
from dmlviz.errors import DmlvizError
from dmlviz.operators.maps import Place
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.drawing.values import entered
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.look import Entry, EntryKind
from dmlviz.scene.names import short_name
from dmlviz.scene.spans import Line
from dmlviz.scene.steps.order import Unit
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.progress.progress import Progress
from dmlviz.widgets.boards.answer_board import board_of
from dmlviz.workspace.asking.answering import FORMS, LATER
from dmlviz.workspace.asking.ask_state import AskState, Form
from dmlviz.workspace.asking.asking import Asking
from dmlviz.workspace.shown.picture import Room

NAMES = ("gather-2", "join-2-axis-3", "reverse-1", "split-1", "tile-1", "rule-axis-range", "warning-index-range")
CHAINS = ("chain-rotate-half", "chain-computed-indices")
"""Of these the last experiment is asked about, with all that it reads."""
RELAXED = tried(40, suppress_health_check=list(HealthCheck))
SIZES = ((56, 10), (76, 14), (116, 30), (196, 40))


def experiment(name: str) -> Experiment:
    return examples.example(name).session().experiments[-1 if name in CHAINS else 0]


def text_of(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in line) for line in lines)


def picture_text(state: AskState) -> str:
    """What both sides of the picture show."""
    scene, made = state.picture.scene, []
    if scene is not None:
        for stack in (scene.inputs, scene.outputs):
            width = max(stack.width, stack.extent)
            made += stack_lines(stack, 0, stack.height, 0, width, state.picture.look, state.picture.links)
    return text_of(made)


def every() -> list[tuple[str, str]]:
    """Each kind about each example that has such a question."""
    found = []
    for name in (*NAMES, *CHAINS):
        for kind in OF_CHAINS if name in CHAINS else FORMS:
            try:
                asking(experiment(name), kind)
            except DmlvizError:
                continue
            found.append((name, kind))
    return found


EVERY = every()


def test_every_kind_is_asked_about_some_example() -> None:
    """But those whose answer is a desc, which is made in the explorer, and those that authors write."""
    assert {kind for _, kind in EVERY} == set(FORMS)
    assert set(kinds()) - set(FORMS) == {"fixes", "level", "misprint"}


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_while_open_nothing_is_counted_and_no_source_is_marked(name: str, kind: str) -> None:
    asked = asking(experiment(name), kind)
    for cursor in (asked.picture.cursor, Cursor(Place(False, 0), (0,) * 4)):
        if cursor is not None:
            asked.point(cursor)
        state = asked.state
        assert "×" not in picture_text(state)
        assert " read" not in picture_text(state)
        assert state.picture.moving is None
        links = state.picture.links
        assert (links.source, links.via, links.identity) == (None, None, -1)


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_the_truth_is_right_and_goes_on(name: str, kind: str) -> None:
    asked = asking(experiment(name), kind)
    assert asked.state.open
    state = give(asked, asked.question.truth)
    assert not state.open
    assert state.feedback.verdict is not None
    assert state.feedback.verdict.right
    assert state.feedback.sentences
    first = asked.question
    asked.fit(Room(100, 24))
    again = asked.answer()
    assert again.open
    assert again.question is not first


@pytest.mark.parametrize(("name", "kind"), [each for each in EVERY if each[1] not in OF_CHAINS])
def test_the_answer_of_a_rule_is_wrong_and_says_so(name: str, kind: str) -> None:
    asked = asking(experiment(name), kind)
    wrong = next(iter(asked.question.answers.items()), None)
    if wrong is None:
        return
    rule, answer = wrong
    if kind == "sizes" and len(answer) != 1:
        return  # of as many outputs as nobody can type
    state = give(asked, answer)
    assert state.feedback.verdict is not None, state.entry.sentence
    assert not state.feedback.verdict.right
    assert rule in state.feedback.verdict.rules
    assert state.feedback.next == "another like it"
    assert any(state.feedback.verdict.says == each for each in state.feedback.sentences)
    (named, *_), home = state.feedback.verdict.rules, asked.experiment
    for act in (asked.another, asked.answer):
        asked_before = asked.question
        assert act().open
        assert named in asked.question.answers
        assert asked.question.kind is asked_before.kind
        assert asked.experiment.desc not in (home.desc, asked_before.subject.desc)
        give(asked, asked.question.answers[named])
    assert asked.home is home


def test_after_a_right_answer_to_another_like_it_the_own_desc_is_asked_about_again() -> None:
    asked = asking(experiment("gather-2"), "cell", "sizes")
    home = asked.experiment
    give(asked, next(iter(asked.question.answers.values())))
    asked.answer()
    assert asked.experiment is not home
    give(asked, asked.question.truth)
    asked.answer()
    assert asked.experiment is home


def test_where_no_question_is_like_it_r_says_so_and_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.workspace.asking.asking.follow_up", lambda *args, **more: None)
    asked = asking(experiment("gather-2"), "cell", "sizes")
    state = give(asked, next(iter(asked.question.answers.values())))
    assert state.feedback.next != "another like it"
    state = asked.another()
    assert not state.open
    assert state.feedback.sentences[-1] == asked.subject.sentence("another.none")


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_skipping_tells_the_answer_and_is_kept_as_skipped(name: str, kind: str) -> None:
    progress = Progress()
    asked = Asking(experiment(name), progress, Clock(), only=[kind])
    asked.fit(Room(80, 16))
    asked.hint()
    state = asked.skip()
    assert not state.open
    assert asked.question.hint(4) in state.feedback.sentences[0]
    (kept,) = progress.answers
    assert (kept.skipped, kept.right, kept.rungs, kept.kind) == (True, False, 1, kind)
    assert kept.seconds > 0


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_what_stands_on_the_board_while_open_does_not_follow_from_the_truth(name: str, kind: str) -> None:
    """The same state with another truth, other rules and no formulas draws the same lines."""
    asked = asking(experiment(name), kind)
    if asked.form is Form.CELLS:
        typed(asked, "1,2")
    state = asked.state
    other = replace(state, question=replace(state.question, truth=None, answers={}))
    for size in SIZES:
        assert board_of(state, *size) == board_of(other, *size)


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_four_hints_and_no_fifth(name: str, kind: str) -> None:
    asked = asking(experiment(name), kind)
    said = [asked.hint().feedback.hint for _ in range(5)]
    assert said == [*(asked.question.hint(k) for k in (1, 2, 3, 4)), asked.question.hint(4)]


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_boards_stand_in_every_room(name: str, kind: str) -> None:
    asked = asking(experiment(name), kind)
    states = [asked.state]
    asked.hint()
    states += [asked.state, asked.skip()]
    for state in states:
        for width, height in SIZES:
            board = board_of(state, width, height)
            assert len(board.lines) <= height
            assert all(sum(len(span.text) for span in line) <= width for line in board.lines)
            assert all(hit.y < height and 0 <= hit.first < hit.last for hit in board.hits)


@pytest.mark.drawn(40)
@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_every_line_can_be_scrolled_to_and_the_hint_is_in_sight(name: str, kind: str) -> None:
    """The line that tells how much is above and below leads by clicks through all lines there are."""
    asked = asking(experiment(name), kind)
    for _ in range(4):
        asked.hint()
    for state in (asked.state, asked.skip()):
        for width, height in ((56, 7), (76, 9), (76, 14)):
            board = board_of(state, width, height, seek="hint")
            shown, room = text_of(board.lines), height - 1 - (not state.open)
            hint = " ".join(state.feedback.hint.split())
            if state.open and len(hint) < 3 * width:
                assert hint[-20:] in " ".join(shown.split()), (width, height)
            seen: set[int] = set()
            lines = {0}
            while True:
                more = [hit for hit in board.hits if hit.name == "scroll"]
                if not more or (board.top in seen and board.top + room - 1 in seen):
                    break
                sign = text_of([board.lines[more[0].y]])
                above, below = (int((sign.partition(each)[2].split() or ["0"])[0]) for each in "▴▾")
                assert above == board.top
                lines = {*range(above + room + below)}
                seen |= {*range(board.top, board.top + room)}
                board = board_of(state, width, height, top=int(more[0].value))
            assert not seen or seen == lines


@RELAXED
@given(cases(), st.sampled_from(sorted(IN_PICTURE)), st.integers(0, 99), st.data())
def test_another_map_draws_the_same_open_picture(case: Case, kind: str, seed: int, data: st.DataObject) -> None:
    """Of a map that is replaced by another with the same sizes, nothing in the picture tells while it is open."""
    plain = dml.trace(case.desc, case.arrays)
    try:
        asked = asking(Experiment("of a test", case.desc), kind)
    except DmlvizError:
        return
    rooms = data.draw(st.sampled_from(SIZES))
    moves = data.draw(st.lists(st.sampled_from(["left", "right", "up", "down", "tab", "mark", "click"]), max_size=4))
    other = with_other_map(plain, Unit.ELEMENT, 0, seed)
    drawn = []
    for trace in (plain, other):
        asked._view = replace(asked._view, trace=trace)
        asked._begin(asked.question)
        asked.fit(Room(*rooms))
        texts = [picture_text(asked.state)]
        for move in moves:
            steps = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
            if move in steps:
                asked.move(*steps[move])
            elif move == "click":
                asked.point(Cursor(Place(False, 0), (0,) * len(case.desc.inputs[0].tensor.sizes)), marks=True)
            else:
                asked.other_side() if move == "tab" else asked.mark()
            texts.append(picture_text(asked.state))
        drawn.append(texts)
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("kind", ["sizes", "pictures"])
def test_no_output_is_drawn_where_its_sizes_are_asked(kind: str) -> None:
    asked = asking(experiment("reverse-1"), kind)
    state = asked.state
    assert "Output" not in picture_text(state)
    assert not state.picture.scene or not state.picture.scene.outputs.figures
    assert "Output" in picture_text(asked.skip())


def test_letters_and_colours_of_inputs_wait_for_the_reveal() -> None:
    asked = asking(experiment("reverse-1"), "via")
    assert "A 0" not in picture_text(asked.state)
    asked.skip()
    assert "A 0" in picture_text(asked.fit(Room(100, 24)))


def test_typed_digits_stand_in_the_cell_that_is_asked_about() -> None:
    asked = asking(experiment("gather-2"), "cell")
    assert " ? " in picture_text(asked.state)
    typed(asked, "47")
    assert "47" in picture_text(asked.state)
    asked.erase()
    assert "47" not in picture_text(asked.state)
    assert asked.state.entry.slots == ("4",)


def test_which_cells_come_first_in_memory_is_not_told_by_where_digits_stand() -> None:
    asked = asking(experiment("gather-2"), "order")
    before, cursor = picture_text(asked.state), asked.picture.cursor
    typed(asked, "1,2,3,4")
    assert asked.state.entry.slots[:4] == ("1", "2", "3", "4")
    assert (picture_text(asked.state), asked.picture.cursor) == (before, cursor)
    assert "?" not in before


def test_a_wrong_cell_keeps_what_was_said_beside_the_truth() -> None:
    asked = asking(experiment("gather-2"), "cell")
    typed(asked, "47")
    asked.answer()
    assert "✗47 ✓3" in picture_text(asked.fit(Room(100, 24)))
    asked.step(1)  # from the first step on the picture tells what is written
    assert "✗" not in picture_text(asked.state)


@pytest.mark.parametrize(("columns", "shown"), [(9, "✗5 ✓3"), (5, "✗5 ✓3"), (4, "✗5✓3"), (3, "✓3"), (1, "✗")])
def test_a_wrong_value_and_the_true_one_each_have_a_sign_before_them_and_read_as_no_product(
    columns: int, shown: str
) -> None:
    assert entered("3", Entry(EntryKind.WRONG, "5"), columns) == shown.center(columns)


def test_pictures_differ_cell_by_cell_and_are_flipped() -> None:
    asked = asking(experiment("reverse-1"), "pictures")
    rule, wrong = next((rule, each) for rule, each in asked.question.answers.items() if rule == "R3")
    state = give(asked, wrong)
    state = asked.fit(Room(100, 24))
    assert "✗" in picture_text(state)
    name = asked.question.rule(rule).name
    assert any(f"{name}”." in line for line in state.feedback.sentences)
    assert not any(rule in line for line in state.feedback.sentences), "what ids stand for is nowhere said"
    count = sum(
        entry.kind is EntryKind.WRONG for cells in state.picture.look.entries.values() for entry in cells.values()
    )
    assert f"{12 - count} of 12 cells as you said.  ✗ what you said  ✓ what is so" in state.feedback.sentences
    yours = picture_text(asked.flip())
    assert "✗" not in yours
    assert picture_text(asked.flip()) == picture_text(state)


def test_marks_are_set_and_taken_away() -> None:
    asked = asking(experiment("tile-1"), "dest")
    truth = asked.question.truth
    first = Cursor(Place(True, truth[0][0]), truth[0][1])
    asked.point(first, marks=True)
    assert "▣" in picture_text(asked.state)
    asked.point(first, marks=True)
    assert "▣" not in picture_text(asked.state)
    asked.point(first, marks=True)
    state = asked.answer()
    assert state.feedback.verdict is not None
    assert not state.feedback.verdict.right
    assert "○" in picture_text(asked.fit(Room(100, 24)))


def test_an_unreadable_answer_is_a_sentence_and_the_question_stays_open() -> None:
    asked = asking(experiment("gather-2"), "sizes")
    assert asked.answer().entry.sentence
    typed(asked, "4,-")
    state = asked.answer()
    assert state.open
    assert "expected" in state.entry.sentence
    assert state.entry.slots == ("4,-",)
    assert asked.erase().entry.sentence == ""


def test_resizing_in_the_middle_loses_nothing() -> None:
    asked = asking(experiment("gather-2"), "fill")
    typed(asked, "1,2,")
    before = asked.state
    for size in ((56, 9), (190, 44), (100, 24)):
        after = asked.fit(Room(*size))
    assert (after.entry.slots, after.entry.slot) == (before.entry.slots, before.entry.slot)


def test_a_right_answer_goes_on_to_the_next_kind_and_a_wrong_one_to_another_like_it() -> None:
    asked = asking(experiment("join-1"))
    assert asked.question.kind.name == "pictures"
    give(asked, asked.question.truth)
    assert asked.answer().question.kind.name == "cell"
    give(asked, -1)
    again = asked.answer().question
    assert again.kind.name == "cell"
    asked.skip()
    assert asked.another().question.kind.name == "cell"


@pytest.mark.parametrize("seed", range(0, 26, 3))
def test_the_first_question_about_an_example_is_about_what_it_makes_or_breaks(seed: int) -> None:
    """Of every example's experiments, whose own tasks come before: never memory, levels, or "none is unread"."""
    for shipped in examples.all_examples():
        for each in shipped.session().experiments:
            question = Asking(each, Progress(), Clock(), seed=seed).question
            if question.subject.valid:
                assert question.kind.name not in LATER, (shipped.name, question.prompt)
                assert question.truth != (), (shipped.name, question.prompt)
            else:
                assert question.kind.name == "valid", (shipped.name, question.prompt)


@pytest.mark.parametrize("name", ["gather-2", "rule-axis-range"])
def test_the_lowest_level_is_asked_for_after_all_other_kinds_or_where_somebody_wants_it(name: str) -> None:
    for seed in (0, 5, 14):
        asked = asking(experiment(name), seed=seed)
        met = []
        while asked.question.kind.name not in met:
            met.append(asked.question.kind.name)
            asked.skip()
            asked.answer()
        assert met[-1] == "lowest"
        assert set(met) == {each for each in FORMS if asking_or_none(name, each)}
    assert asking(experiment(name), "lowest", seed=seed).question.kind.name == "lowest"


def asking_or_none(name: str, kind: str) -> Asking | None:
    try:
        return asking(experiment(name), kind)
    except DmlvizError:
        return None


def test_the_same_seed_asks_the_same() -> None:
    one, other = asking(experiment("split-1"), seed=3), asking(experiment("split-1"), seed=3)
    for _ in range(4):
        assert (one.question.prompt, one.question.truth) == (other.question.prompt, other.question.truth)
        for each in (one, other):
            each.skip()
            each.answer()


def test_of_an_invalid_desc_its_rules_are_asked() -> None:
    asked = asking(experiment("rule-axis-range"))
    seen = set()
    for _ in range(4):
        seen.add(asked.question.kind.name)
        assert asked.state.picture.scene is None
        asked.skip()
        asked.answer()
    assert seen <= {"valid", "lowest"}
    assert "valid" in seen


def test_where_there_is_nothing_to_ask_a_sentence_says_so() -> None:
    with pytest.raises(DmlvizError, match="nothing to ask"):
        Asking(experiment("rule-axis-range"), Progress(), Clock(), only=["cell"])


def test_a_file_that_cannot_be_written_is_said_once_and_the_answer_counts(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    progress = Progress(tmp_path / "progress.jsonl")
    progress.file = tmp_path / "taken" / "progress.jsonl"
    asked = Asking(experiment("gather-2"), progress, Clock(), only=["cell"])
    asked.skip()
    (said,) = asked.notices()
    assert "can't be written" in said
    assert asked.notices() == []
    assert len(progress.answers) == 1


def test_a_value_that_its_cell_cuts_is_told_whole_under_the_cursor() -> None:
    long = dataclasses.replace(
        experiment("gather-2"), values={"InputTensor": Listed((123456789.0, 2.5, 3, 4, 5, 6), (3, 2))}
    )
    asked = asking(long, "cell")
    assert asked.state.view.looked_at == ""
    asked.point(Cursor(Place(False, 0), (0, 0)), marks=True)
    assert asked.state.view.looked_at == "InputTensor[0,0] = 123456790"


def test_what_is_looked_at_is_no_answer_until_it_is_chosen() -> None:
    asked = asking(experiment("gather-2"), "source")
    for cursor in (Cursor(Place(False, 0), (1, 0)), Cursor(Place(True, 0), (0, 0)), Cursor(Place(False, 1), (0, 2))):
        state = asked.point(cursor)  # as a click on the mark does that turns a slice
        assert (state.entry.pointed, state.entry.sentence) == ("?", "")
        assert asked.picture.cursor == cursor
    before = asked.state
    assert asked.point(Cursor(Place(False, 7), (0, 0)), marks=True) == before, "of a picture that has gone"
    asked = asking(experiment("join-1"), "source")
    asked.fit(Room(100, 30))
    assert asked.page(1).entry.pointed == "?"
    asked.move(0, 1)
    state = asked.page(-1)
    assert state.picture.cursor is not None
    assert state.entry.pointed.endswith(brackets(state.picture.cursor.index))


def test_a_large_desc_is_asked_about_through_a_small_one_like_it() -> None:
    large = Experiment("large", dml.Tile(dml.TensorDesc("FLOAT32", (300, 200)), (3, 2)))
    for kind in ("source", "cell", "order"):
        desc = asking(large, kind).question.subject.desc
        assert desc.TYPE == large.desc.TYPE
        assert max(part.tensor.element_count for part in desc.parts) < 48


def element(index: tuple[int, ...], tensor: int = 0) -> Cursor:
    return Cursor(Place(False, tensor), index)


def test_a_click_on_an_input_enters_its_number_and_goes_on() -> None:
    asked = asking(experiment("gather-2"), "order")
    state = asked.point(element((1, 0)), marks=True)
    assert (state.entry.slots[:2], state.entry.slot) == (("3", ""), 1)
    assert state.picture.cursor == element((1, 0))
    assert state.view.looked_at == "InputTensor[1,0] = 3"
    assert picture_text(state).count("▣") == 1
    typed(asked, "7,")  # by keys and clicks in turn
    state = asked.point(element((1, 0)), marks=True)
    assert state.entry.slots[:4] == ("3", "7", "3", "")
    asked.go_to_slot(0)
    state = asked.point(element((0, 1)), marks=True)
    assert (state.entry.slots[0], state.entry.slot) == ("2", 3)  # and on where a number is missing
    for _ in state.entry.slots:
        asked.point(element((2, 1)), marks=True)
    assert asked.state.entry.slots == ("2", "7", "3", *["6"] * (len(state.entry.slots) - 3))


@pytest.mark.parametrize("cursor", [Cursor(Place(True, 0), (0, 0)), Cursor(Place(False, 1), (0, 0))])
def test_what_an_output_holds_and_where_elements_are_picked_is_not_entered(cursor: Cursor) -> None:
    asked = asking(experiment("gather-2"), "order")
    state = asked.point(cursor, marks=True)
    assert not any(state.entry.slots)
    assert "Click elements of InputTensor" in state.entry.sentence
    assert "▣" not in picture_text(state)
    assert not asked.point(element((0, 0)), marks=True).entry.sentence


def test_without_a_click_looking_enters_nothing_and_other_kinds_take_no_numbers_by_clicks() -> None:
    asked = asking(experiment("gather-2"), "order")
    assert not any(asked.point(element((1, 0))).entry.slots)
    asked.skip()
    assert asked.point(element((1, 0)), marks=True).entry.sentence == ""
    for kind in ("fill", "cell"):
        asked = asking(experiment("gather-2"), kind)
        assert not any(asked.point(element((1, 0)), marks=True).entry.slots)


def test_the_order_of_memory_by_columns_is_clicked_wrong() -> None:
    """Whoever clicks what a wrong rule has first is told of that rule."""
    asked = asking(experiment("gather-2"), "order")
    values = {1 + 2 * row + column: (row, column) for row in range(3) for column in range(2)}
    for value in asked.question.answers["C4"]:
        asked.point(element(values[int(value)]), marks=True)
    state = asked.answer()
    assert state.feedback.verdict is not None
    assert "C4" in state.feedback.verdict.rules
    assert "▣" not in picture_text(asked.fit(Room(100, 24)))


def test_a_number_that_no_key_types_can_be_clicked() -> None:
    held = Listed(("nan", 2, "inf", 4, 5, "-inf"), (3, 2))
    gather = experiment("gather-2")
    asked = asking(dataclasses.replace(gather, values={**gather.values, "InputTensor": held}), "order")
    index = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
    for each in index[: len(asked.question.truth)]:
        asked.point(element(each), marks=True)
    state = asked.answer()
    assert state.feedback.verdict is not None, state.entry.sentence
    assert state.feedback.verdict.right


def wrong_answer(asked: Asking) -> object:
    """One that a rule gives, or any."""
    question, truth = asked.question, asked.question.truth
    usual = {"promised": not truth, "lowest": "1_0"}
    answer: object = next(iter(question.answers.values()), usual.get(question.kind.name))
    return answer


def told_of(asked: Asking, answer: object) -> list[str]:
    """What the reveal has to tell of an answer that no cell of the picture shows."""
    question = asked.question
    if isinstance(answer, bool):
        answer = "a" if answer else "b"
    if asked.form is Form.POINT:
        assert isinstance(answer, tuple)
        return [f"{question.subject.desc.inputs[answer[0]].path}{brackets(answer[1])}"]
    if asked.form is Form.CHOICE:
        sign = "✓" if answer in (question.truth, {True: "a", False: "b"}.get(question.truth)) else "✗"
        return [f"{sign} {option.id} {option.text}" for option in asked.state.entry.options if option.id == answer]
    return [str(each) for each in (answer if isinstance(answer, tuple) else (answer,))]


@pytest.mark.parametrize("kind", ["source", "via", "promised", "lowest", "count", "blank"])
def test_after_a_wrong_answer_both_answers_are_told(kind: str) -> None:
    found = 0
    for name in (name for name, each in EVERY if each == kind):
        asked = asking(experiment(name), kind)
        wrong, truth = wrong_answer(asked), asked.question.truth
        if wrong is None or wrong == truth:
            continue
        said = " ".join(text_of(board_of(give(asked, wrong), 100, 24).lines).split())
        assert [each for each in (*told_of(asked, wrong), *told_of(asked, truth)) if each not in said] == []
        found += 1
    assert found


def test_the_feature_level_is_blank_while_it_is_asked_for() -> None:
    asked = asking(experiment("reverse-1"), "lowest")
    level = asked.state.view.fields[0]
    assert (level.path, level.text, level.blank) == ("FeatureLevel", "?", True)
    assert [option.text for option in asked.state.entry.options if option.id == asked.question.truth] == ["2_1"]
    asked = asking(experiment("rule-axis-range"), "valid")
    assert asked.state.view.fields[0].text == "1_0"


def test_of_a_list_the_reveal_shows_what_was_marked_or_had_to_be() -> None:
    asked = asking(experiment("rule-axis-range"), "valid")
    wrong = next(option.id for option in asked.state.entry.options if option.id not in ("valid", *asked.question.truth))
    other = asked.state.entry.options[-1].id
    state = give(asked, (wrong,))
    said = " ".join(text_of(board_of(state, 76, 20).lines).split())
    (missed,) = asked.question.truth
    texts = {option.id: option.text for option in state.entry.options}
    assert f"✗ {wrong} {texts[wrong]}" in said
    assert f"○ {missed} {texts[missed]}" in said
    assert f"{other} {texts[other]}" not in said


def test_of_what_is_marked_or_pointed_at_the_answer_so_far_is_told() -> None:
    asked = asking(experiment("gather-2"), "dest")
    assert " ? " in text_of(board_of(asked.state, 76, 14).lines)
    asked.mark()
    assert "1 marked" in text_of(board_of(asked.state, 76, 14).lines)
    asked = asking(experiment("gather-2"), "source")
    asked.point(Cursor(Place(False, 0), (2, 1)), marks=True)
    assert "InputTensor[2,1]" in text_of(board_of(asked.state, 76, 14).lines)


@pytest.mark.slow
def test_where_to_look_says_so_if_that_is_in_the_explorer() -> None:
    found = set()
    for name, kind in EVERY:
        asked = asking(experiment(name), kind)
        for wrong in asked.question.answers.values():
            asked = asking(experiment(name), kind)
            if kind == "sizes" and isinstance(wrong, tuple) and len(wrong) != 1:
                continue
            for line in give(asked, wrong).feedback.sentences:
                if line.startswith(("Look: m,", "Look: v,", "Look: rule ")):
                    is_here = line == "Look: m, memory."
                    assert line.endswith("in the explorer (e).") or (is_here and asked.can_show_memory)
                    found.add(line)
    assert {line.endswith("in the explorer (e).") for line in found} == {True, False}


def test_of_tables_in_two_rows_the_upper_row_is_as_high_as_its_own() -> None:
    """A tall output in the lower row leaves no gap above it."""
    lines = text_of(board_of(asking(experiment("join-2-axis-3"), "blank").state, 116, 32).lines).split("\n")
    heads = [y for y, line in enumerate(lines) if "InputTensors[" in line]
    assert len(heads) == 2
    gap = max(len(list(run)) for blank, run in groupby(lines[heads[0] : heads[1]], key=lambda line: not line) if blank)
    assert gap == 1


def test_the_reveal_of_a_row_that_was_filled_in_begins_at_that_row() -> None:
    asked = asking(Experiment("rows", dml.Tile(dml.TensorDesc("FLOAT32", (4, 20)), (2, 2))), "fill")
    first = asked.question.at
    assert first is not None
    state = give(asked, asked.question.truth)
    assert state.feedback.verdict is not None
    assert state.feedback.verdict.right
    cursor = state.picture.cursor
    assert cursor is not None
    assert cursor.index[: len(first.index)] == first.index
    assert first.index != (0,)


@pytest.mark.parametrize(("name", "kind"), [("gather-2", "cell"), ("gather-2", "pictures"), ("reverse-1", "pictures")])
def test_what_a_verdict_names_stands_out_and_is_no_error(name: str, kind: str) -> None:
    named = set()
    for rule in asking(experiment(name), kind).question.answers:
        asked = asking(experiment(name), kind)
        state = give(asked, asked.question.answers[rule])
        scene, look = state.picture.scene, state.picture.look
        if scene is None or state.feedback.verdict is None or state.feedback.verdict.right:
            continue
        lines = [
            line
            for stack in (scene.inputs, scene.outputs)
            for line in stack_lines(stack, 0, stack.height, 0, 100, look, state.picture.links)
        ]
        assert not any(span.style.kind == "broken" for line in lines for span in line)
        for path, axis in look.named_axes:
            titles = [span.style.kind for line in lines for span in line if span.text in (path, short_name(path))]
            assert axis >= 0 or "named" in titles
            named.add(path)
    assert named & {"IndicesTensor", "SequenceLengthsTensor"}
