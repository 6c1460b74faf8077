"""Making tasks without a screen: what can be asked, what is ticked and written, and what comes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.kinds import OF_CHAINS

from dmlviz.errors import TaskError
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.examples import examples
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.teaching.lessons.lessons import faults, lesson_of, shipped_levels
from dmlviz.teaching.levels.level import Level
from dmlviz.teaching.tasks.tasks import question_of, task_of
from dmlviz.workspace.authoring.author_state import RowKind
from dmlviz.workspace.authoring.authoring import KINDS, Authoring

NAMES = ("join-1", "split-1", "reverse-1", "inline-reverse", "gather-2", "tile-1", "gather-3-as-printed")
SOME = [pytest.param(name, marks=[pytest.mark.slow] * (not name.startswith("gather"))) for name in NAMES]
LEVELS = {level.id: level for level in shipped_levels()}


def authoring(name: str = "gather-2", cursor: Cursor | None = None) -> Authoring:
    return Authoring(examples()[name], 0, cursor)


def again(session: Session) -> Session:
    """The session, saved and loaded."""
    found, errors = parse(dump(session).encode(), "it", session.experiments[0].folder)
    assert not errors
    return found


def held(session: Session) -> dict[str, object]:
    task = session.experiments[0].extra["task"]
    assert isinstance(task, dict)
    return task


@pytest.mark.parametrize("name", SOME)
def test_each_kind_that_is_offered_makes_a_task_in_which_nothing_is_wrong(name: str) -> None:
    author = authoring(name)
    for kind in author.kinds:
        if kind in ("misprint", "level"):
            continue
        state = author.choose_kind(kind)
        assert not state.sentences, (kind, state.sentences)
        made = author.finished()
        assert not faults(made), kind
        task = task_of(made.experiments[0])
        assert task is not None
        assert task.kind == kind
        question = question_of(made.experiments[0], task)
        assert question.grade(question.kind.form.json(question.truth)).right
        assert again(made).experiments == made.experiments
    assert ("fixes" in author.kinds) is (name == "gather-3-as-printed"), "only what is broken is mended"


@pytest.mark.parametrize("name", SOME)
def test_rules_that_are_offered_are_those_whose_holders_answer_otherwise(name: str) -> None:
    author = authoring(name)
    for kind in author.kinds:
        state = author.choose_kind(kind)
        offered = [row.key.removeprefix("rule.") for row in state.rows if row.key.startswith("rule.")]
        for rule in offered[:3]:
            author.press(f"rule.{rule}")
        if not offered:
            continue
        made = author.finished()
        task = task_of(made.experiments[0])
        assert task is not None
        question = question_of(made.experiments[0], task)
        assert [*task.wrong] == offered[:3]
        for rule in offered[:3]:
            assert rule in question.answers, (kind, rule)
            verdict = question.grade(question.kind.form.json(question.answers[rule]))
            assert not verdict.right
            assert verdict.says in {*task.wrong.values()}, (kind, rule)
        assert not [each for each in faults(made) if "is never said" in each.sentence]


def test_pictures_have_room_for_three_rules_that_differ_from_each_other() -> None:
    author = authoring("reverse-1")
    author.choose_kind("pictures")
    rules = [row.key for row in author.state.rows if row.key.startswith("rule.")]
    assert len(rules) > 3
    for key in rules[:4]:
        state = author.press(key)
    assert [row.key for row in state.rows if row.ticked and row.key.startswith("rule.")] == rules[:3]
    assert "room for 3" in state.sentences[0]
    assert not faults(author.finished())


def test_the_cursors_element_is_asked_about() -> None:
    author = authoring(cursor=Cursor(Place(True, 0), (3, 1)))
    author.choose_kind("cell")
    assert author.state.row("about").value == "OutputTensor[3,1]"
    author.choose_kind("fill")
    assert author.state.row("about").value == "OutputTensor[3]"
    author.choose_kind("dest")
    assert author.state.row("about").value.startswith("InputTensor["), "the cursor is on no input"
    assert "no input element" in author.press("about").sentences[0]


def test_a_task_about_another_desc_than_the_experiments_keeps_what_it_changes() -> None:
    """What is asked about isn't on the screen, so that none of its cells are written."""
    held = examples()["gather-2"].experiments[0]
    change = {"desc": {"OutputTensor": None, "Axis": 1}, "values": {"IndicesTensor": [[0, 1, 1, 0]]}}
    for kind in ("cell", "fill", "order", "pictures"):
        task = {"ask": {"kind": kind, "output": 0, "change": change}}
        author = Authoring(Session((replace(held, extra={"task": task}),)), 0, Cursor(Place(True, 0), (0, 1)))
        assert author.state.rows
        author.press("about")
        made = author.finished().experiments[0].extra["task"]
        assert isinstance(made, dict)
        assert made["ask"]["change"] == change


