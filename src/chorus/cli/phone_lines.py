"""Messages of `chorus.mobile.v1` as lines of a terminal."""

from typing import Any

from chorus.core.views.safe import safe_line
from chorus.mobile import Received


def line_of(received: Received) -> str | None:
    """Return a message on one line, without anything active; None for what a reader need not see."""
    words = _words(received.message)
    return None if words is None else safe_line(f"{received.message.get('type')}: {words}")


def _words(message: dict[str, Any]) -> str | None:
    match message:
        case {"type": "hello", "version": version, "scopes": scopes}:
            return f"{version}, may {', '.join(scopes)}"
        case {"type": "session_list", "sessions": sessions, "isWhole": True}:
            return f"{len(sessions)} conversations"
        case {"type": "session_list", "sessions": sessions}:
            return ", ".join(f"{each['title'] or each['conversationId']} ({each['status']})" for each in sessions)
        case {"type": "project_list", "projects": projects}:
            return ", ".join(each["name"] for each in projects)
        case {"content": str(content)}:
            return content
        case {"type": "tool_activity", "tool": tool, "state": state, "subject": subject}:
            return f"{tool} {state} {subject}"
        case {"currentStep": "", "completedSteps": None}:
            return "over"
        case {"currentStep": step, "completedSteps": done, "totalSteps": total}:
            count = f" {done}" if done is not None else ""
            reason = f" ({message['reason']})" if message.get("reason") else ""
            return f"{step}{count}" + (f" of {total}" if total is not None else "") + reason
        case {"type": "permission_request", "title": title, "whyNot": why_not}:
            return f"{title} ({why_not or 'can be answered here'})"
        case {"type": "question", "questions": questions}:
            return " / ".join(questions)
        case {"type": "task_completion", "subtype": subtype, "numTurns": turns}:
            return f"{subtype or 'ended'}, {turns} turns"
        case {"type": "session_state", "conversationId": conversation, "state": state}:
            return f"{conversation} is {state}"
        case {"type": "error", "kind": kind, "message": said}:
            return f"{kind}: {said}"
        case {"type": "done"}:
            return None
        case _:
            return ""
