"""Strategies for lines of known types with fields of any shape, for property tests."""

from hypothesis import strategies as st

KINDS = ["system", "assistant", "user", "result", "control_request", "control_response", "control_cancel_request"]
INTERRUPTED = {"request_id": "c", "response": {"still_queued": []}}
ANYTHING = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional={
        "subtype": st.sampled_from(["init", "status", "task_started", "session_state_changed"]) | st.integers(),
        "request_id": st.sampled_from(["a", "b"]) | st.none(),
        "request": st.sampled_from([None, 3, {"subtype": "can_use_tool", "tool_use_id": "t"}]),
        "response": st.sampled_from([None, [], {"request_id": "a"}, INTERRUPTED]),
        "message": st.sampled_from([None, "x", {"content": [{"type": "tool_result", "tool_use_id": "t"}, 4]}]),
        "isReplay": st.booleans(),
        "parent_tool_use_id": st.none() | st.just("t"),
        "tool_result_meta": st.sampled_from([None, 1, [None], [{"id": "t", "non_execution_kind": "x"}]]),
    },
)
"""One line of a client or of a host."""
