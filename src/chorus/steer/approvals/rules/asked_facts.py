"""A request of the ledger as rules see it. Pure: the time and the file system are passed in."""

import posixpath
from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import structs

from chorus.core.conversation.tool_facts import kind_of
from chorus.core.rules.actions import actions_of
from chorus.core.rules.judging import Ruling, judge
from chorus.core.rules.matching import Situation
from chorus.core.rules.rule import Rule
from chorus.steer.approvals import inputs
from chorus.steer.approvals.model import Request
from chorus.steer.approvals.risks import hints, is_settings
from chorus.steer.approvals.visible_text import make_visible_line

ONLY_A_PERSON = ("SetPermissionMode",)
"""Tools of Chorus itself that widen what happens without asking."""
_WARNINGS = ("ambiguous", "hidden", "look-alike", "sandbox", "settings")
"""The hints of a card that a person must see."""
_MAX_WORDS = 1_000
"""A rule must be quick, and every word may be a file."""


def rule_on(
    rules: Sequence[Rule],
    request: Request,
    *,
    at: datetime,
    resolve: Callable[[str], str] = lambda path: path,
    expand: Callable[[str], Sequence[str] | None] = lambda pattern: (),
) -> Ruling:
    """Returns what the rules decide about a request. Nothing is allowed that a person should look at first."""
    if kind_of(request.tool) in ("question", "plan") or request.tool in ONLY_A_PERSON or request.plans:
        return Ruling("ask", why="it is a question for a person")
    workspace, agent = _owner(request)
    root = request.root
    situation = Situation(
        root=root,
        workspaces=tuple(each for each in (workspace, posixpath.basename(root or "")) if each),
        agent=agent,
        is_subagent=request.agent is not None,
        at=at,
        resolve=resolve,
        expand=expand,
        # The control channel does not say in which folder the client is at the moment.
        is_cwd_exact=request.source != "control",
    )
    found = judge(rules, request.tool, inputs.fields(request.input), request.cwd, situation)
    if found.behaviour != "allow":
        return found
    warning = next((hint for hint in hints(request) if hint.kind in _WARNINGS), None)
    if warning is not None:
        return Ruling("ask", why=f"a person should see that it {warning.text}")
    if _count_words(request) > _MAX_WORDS:
        return Ruling("ask", why="it names too many things to look at")
    if (place := _settings_in(request, resolve, expand)) is not None:
        return Ruling("ask", why=f"a person should see that it may change {make_visible_line(place[:200])}")
    return found


def _count_words(request: Request) -> int:
    return sum(len(each.words) for each in actions_of(request.tool, inputs.fields(request.input), request.cwd))


def _settings_in(
    request: Request, resolve: Callable[[str], str], expand: Callable[[str], Sequence[str] | None]
) -> str | None:
    """Returns a file of settings, hooks or profiles that a request may change, however its path is written."""
    root = resolve(request.root or request.cwd).rstrip("/")
    for action in actions_of(request.tool, inputs.fields(request.input), request.cwd):
        if not action.words and kind_of(action.tool) == "reader":
            continue
        named = [word.text for word in action.words[1:]] if action.words else list(action.paths or ())
        patterns = {word.text for word in action.words if word.kind == "glob"}
        for each, folder in ((each, folder) for folder in action.folders or () for each in named):
            path = posixpath.join(folder, each)
            meant = (path, *(expand(path) or ())) if each in patterns else (path,)
            for place in (form for one in meant for form in (posixpath.normpath(one), resolve(one))):
                # The workspace itself may be below such a folder.
                inner = place.removeprefix(f"{root}/").removeprefix(f"{posixpath.normpath(request.root or '/')}/")
                if is_settings(inner):
                    return inner
    return None


def without_time(rule: Rule) -> Rule:
    """Returns the rule without its conditions on time, to judge what it decided in the past."""
    return structs.replace(rule, hours=None, days=frozenset(), until=None)


def _owner(request: Request) -> tuple[str | None, str | None]:
    parts = (request.conversation or "").split("/")
    return (parts[0], parts[1]) if len(parts) == 3 else (None, None)
