"""Generates one synthetic session: prompts, thinking, text, tool calls and results, as a client version writes them."""

import random
from typing import Any, NamedTuple

from chorus.testing.builders import blocks
from chorus.testing.builders.lines import Line, usage
from chorus.testing.builders.session import Session
from chorus.testing.builders.words import Words


class Era(NamedTuple):
    """A generation of client versions, and what its lines have in common."""

    version: str
    has_progress: bool = False
    has_attachments: bool = False
    is_final: bool = False
    """Whether every line has the final stop reason and usage."""
    agent_tool: str = "Task"


ERAS = {
    Era("1.0.17"): 1,
    Era("2.0.76"): 2,
    Era("2.1.7"): 3,
    Era("2.1.37", has_progress=True): 8,
    Era("2.1.50", has_progress=True): 8,
    Era("2.1.69", has_progress=True, agent_tool="Agent"): 2,
    Era("2.1.150", has_attachments=True, is_final=True, agent_tool="Agent"): 2,
    Era("2.1.217", has_attachments=True, is_final=True, agent_tool="Agent"): 2,
}
"""Each generation and its rough share of the recorded sessions."""
# Shares in recorded sessions: lines of one message, and tools.
_LINES = ((1, 24), (2, 51), (3, 19), (4, 4), (6, 2))
_TOOLS = (("Bash", 36), ("Read", 25), ("Edit", 21), ("Grep", 12), ("Write", 3), ("TodoWrite", 3))
_KINDS = (("bash_progress", 6), ("hook_progress", 4))
_PICTURE_SHARE = 1 / 700
_AGENT_SHARE = 1 / 80


