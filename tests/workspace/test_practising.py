"""Practice on the screen, without a screen: ever new descs, what was missed comes back, a rule is named at last."""

from __future__ import annotations

import pytest
from support.answering import Clock, give

from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.diagnosis.practice import Practice
from dmlviz.teaching.progress.progress import Progress
from dmlviz.workspace.asking.asking import PracticeDesk
from dmlviz.workspace.shown.picture import Room


def practised(types: list[str], progress: Progress | None = None, seed: int = 0) -> PracticeDesk:
    bases = [fresh(kind) for kind in types]
    progress = progress or Progress()
    made = PracticeDesk(Practice(bases, seed, progress.answers), progress, Clock())
    made.fit(Room(100, 24))
    return made


@pytest.mark.drawn(1)
@pytest.mark.parametrize("rule", ["G4", "G3"])
def test_whoever_follows_a_rule_is_told_so_after_a_filled_output(rule: str) -> None:
    progress = Progress()
    asked = practised(["DML_OPERATOR_GATHER"], progress)
    for number in range(40):
        question = asked.question
        state = give(asked, question.answers.get(rule, question.truth))
        told = [each for each in state.sentences if each.startswith("Your answers follow")]
        if told:
            assert f"follow “{question.rule(rule).name}”" in told[0]
            assert rule not in told[0], "what ids stand for is nowhere said"
            assert rule in question.answers
            assert question.confirms
            assert number >= 3
            break
        asked.answer()
    else:
        raise AssertionError("nothing was said")
    asked.answer()
    assert rule in asked.question.answers, "the next one is about it"
    give(asked, asked.question.truth)
    assert progress.answers[-1].on == rule