def test_a_desc_whose_output_is_not_known_has_a_task_to_be_edited() -> None:
    held = examples()["rule-axis-range"].experiments[0]
    broken = replace(held, desc=held.desc.replace({"OutputTensor": None}), extra={"task": {"ask": {"kind": "cell"}}})
    author = Authoring(Session((broken,)), 0)
    assert author.kind == "cell"


def test_what_is_hidden_is_the_kinds_own_until_an_author_says_otherwise() -> None:
    author = authoring()
    author.choose_kind("cell")
    assert author.state.row("hide.OutputTensor").ticked
    author.press("hide.Axis")
    task = held(author.finished())
    assert task["hide"] == ["OutputTensor", "Axis", "memory"]
    found = task_of(author.finished().experiments[0])
    assert found is not None
    assert "Axis" in question_of(author.finished().experiments[0], found).hidden
    author.press("hide.Axis")
    assert "hide" not in held(author.finished())


def test_texts_are_written_taken_out_and_kept_while_kinds_change() -> None:
    author = authoring()
    author.choose_kind("cell")
    author.write("say", "Which one?")
    author.write("hint.0", "Look at Axis.")
    author.write("hint.1", "Rows, not columns.")
    author.write("then", "Row 2.")
    author.turn("phase", 1)
    author.choose_kind("source")
    task = held(author.finished())
    assert (task["say"], task["hints"], task["phase"]) == (
        "Which one?",
        ["Look at Axis.", "Rows, not columns."],
        "predict",
    )
    author.write("hint.0", "")
    author.write("say", "")
    task = held(author.finished())
    assert task["hints"] == ["Rows, not columns."]
    assert "say" not in task


def test_a_text_that_gives_the_answer_away_is_told_while_it_is_written() -> None:
    author = authoring()
    author.choose_kind("cell")
    task = author.finished().experiments[0]
    found = task_of(task)
    assert found is not None
    answer = question_of(task, found).truth
    assert "says the answer itself" in author.write("say", f"Why does {answer:g} stand there?").sentences[0]


def test_a_task_is_edited_and_removed_and_other_keys_stay() -> None:
    session = authoring().finished()
    (experiment,) = session.experiments
    odd = replace(experiment, extra={**experiment.extra, "mine": 1, "task": {**held(session), "vary": ["Axis"]}})
    author = Authoring(replace(session, experiments=(odd,)), 0)
    assert author.state.made_before
    assert not author.state.changed
    author.write("say", "Which one?")
    assert author.state.changed
    made = author.finished()
    assert held(made)["vary"] == ["Axis"]
    assert held(made)["say"] == "Which one?"
    assert author.removed().experiments[0].extra == {"mine": 1}


def test_the_lessons_title_and_goal_are_written_with_it() -> None:
    author = authoring()
    author.write("lesson.title", "Rows by index")
    author.write("lesson.goal", "Say which rows come.")
    made = author.finished()
    lesson = lesson_of(made)
    assert lesson is not None
    assert (lesson.title, lesson.goal) == ("Rows by index", "Say which rows come.")
    assert held(made)["id"] == "rows-by-index.1"
    assert made.title == "Rows by index", "it is the file's"


def test_a_lesson_that_is_made_has_an_id_that_no_other_has_and_keeps_the_name_that_it_had() -> None:
    def name(session: Session) -> str:
        lesson = lesson_of(Authoring(session, 0).finished())
        assert lesson is not None
        return lesson.name

    untitled = replace(examples()["gather-2"], title="")
    first, second = name(untitled), name(untitled)
    assert first != second
    assert first.startswith("lesson-")
    begun = Authoring(untitled, 0).finished()
    known = replace(begun, title="Rows", extra={})  # as it was before lessons had ids
    assert name(known) == "Rows"
    assert begun.extra["lesson"] == {"id": name(begun)}


def test_tasks_keep_the_names_that_answers_have_when_their_lesson_gets_an_id() -> None:
    (experiment,) = authoring().finished().experiments
    bare = replace(experiment, extra={"task": {k: v for k, v in experiment.extra["task"].items() if k != "id"}})
    session = Session((bare, bare), extra={"lesson": {"id": "", "title": "My lesson"}})

    def names(session: Session) -> tuple[str, list[str]]:
        lesson = lesson_of(session)
        assert lesson is not None
        return lesson.name, [step.task.id for step in lesson.steps if step.task is not None]

    before = names(session)
    author = Authoring(session, 0)
    author.write("lesson.title", "Another")
    assert names(author.finished()) == before
    assert names(author.removed()) == (before[0], before[1][1:])


def test_a_rule_that_no_longer_differs_can_be_taken_off() -> None:
    author = authoring(cursor=Cursor(Place(True, 0), (0, 0)))
    author.choose_kind("cell")
    before = [row.key for row in author.state.rows if row.key.startswith("rule.")]
    author.press(before[0])
    state = author.press("about")
    assert state.row("about").value == "OutputTensor[0,0]"
    assert state.row(before[0]).ticked
    assert "otherwise" in state.row(before[0]).value
    author.press(before[0])
    assert "wrong" not in held(author.finished())


