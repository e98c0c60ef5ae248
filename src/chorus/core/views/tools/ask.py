"""Views of tools that wait for a person: questions and plans."""

from chorus.core.records.model import tool_results, tools
from chorus.core.views.blocks import Block, Note, Option, Plan, Question
from chorus.core.views.tools.call import MadeCall, View


def ask(call: MadeCall) -> View | None:
    """Shows every question with its options and the answer."""
    if not isinstance(call.input, tool_results.AskUserQuestion) or call.input.questions is None:
        return None
    output = call.result.structured if call.result else None
    answers = (output.answers if isinstance(output, tool_results.AskUserQuestion) else None) or call.input.answers or {}
    questions = tuple(_question(one, answers.get(one.question or "")) for one in call.input.questions)
    rest = () if answers else call.results()
    return View("", questions, rest, label="Question" if len(questions) == 1 else "Questions")


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
    """Returns the labels that an answer names: the whole answer and, if several are allowed, its parts."""
    if answer is None:
        return set()
    return {answer, *(part.strip() for part in answer.split(","))} if asked.multiSelect else {answer}


def exit_plan_mode(call: MadeCall) -> View | None:
    """Shows the plan, and whether it was approved."""
    if not isinstance(call.input, tools.ExitPlanMode):
        return None
    output = call.result.structured if call.result else None
    plan = call.input.plan or (output.plan if isinstance(output, tool_results.PlanResult) else None)
    if not plan:
        return None
    title, planned = call.input.planFilePath or "", (Plan(markdown=plan),)
    if call.result is None:
        given: tuple[Block, ...] = ()
    elif call.result.is_error:
        given = tuple(call.results())
    else:
        given = (Note(text="approved"),)
    return View(title, planned, given, label="Plan")
