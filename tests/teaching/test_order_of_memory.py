"""Questions about memory: who reads pictures down the columns writes the true numbers in another order."""

from __future__ import annotations

from dmlviz.session.examples import example
from dmlviz.teaching.kinds.order import KIND
from dmlviz.teaching.questions.subject import Subject


def test_columns_first_is_an_order_of_the_true_picture() -> None:
    subject = Subject(example("join-2-axis-3").session().experiments[0])
    question = KIND.make(subject, 0)
    assert question is not None
    assert question.first is not None
    answers = {rule.id: KIND.answer(question, rule) for rule in subject.rules if rule.id in ("C4", "J5")}
    wanted = {"C4": (1, 3, 2, 4, 5, 7, 6, 8), "J5": (1, 2, 3, 4, 5, 6, 7, 8)}
    assert answers == {id_: numbers[: question.first] for id_, numbers in wanted.items()}
    assert KIND.answer(question, None) == (1, 2, 5, 6, 9, 10, 3, 4)[: question.first]
