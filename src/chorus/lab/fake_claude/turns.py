"""Finds where turns begin and end in the output of a client."""

from chorus.lab.fake_claude.lines import ScriptLine, at, text_at

_BEGINNINGS = {"assistant", "user", "stream_event", "conversation_reset"}
_SYSTEM_BEGINNINGS = {"init", "hook_started", "api_retry", "thinking_tokens", "compact_boundary"}


def begins_turn(line: ScriptLine) -> bool:
    """Whether a line after a result can only belong to the next turn."""
    if line.kind == "command_lifecycle":
        return text_at(line.value, "state") != "completed"
    if line.kind == "control_request":
        return text_at(line.value, "request", "input", "hook_event_name") == "UserPromptSubmit"
    if line.kind != "system":
        return line.kind in _BEGINNINGS
    if line.subtype == "session_state_changed":
        return text_at(line.value, "state") == "running"
    if line.subtype == "status":
        return bool(text_at(line.value, "status"))
    return line.subtype in _SYSTEM_BEGINNINGS


def follows_result(line: ScriptLine) -> bool:
    """Whether a line is of a kind that follows the result at the end of a turn."""
    if line.kind == "system":
        return line.subtype == "session_state_changed"
    return line.kind in {"command_lifecycle", "transcript_mirror", "prompt_suggestion", "result"}


def is_self_started(result: ScriptLine | None) -> bool:
    """Whether the client started the turn with this result by itself, because background work had ended."""
    return result is not None and text_at(at(result.value, "origin"), "kind") not in {"", "human", "sdk"}
