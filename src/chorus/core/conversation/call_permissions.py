"""Whether a tool call was allowed, according to the record of its result.

Newer clients write the decision down (`permissionDecision`, `toolDenialKind`, `tool_result_meta`). Older ones only have
the text with which they report a refusal to the model. This text counts only where the client itself writes it: at the
beginning of a result that is an error. Output of a tool never counts: such a result has a structured form.
"""

import re

import msgspec
from msgspec import Raw

from chorus.core.records.model.base import is_present
from chorus.core.records.model.blocks import Block
from chorus.core.records.model.prompt import PermissionDecision, ToolResultMeta
from chorus.core.records.model.turns import User

APPROVED, DENIED = "approved", "denied"
Verdict = tuple[str, str | None]
"""The decision, and who decided."""
PERSON, HOOK, RULE, SETTINGS, AUTO_MODE = "a person", "a hook", "a rule", "the settings", "auto mode"
_DECISIONS = {"accept": APPROVED, "allow": APPROVED, "reject": DENIED, "deny": DENIED}
_SOURCES = {
    "user_temporary": PERSON,
    "user_permanent": PERSON,
    "user_reject": PERSON,
    "user_abort": PERSON,
    "hook": HOOK,
    "config": SETTINGS,
}
_KINDS = {"user-rejected": PERSON, "permission-rule": RULE, "automode-unavailable": AUTO_MODE}
_PHRASES: tuple[tuple[re.Pattern[str], str | None], ...] = (
    (re.compile(r"The user doesn't want to (?:proceed with this tool use|take this action right now)\."), PERSON),
    (re.compile(r"The agent proposed a plan that was rejected by the user\."), PERSON),
    (re.compile(r"User (?:rejected|declined) (?:tool use|to answer questions|Claude's plan|the plan)"), PERSON),
    (re.compile(r"Claude requested permissions to .{1,4000}, but you haven't granted it yet\.", re.DOTALL), SETTINGS),
    (re.compile(r"Permission to use .{1,4000} (?:has been|was) denied", re.DOTALL), RULE),
    (re.compile(r"Permission for this action (?:has been|was) denied\."), AUTO_MODE),
    (re.compile(r"Auto mode is unavailable: "), AUTO_MODE),
    (re.compile(r"PreToolUse:\S{1,200} hook error: "), HOOK),
    (re.compile(r"Tool permission request failed: "), None),
)
_STOPPED = "this call was stopped while running, not refused"
"""Newer clients add this: the text of a refusal also appears if a person stopped a running call."""
_TEXT_CHARS = 6000
_decision = msgspec.json.Decoder(PermissionDecision)
_metas = msgspec.json.Decoder(list[ToolResultMeta])
_content = msgspec.json.Decoder(str | list[Block])
_DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def verdict_of(value: User, block: Block, *, is_alone: bool) -> Verdict | None:
    """Returns the decision about the call that `block` answers. `is_alone`: it is the only result of the line."""
    is_error = bool(block.is_error)
    if is_error and _STOPPED in text_of(block.content):
        return None
    found = _by_meta(value, block.tool_use_id)
    if found is None and is_alone:
        found = _by_decision(value) or _by_kind(value.toolDenialKind)
    if found is None and is_error:
        found = _by_words(value, block)
    # A call that returned a result was not refused, whatever else the record says.
    return None if found and found[0] == DENIED and not is_error else found


def _by_meta(value: User, call: str | None) -> Verdict | None:
    """Returns the decision in `tool_result_meta`."""
    if not is_present(value.tool_result_meta) or call is None:
        return None
    try:
        metas = _metas.decode(value.tool_result_meta)
    except _DECODE_ERRORS:
        return None
    for meta in metas:
        if meta.id == call:
            stated = _stated(meta.permission_decision) if meta.permission_decision else None
            return stated or _by_kind(meta.non_execution_kind)
    return None


def _by_decision(value: User) -> Verdict | None:
    """Returns the decision in `permissionDecision`."""
    if not is_present(value.permissionDecision):
        return None
    try:
        return _stated(_decision.decode(value.permissionDecision))
    except _DECODE_ERRORS:
        return None


def _stated(decision: PermissionDecision) -> Verdict | None:
    outcome = _DECISIONS.get(decision.decision or "")
    return (outcome, _SOURCES.get(decision.source or "")) if outcome else None


def _by_kind(kind: str | None) -> Verdict | None:
    """Returns the denial of this kind, as in `toolDenialKind`."""
    return (DENIED, _KINDS.get(kind)) if kind else None


def _by_words(value: User, block: Block) -> Verdict | None:
    """Returns the decision in the text of a refusal."""
    structured = value.toolUseResult if is_present(value.toolUseResult) else value.tool_use_result
    if is_present(structured) and bytes(memoryview(structured)[:1]) != b'"':
        return None
    text = text_of(block.content)
    for phrase, by in _PHRASES:
        if phrase.match(text):
            return DENIED, by
    return None


def text_of(content: Raw) -> str:
    """Returns the beginning of the text of a result."""
    if not is_present(content):
        return ""
    try:
        found = _content.decode(content)
    except _DECODE_ERRORS:
        return ""
    if isinstance(found, list):
        found = next((block.text for block in found if block.text), "")
    return found[:_TEXT_CHARS]
