"""Questions of the client that wait for the caller."""

from chorus.lab.fake_claude.lines import Value, results, words
from chorus.lab.fake_claude.script import Step
from chorus.lab.fake_claude.verdicts import Question


class Asking:
    """What was asked and not answered yet, and what the answers were."""

    def __init__(self, cancelled: set[str]) -> None:
        self._cancelled = cancelled
        self._open: dict[str, Question] = {}
        self._answers: dict[str, Value] = {}

    def ask(self, question: Question) -> None:
        self._open[question.id] = question

    def take(self, answer: Value) -> Question | None:
        """The question that an answer is for; None where nobody asked that."""
        question = self._open.pop(words(answer, "response", "request_id"), None)
        if question is not None:
            self._answers[question.id] = answer
        return question

    def answer_to(self, name: str) -> Value | None:
        return self._answers.get(name)

    def take_back(self, name: str) -> bool:
        """Close a question without an answer; whether it was open."""
        return self._open.pop(name, None) is not None

    def take_back_all(self) -> list[str]:
        """Close all questions; their names."""
        names = list(self._open)
        self._open.clear()
        return names

    def give_up(self) -> list[Question]:
        """Close the questions that nobody will answer any more; those the client takes back itself stay open."""
        lost = [question for name, question in self._open.items() if name not in self._cancelled]
        for question in lost:
            del self._open[question.id]
        return lost

    def is_about_permission(self) -> bool:
        """Whether a person would be looking at a prompt now."""
        return any(question.subtype == "can_use_tool" for question in self._open.values())

    def holds_up(self, step: Step) -> bool:
        """Whether a step has to wait for an answer: it comes from who asked, from the work that was asked about, or it
        tells that all is answered.
        """
        waiting = [question for name, question in self._open.items() if name not in self._cancelled]
        if waiting and step.line.kind == "system" and step.line.subtype == "session_state_changed":
            return True
        about = {step.party, *results(step.line)}
        return any(question.party == step.party or question.call in about for question in waiting)
