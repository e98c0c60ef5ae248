"""Tools that wait for a person: questions and plans."""

from chorus.core.records.model import tool_results, tools
from chorus.core.views.blocks import Note, Option, Plan, Question
from chorus.core.views.tools.call import Made, View


def ask(call: Made) -> View | None:
    """Every question with its options and the answer given."""
    if not isinstance(call.input, tool_results.AskUserQuestion) or call.input.questions is None:
        return None
    told = call.result.structured if call.result else None
    answers = (told.answers if isinstance(told, tool_results.AskUserQuestion) else None) or call.input.answers or {}
    questions = tuple(_question(one, answers.get(one.question or "")) for one in call.input.questions)
    rest = () if answers else call.results()
    return View("", questions, rest)


def _question(asked: tool_results.Question, answer: str | None) -> Question:
    chosen = _chosen(asked, answer)
    options = tuple(
        Option(label=one.label or "", description=one.description or "", is_chosen=(one.label or "") in chosen)
        for one in asked.options or ()
    )
    return Question(
        header=asked.header or "",
        question=asked.question or "",
        options=options,
        is_multiple=bool(asked.multiSelect),
        answer=answer,
    )


def _chosen(asked: tool_results.Question, answer: str | None) -> set[str]:
    """The labels an answer names: all of it, or (several allowed) its parts."""
    if answer is None:
        return set()
    return {answer, *(part.strip() for part in answer.split(","))} if asked.multiSelect else {answer}


def exit_plan_mode(call: Made) -> View | None:
    """The plan, and whether it was taken up."""
    if not isinstance(call.input, tools.ExitPlanMode):
        return None
    told = call.result.structured if call.result else None
    plan = call.input.plan or (told.plan if isinstance(told, tool_results.PlanResult) else None)
    if not plan:
        return None
    title = call.input.planFilePath or ""
    if call.result is None:
        return View(title, (Plan(markdown=plan),))
    if call.result.is_error:
        return View(title, (Plan(markdown=plan),), call.results())
    return View(title, (Plan(markdown=plan),), (Note(text="approved"),))