@pytest.mark.parametrize("name", ["warning-index-range", "warning-length-clamped"])
def test_only_what_is_promised_is_asked_about(name: str) -> None:
    session = examples()[name]
    for number in range(len(session.experiments)):
        author = Authoring(session, number)
        for kind in author.kinds:
            if kind not in ("misprint", "level"):
                assert not author.choose_kind(kind).sentences, (number, kind)


def test_a_misprint_has_its_lines_from_the_author() -> None:
    author = authoring()
    author.choose_kind("misprint")
    assert "one of them with *" in author.write("choices", "Axis 1 | Axis 0").sentences[0]
    assert not author.write("choices", "*Axis 1 in the title | Axis 0 | Sizes {4, 2}").sentences
    made = author.finished()
    assert held(made)["want"] == "Axis 1 in the title"
    assert not faults(made)


def test_nothing_can_be_made_of_what_cannot_be_asked() -> None:
    author = authoring()
    author.choose_kind("misprint")
    with pytest.raises(TaskError):
        author.finished()
    for kind in ("fixes", "level"):
        with pytest.raises(TaskError, match="for this desc"):
            author.choose_kind(kind)


def test_a_level_that_a_file_has_keeps_its_goal_while_its_words_change() -> None:
    level = LEVELS["L01"]
    author = Authoring(Session((level.start,)), 0)
    author.write("say", "Make it.")
    made = author.finished()
    assert not faults(made)
    task = task_of(made.experiments[0])
    assert task is not None
    assert (task.say, Level(made.experiments[0], task).goal, task.par) == ("Make it.", level.goal, level.par)


def test_the_preview_is_a_lesson_of_this_one_step() -> None:
    author = authoring()
    author.write("say", "Which one?")
    lesson, experiment = author.preview()
    assert [step.experiment for step in lesson.steps] == [experiment]
    assert lesson.exit == 0
    assert not lesson.steps[0].problem


def test_rows_that_say_something_cannot_be_pressed() -> None:
    author = authoring()
    kinds = {row.kind for row in author.state.rows}
    assert RowKind.HEAD in kinds
    before = author.finished()
    for row in author.state.rows:
        if not row.kind.acts:
            author.press(row.key)
    assert author.finished() == before


def test_what_a_lesson_says_of_itself_is_written_beside_its_goal() -> None:
    author = authoring()
    assert author.state.row("lesson.minutes").value == ""
    for key, text in (("minutes", "25"), ("exit", "0"), ("seed", "7")):
        assert not author.write(f"lesson.{key}", text).sentences
        assert author.state.row(f"lesson.{key}").value == text
    made = again(author.finished())
    lesson = lesson_of(made)
    assert lesson is not None
    assert (lesson.minutes, lesson.exit, lesson.seed) == (25, 0, 7)
    anew = Authoring(made, 0)
    assert not anew.state.changed
    for key in ("minutes", "exit", "seed"):
        anew.write(f"lesson.{key}", "")
    usual = lesson_of(anew.finished())
    assert usual is not None
    assert (usual.minutes, usual.exit, usual.seed) == (10, 3, 0)


@pytest.mark.parametrize("text", ["-1", "1000", "ten", "1.5", "\N{SUPERSCRIPT TWO}", "9" * 5000])
def test_a_number_that_is_none_is_told_and_the_one_before_stays(text: str) -> None:
    author = authoring()
    author.write("lesson.minutes", "25")
    (sentence,) = author.write("lesson.minutes", text).sentences
    assert sentence.startswith("lesson.minutes is ")
    assert "expected an integer from 0 to 999" in sentence
    assert author.state.row("lesson.minutes").value == "25"


def test_the_speakers_texts_are_one_or_several_and_keep_their_shape() -> None:
    author = authoring()
    author.write("speaker.0", "Let them talk.")
    assert held(author.finished())["speaker"] == "Let them talk."
    author.write("speaker.1", "Rows | columns.")
    assert held(author.finished())["speaker"] == ["Let them talk.", "Rows | columns."]
    author.write("speaker.0", "")
    assert held(author.finished())["speaker"] == ["Rows | columns."], "a list stays one"
    author.write("speaker.0", "")
    assert "speaker" not in held(author.finished())


@pytest.mark.parametrize("name", ["join-1", "gather-2", "reverse-1", "gather-3-as-printed"])
def test_each_kind_is_offered_or_says_what_it_needs(name: str) -> None:
    author = authoring(name)
    assert {*author.kinds, *author.needs} == {*author.listed} == {*KINDS} - {*OF_CHAINS}
    assert not {*author.kinds} & {*author.needs}
    assert all(needs.startswith("needs ") for needs in author.needs.values())
    assert ("gather.fits is broken here" in author.needs.get("cell", "")) is (name == "gather-3-as-printed")
    assert ("fixes" in author.needs) is not (name == "gather-3-as-printed")
