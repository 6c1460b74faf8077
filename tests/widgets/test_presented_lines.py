"""Lines of the wall and of its speaker, in every width."""

from __future__ import annotations

import re

import pytest
from support.presentations import desk_of, text

from dmlviz.scene.spans import length
from dmlviz.session.class_status import Said
from dmlviz.session.experiments import Session
from dmlviz.teaching.lessons.lessons import Lesson, shipped_lessons
from dmlviz.widgets.boards.presented_lines import keys_line, notes_head, notes_lines, wall_forms, wall_head
from dmlviz.widgets.boards.vote_bars import bar_lines


@pytest.mark.drawn(1)
@pytest.mark.parametrize("width", [57, 77, 117, 197])
@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.id)
def test_every_line_fits_and_every_form_asks_and_answers(lesson: Lesson, width: int) -> None:
    made = desk_of(Session(tuple(step.experiment for step in lesson.steps)))
    while not made.state.sentence:
        state = made.state
        forms = [*wall_forms(state, width, roomy=width > 100)]
        parts = [lines for lines, _ in forms]
        parts += [
            wall_head(state, width),
            notes_head(state, width),
            notes_lines(state, width, 40),
            keys_line(state, width),
        ]
        assert all(length(line) <= width for lines in parts for line in lines)
        assert text(parts[-1]).rstrip().endswith("q leave")
        for lines, whole in forms:
            said = " ".join(text(lines).split())
            assert " ".join(state.item.prompt.split()) in said
            if whole and not state.told:
                assert all(" ".join(each.text.split()) in said for each in state.item.answers)
            assert not state.told or all(" ".join(each.split()) in said for each in state.sentences)
        made.forward()


@pytest.mark.parametrize("width", [57, 77, 117])
@pytest.mark.parametrize("before", [None, 12])
def test_however_long_an_answer_is_how_many_gave_it_is_read(before: int | None, width: int) -> None:
    words = ("A result has too many sizes for what is printed.", "An index picks a slice that isn't there.", "valid")
    said = [
        Said(text=each, right=not k, count=20 + k if k < 2 else None, before=before) for k, each in enumerate(words)
    ]
    for meant in (None, {"a": "b"}):
        lines = bar_lines(said, width, meant=meant)
        assert all(length(line) <= width for line in lines)
        told = text(lines).split("\n")
        assert all(re.search(rf" {count} ", line) for count, line in zip((20, 21, "–"), told, strict=True))
        assert told[0].count("→") == (before is not None)
        assert (words[0] in told[0]) is (width == 117)
