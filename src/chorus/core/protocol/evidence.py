"""Finds in the client's records of a call who answered its permission request, and how. Pure.

The client writes the same facts in two spellings: `permissionDecision` in its session file, `permission_decision` on
standard output. If a client writes neither, the result decides: a call that was not refused has run.
"""

from typing import Any, Literal

from msgspec import Struct

By = Literal["hook", "person", "rule", "unknown"]
"""Who decided: a hook, a person (in the terminal, or the host of a client without one), a rule or mode."""

_SOURCES: dict[str, By] = {
    "hook": "hook",
    "user_temporary": "person",
    "user_permanent": "person",
    "user_reject": "person",
    "user_abort": "person",
    "config": "rule",
}
_DENIALS: dict[str, By] = {"user-rejected": "person"}
_REFUSED_BY_PERSON = ("The user doesn't want to proceed", "The user doesn't want to take this action")
_UNANSWERED = "Tool permission request failed: AbortError: Tool permission stream closed"
"""The error of a call whose host was gone before it answered."""
_REFUSED_BY_NOBODY = ("Claude requested permissions to", "Permission to use ")


class Evidence(Struct, frozen=True):
    """The decision on a permission request, according to the client."""

    behaviour: Literal["allow", "deny"]
    by: By = "unknown"
    may_be_interrupt: bool = False
    """Whether the same would be recorded if a person had interrupted the call while it ran."""
    is_unanswered: bool = False
    """Whether nobody answered, because the host of the client was gone. The call did not run."""


def of_result(block: dict[str, Any], decision: object = None, denial: object = None) -> Evidence:
    """Returns what a `tool_result` block proves, given the decision and the kind of denial recorded with it."""
    recorded = decision if isinstance(decision, dict) else {}
    by = _SOURCES.get(str(recorded.get("source")), "unknown")
    text = _text(block.get("content"))
    if recorded.get("decision") != "accept" and block.get("is_error") is True and text.startswith(_UNANSWERED):
        return Evidence("deny", "rule", is_unanswered=True)
    match recorded.get("decision"):
        case "accept":
            return Evidence("allow", by)
        case "reject":
            return Evidence("deny", by)
    if isinstance(denial, str) and denial:
        by = _DENIALS.get(denial, "unknown")
        return Evidence("deny", by, may_be_interrupt=by == "person")
    if block.get("is_error") is True and text.startswith(_REFUSED_BY_PERSON):
        return Evidence("deny", "person", may_be_interrupt=True)
    if block.get("is_error") is True and text.startswith(_REFUSED_BY_NOBODY):
        return Evidence("deny", "rule")
    return Evidence("allow")


def of_hook(attachment: dict[str, Any]) -> tuple[str, Evidence] | None:
    """Returns the call of a `hook_permission_decision` and what it proves; None for any other attachment."""
    call, decision = attachment.get("toolUseID"), attachment.get("decision")
    if attachment.get("hookEvent") != "PermissionRequest" or not isinstance(call, str):
        return None
    if decision not in ("allow", "deny"):
        return None
    return call, Evidence("allow" if decision == "allow" else "deny", "hook")


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
