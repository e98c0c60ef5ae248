"""Checks whether the drawn questions show a whole input, so that the input need not be printed again. Pure.

Strict on purpose: any difference between the input and what is drawn means that the whole input is shown.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeGuard, TypeVar

from chorus.core.views.blocks import Block, Option, Question
from chorus.steer.approvals import inputs

_Shown = TypeVar("_Shown", Question, Option)


def shows_whole_input(text: str, blocks: Sequence[Block]) -> bool:
    """Returns whether `blocks` are questions that show every name and value of the visible input `text`."""
    questions = [block for block in blocks if isinstance(block, Question)]
    if not questions or len(questions) < len(blocks) or inputs.has_repeated_names(text):
        return False
    given = inputs.fields(text)
    answers = {shown.question: shown.answer for shown in questions if shown.answer is not None}
    return (
        given.keys() == ({"questions", "answers"} if answers else {"questions"})
        and _are_drawn(given["questions"], questions, _is_question)
        and given.get("answers", {}) == answers
        and all(answer and _is_line(answer, answer) for answer in answers.values())
    )


def _are_drawn(values: object, shown: Sequence[_Shown], is_drawn: Callable[[object, _Shown], bool]) -> bool:
    return isinstance(values, list) and len(values) == len(shown) and all(map(is_drawn, values, shown))


def _is_question(value: object, shown: Question) -> bool:
    return (
        _has_only(value, "question", "header", "options", "multiSelect")
        and bool(shown.question)
        and _is_line(value.get("question"), shown.question)
        and _is_line(value.get("header", ""), shown.header)
        and _are_drawn(value.get("options", []), shown.options, _is_option)
        # The markers of the options show whether several may be chosen.
        and value.get("multiSelect", False) is shown.is_multiple
        and bool(shown.options or not shown.is_multiple)
    )


def _is_option(value: object, shown: Option) -> bool:
    return (
        _has_only(value, "label", "description")
        and bool(shown.label)
        and _is_line(value.get("label"), shown.label)
        and _is_line(value.get("description", ""), shown.description)
    )


def _has_only(value: object, *names: str) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and value.keys() <= set(names)


def _is_line(value: object, shown: str) -> bool:
    """Returns whether a value equals the shown text, also after every run of white space is drawn as one blank."""
    return isinstance(value, str) and value == shown == " ".join(shown.split())
