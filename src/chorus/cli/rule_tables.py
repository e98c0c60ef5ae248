"""The result of trying a rule, as text and as JSON."""

from typing import Any

from chorus.cli.output import counted, print_table, say
from chorus.cli.table import Column
from chorus.steer.back_tests.back_test import BackTest, TestedCase, is_against

_COLUMNS = (
    "Times",
    Column("Decision", drop_rank=2),
    Column("Request", min_width=40, preferred_width=70),
    Column("Why", drop_rank=1, min_width=20),
)
_DECIDED = {"allow": "you allowed", "deny": "you denied", None: ""}


def print_back_test(found: BackTest, *, limit: int) -> None:
    """Print the counts, then the cases: those against people's decisions first."""
    shown = found.shown()
    agreed = [each for each in shown if not is_against(each)]
    groups = (
        ("You decided otherwise", [each for each in shown if is_against(each)]),
        ("Would be denied", [each for each in agreed if each.behaviour == "deny"]),
        ("Would be allowed, and nobody was asked", [each for each in agreed if _is_allowed(each, was_asked=False)]),
        ("Would be allowed", [each for each in agreed if _is_allowed(each, was_asked=True)]),
        ("Would still be asked", [each for each in agreed if each.behaviour == "ask"]),
    )
    say(summary(found))
    for title, cases in groups:
        print_table(title, _COLUMNS, [_row(each) for each in cases[:limit]])
        if len(cases) > limit:
            say(f"And {len(cases) - limit:,} more; --limit shows them.")


def summary(found: BackTest) -> str:
    """Return the counts in words."""
    seen = counted(found.cases, "recorded request")
    if not found.allowed + found.denied + found.asked:
        return f"Of {seen} and calls, the rule is about none."
    parts = [f"allowed {found.allowed:,}", f"denied {found.denied:,}"]
    parts += [f"left {found.asked:,} to you"] if found.asked else []
    text = f"Of {seen} and calls, it would have {', '.join(parts[:-1])} and {parts[-1]}."
    if found.questions:
        text += f" It would have answered {found.saved:,} of {counted(found.questions, 'question')} to people."
    if found.against_people:
        text += f" People decided otherwise {_times(found.against_people)}."
    else:
        text += " People never decided otherwise."
    return text + (f" Of what it allows, nobody was asked about {found.unasked:,}." if found.unasked else "")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def as_json(found: BackTest, *, limit: int) -> dict[str, Any]:
    """Return the result for programs."""
    names = ("cases", "allowed", "denied", "asked", "against_people", "unasked", "saved", "questions")
    return {name: getattr(found, name) for name in names} | {
        "groups": [
            {
                "title": each.title,
                "behavior": each.behaviour,
                "decided": each.decided,
                "was_asked": each.was_asked,
                "why": each.why or None,
                "times": each.times,
                "conversation": each.conversation,
                "call": each.call,
            }
            for each in found.shown()[:limit]
        ]
    }


def _is_allowed(case: TestedCase, *, was_asked: bool) -> bool:
    return case.behaviour == "allow" and case.was_asked == was_asked


def _row(case: TestedCase) -> tuple[int, str, str, str]:
    return case.times, _DECIDED.get(case.decided, ""), case.title, case.why