class SessionGenerator:
    """Adds turns to a session until it is long enough."""

    def __init__(self, session: Session, era: Era, chance: random.Random, words: Words) -> None:
        self._session = session
        self._era = era
        self._chance = chance
        self._words = words
        self.size_bytes = 0
        """The approximate size of the session's lines."""

    def generate(self, wanted_bytes: int) -> None:
        self._open()
        while self.size_bytes < wanted_bytes:
            self._turn(wanted_bytes)

    def _open(self) -> None:
        session, words = self._session, self._words
        if session.version.startswith("1."):
            session.summary(words.prose(40), leaf=session.ids.uuid())
        else:
            session.snapshot()
        self._took(1)

    def _turn(self, wanted_bytes: int) -> None:
        session, words, chance = self._session, self._words, self._chance
        prompt = words.prose(words.length(180, most=8000))
        if self._era.has_progress and chance.random() < 0.1:
            session.queue("enqueue", prompt)
            session.queue("dequeue")
        session.user(prompt, **({"permissionMode": "default"} if self._era.is_final else {}))
        self._took(1, len(prompt))
        if self._era.has_attachments:
            reminder = words.prose(words.length(600, most=20_000))
            session.attachment("task_reminder", content=reminder)
            self._took(1, len(reminder))
        for _ in range(words.length(8, spread=0.8, most=80)):
            self._message()
            if self.size_bytes > wanted_bytes:
                return
        self._say("end_turn", [blocks.text(words.prose(words.length(500)))])
        if not session.version.startswith("1."):
            session.system("stop_hook_summary", hookCount=1, hookInfos=[{"command": "true"}], hookErrors=[])
            session.system("turn_duration", durationMs=int(chance.random() * 90_000))
            session.snapshot(is_update=True)
            self._took(3, 400)

    def _message(self) -> None:
        """Adds a message that calls tools, their progress, and their results, which are sometimes in another order."""
        words, chance = self._words, self._chance
        count = chance.choices([n for n, _ in _LINES], [share for _, share in _LINES])[0]
        parts: list[blocks.Block] = []
        if count > 1 and chance.random() < 0.6:
            parts.append(blocks.thinking(words.prose(words.length(300)), signature=words.signs(400)))
        if count > 1 + len(parts) and chance.random() < 0.5:
            parts.append(blocks.text(words.prose(words.length(200))))
        calls = [self._call() for _ in range(max(1, count - len(parts)))]
        self._say("tool_use", [*parts, *calls])
        if len(calls) > 1 and chance.random() < 0.2:
            chance.shuffle(calls)
        for call in calls:
            if self._era.has_progress:
                self._meanwhile(call)
            self._result(call)

    def _say(self, stop: str, parts: list[blocks.Block]) -> None:
        era, chance = self._era, self._chance
        tokens = usage(
            given=int(chance.random() * 40),
            said=int(chance.random() * 900) if era.is_final else 1 + int(chance.random() * 8),
            cache_creation=int(chance.random() * 5000),
            cache_read=int(chance.random() * 90_000),
            service_tier="standard",
        )
        self._session.assistant(*parts, stop=stop if era.is_final else None, tokens=tokens)
        self._took(len(parts), sum(_weight(part) for part in parts), head=700)

    def _call(self) -> blocks.Block:
        words, chance, call = self._words, self._chance, self._session.ids.tool()
        if chance.random() < _AGENT_SHARE:
            errand = {"description": "Look around", "prompt": words.prose(400), "subagent_type": "general-purpose"}
            return blocks.tool_use(self._era.agent_tool, errand, id=call)
        name = chance.choices([tool for tool, _ in _TOOLS], [share for _, share in _TOOLS])[0]
        path = f"/home/dev/work/{words.signs(8).lower()}.py"
        match name:
            case "Bash":
                given: dict[str, Any] = {"command": words.code(words.length(90, most=4000)), "description": "Run it"}
            case "Edit":
                old, new = (words.code(words.length(350, most=20_000)) for _ in "on")
                given = {"file_path": path, "old_string": old, "new_string": new}
            case "Write":
                given = {"file_path": path, "content": words.code(words.length(2500))}
            case "Grep":
                given = {"pattern": words.prose(16), "path": path}
            case "TodoWrite":
                entry = {"content": words.prose(40), "status": "pending", "activeForm": words.prose(30)}
                given = {"todos": [entry] * 5}
            case _:
                given = {"file_path": path}
        return blocks.tool_use(name, given, id=call)

    def _meanwhile(self, call: blocks.Block) -> None:
        for _ in range(self._words.length(1, spread=0.9, most=40)):
            kind = self._chance.choices([kind for kind, _ in _KINDS], [share for _, share in _KINDS])[0]
            length = self._words.length(900, spread=1.3, most=30_000) if kind == "bash_progress" else 0
            output = self._words.code(length)
            self._session.progress(kind, call["id"], output=output, fullOutput=output, elapsedTimeSeconds=2)
            self._took(1, 2 * len(output))

    def _result(self, call: blocks.Block) -> None:
        words, session = self._words, self._session
        if call["name"] in ("Task", "Agent"):
            self._errand(call)
            return
        if self._chance.random() < _PICTURE_SHARE:
            data = words.signs(words.length(120_000, most=1_500_000))
            session.tool_result(call["id"], [blocks.image(data)])
            self._took(1, len(data))
            return
        output = words.code(words.length(750, spread=1.5, most=60_000))
        is_error = self._chance.random() < 0.05
        structured = f"Error: {output}" if is_error else {"stdout": output, "stderr": "", "interrupted": False}
        session.tool_result(call["id"], output, is_error=is_error or None, structured=structured)
        self._took(1, 2 * len(output))

    def _errand(self, call: blocks.Block) -> None:
        """Adds a sub-agent with its own thread; in some generations its lines are also in the main file."""
        words, session = self._words, self._session
        agent_id = f"a{len(session.agents):07x}"
        agent = session.agent(agent_id, call["id"])
        lines: list[Line] = [agent.user(call["input"]["prompt"])]
        for _ in range(words.length(6, spread=0.6, most=30)):
            call_inside = blocks.tool_use("Read", {"file_path": "/home/dev/a.py"}, id=session.ids.tool())
            output = words.code(words.length(700, spread=1.3, most=60_000))
            lines += agent.assistant(words.prose(80), call_inside)
            lines.append(agent.tool_result(call_inside["id"], output))
            self._took(3, len(output))
        lines += agent.assistant(words.prose(words.length(800)), stop="end_turn" if self._era.is_final else None)
        if self._era.has_progress:
            for line in lines:
                session.progress_agent(agent_id, call["id"], line)
            self._took(len(lines), 400)
        session.tool_result(call["id"], "See the report.", structured={"status": "completed", "agentId": agent_id})
        self._took(len(lines), 600)

    def _took(self, lines: int, more_bytes: int = 0, *, head: int = 430) -> None:
        self.size_bytes += lines * head + more_bytes


def _weight(block: blocks.Block) -> int:
    match block["type"]:
        case "tool_use":
            return sum(len(field) for field in block["input"].values() if isinstance(field, str))
        case "thinking":
            return len(block["thinking"]) + len(block["signature"])
    return len(block["text"])
