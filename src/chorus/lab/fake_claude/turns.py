"""Where turns begin and end in what a client says."""

from chorus.lab.fake_claude.lines import Line, at, words

_BEGINNINGS = {"assistant", "user", "stream_event", "conversation_reset"}
_SYSTEM_BEGINNINGS = {"init", "hook_started", "api_retry", "thinking_tokens", "compact_boundary"}


def begins_turn(line: Line) -> bool:
    """Whether a line after a result can only belong to the next turn."""
    if line.kind == "command_lifecycle":
        return words(line.value, "state") != "completed"
    if line.kind == "control_request":
        return words(line.value, "request", "input", "hook_event_name") == "UserPromptSubmit"
    if line.kind != "system":
        return line.kind in _BEGINNINGS
    if line.subtype == "session_state_changed":
        return words(line.value, "state") == "running"
    if line.subtype == "status":
        return bool(words(line.value, "status"))
    return line.subtype in _SYSTEM_BEGINNINGS


def follows_result(line: Line) -> bool:
    """Whether a line is of the kind that ends a turn after its result."""
    if line.kind == "system":
        return line.subtype == "session_state_changed"
    return line.kind in {"command_lifecycle", "transcript_mirror", "prompt_suggestion", "result"}


def is_self_started(result: Line | None) -> bool:
    """Whether the turn that ended so was begun by the client itself, because background work was done."""
    return result is not None and words(at(result.value, "origin"), "kind") not in {"", "human", "sdk"}
