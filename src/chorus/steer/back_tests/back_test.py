"""What rules would have decided about recorded requests and calls, compared with what people decided. Pure."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo

from msgspec import Struct, field, structs

from chorus.core.rules.judging import Ruling
from chorus.core.rules.rule import Rule, RuleBehaviour
from chorus.steer.approvals import inputs
from chorus.steer.approvals.model import Request
from chorus.steer.approvals.rules.asked_facts import rule_on
from chorus.steer.approvals.visible_text import make_visible_line
from chorus.steer.back_tests.recorded_cases import Case

_TITLE_CHARS = 300


class TestedCase(Struct):
    """Cases that look the same and were decided the same way, counted together."""

    title: str
    """The tool and what it was called with, in one line, with hidden characters made visible."""
    behaviour: RuleBehaviour
    """What the rules would have decided."""
    decided: str | None
    """What people decided."""
    was_asked: bool
    why: str
    """If it would still be asked: why."""
    conversation: str | None
    call: str | None
    """The latest of them."""
    times: int = 0


class BackTest(Struct):
    """The result of trying rules."""

    cases: int = 0
    """How many requests and calls were looked at."""
    allowed: int = 0
    denied: int = 0
    asked: int = 0
    """How many the rules are about, and leave to a person."""
    against_people: int = 0
    """How many would have been decided differently than people did."""
    unasked: int = 0
    """How many would be allowed that nobody was asked about."""
    saved: int = 0
    """How many questions to a person would have been answered."""
    questions: int = 0
    """How many questions there were."""
    groups: dict[tuple[str, str, str | None, bool], TestedCase] = field(default_factory=dict)

    def shown(self) -> list[TestedCase]:
        """Returns what to look at: first what differs from people, then denials, then by number."""
        return sorted(
            self.groups.values(), key=lambda each: (not is_against(each), each.behaviour != "deny", -each.times)
        )


def is_against(case: TestedCase) -> bool:
    """Returns whether people decided otherwise."""
    return case.decided is not None and case.behaviour != "ask" and case.behaviour != case.decided


def try_rules(tried: Sequence[Rule], others: Sequence[Rule], recorded: Iterable[Case], zone: tzinfo) -> BackTest:
    """Returns what the rules would have decided, together with the other rules that are in force.

    Only cases that a tried rule is about are counted.
    """
    ids = {rule.id for rule in tried}
    rules = [*others, *(rule for rule in tried if rule.id not in {other.id for other in others})]
    found = BackTest()
    for case in recorded:
        found.cases += 1
        found.questions += case.was_asked
        ruling = rule_on(rules, case.request, at=moment_of(case.request, zone))
        if not _is_about(ruling, ids):
            continue
        _count(found, case, ruling)
    return found


def moment_of(request: Request, zone: tzinfo) -> datetime:
    """Returns when a request was made, in the person's time zone."""
    try:
        at = datetime.fromisoformat(request.created_at)
    except ValueError:
        return datetime.fromtimestamp(0, zone)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(zone)


def title_of(request: Request) -> str:
    """Returns a request in one line."""
    given = inputs.fields(request.input)
    named = next((given[name] for name in _TITLES if isinstance(given.get(name), str)), "")
    return make_visible_line(f"{request.tool} {named}".strip())[:_TITLE_CHARS]


_TITLES = ("command", "file_path", "notebook_path", "path", "url", "pattern", "query", "description")


def _is_about(ruling: Ruling, ids: set[str]) -> bool:
    named = {each.rule.id for each in ruling.actions if each.rule is not None} | {rule.id for rule in ruling.rules}
    return bool(named & ids)


def _count(found: BackTest, case: Case, ruling: Ruling) -> None:
    match ruling.behaviour:
        case "allow":
            found.allowed += 1
            found.unasked += not case.was_asked
        case "deny":
            found.denied += 1
        case _:
            found.asked += 1
    found.saved += case.was_asked and ruling.behaviour != "ask"
    title = title_of(case.request)
    key = (title, ruling.behaviour, case.decided, case.was_asked)
    group = found.groups.get(key)
    if group is None:
        group = found.groups[key] = TestedCase(
            title, ruling.behaviour, case.decided, case.was_asked, ruling.why, case.request.conversation, case.call
        )
    group.times += 1
    found.against_people += is_against(structs.replace(group, times=1))
