"""Questions of the client that wait for the caller."""

from chorus.lab.fake_claude.lines import Value, results, text_at
from chorus.lab.fake_claude.script import Step
from chorus.lab.fake_claude.verdicts import Question


class OpenQuestions:
    """Questions without an answer, and the answers that were given."""

    def __init__(self, cancelled: set[str]) -> None:
        self._cancelled = cancelled
        self._open: dict[str, Question] = {}
        self._answers: dict[str, Value] = {}

    def ask(self, question: Question) -> None:
        self._open[question.id] = question

    def take(self, answer: Value) -> Question | None:
        """Returns the question that an answer is for; None if there is no such question."""
        question = self._open.pop(text_at(answer, "response", "request_id"), None)
        if question is not None:
            self._answers[question.id] = answer
        return question

    def answer_to(self, name: str) -> Value | None:
        return self._answers.get(name)

    def cancel(self, name: str) -> bool:
        """Closes a question without an answer; returns whether it was open."""
        return self._open.pop(name, None) is not None

    def cancel_all(self) -> list[str]:
        """Closes all questions; returns their ids."""
        names = list(self._open)
        self._open.clear()
        return names

    def give_up(self) -> list[Question]:
        """Closes the questions that nobody will answer any more; those that the client itself cancels stay open."""
        lost = [question for name, question in self._open.items() if name not in self._cancelled]
        for question in lost:
            del self._open[question.id]
        return lost

    def is_about_permission(self) -> bool:
        """Whether a person would see a permission prompt now."""
        return any(question.subtype == "can_use_tool" for question in self._open.values())

    def is_waited_for(self, step: Step) -> bool:
        """Whether a step must wait for an answer: it comes from the speaker that asked or from the call that was asked
        about, or it reports a change of the session state.
        """
        waiting = [question for name, question in self._open.items() if name not in self._cancelled]
        if waiting and step.line.kind == "system" and step.line.subtype == "session_state_changed":
            return True
        about = {step.speaker, *results(step.line)}
        return any(question.speaker == step.speaker or question.call in about for question in waiting)
