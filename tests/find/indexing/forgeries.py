"""Builds random forgeries of a recorded conversation: sources that use its ids and say something else."""

import copy
import random
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from chorus.testing.builders import Layout, Line, Session, encode_all, lay_out, tool_use
from chorus.testing.builders.lines import Clock, usage

EVIL = "evil0001"
"""The id of the sub-agent whose file a forger writes."""
OTHER = "0e4110e4-0000-4000-8000-00000000f0f0"
KINDS = (
    "log",
    "agent beside",
    "agent below",
    "copy elsewhere",
    "copy in another project",
    "other session",
    "other session of this id",
)


class Forgery(Struct):
    """The lines that a forger writes, and their file."""

    kind: str
    path: Path
    data: bytes


def recorded(n: int) -> tuple[Session, Layout]:
    """Returns an honest conversation with every kind of fact that a forger may attack."""
    session = Session(
        f"40ae5701-0000-4000-8000-{n:012d}", cwd=f"/home/dev/work{n}", clock=Clock("2026-01-05T09:00:00.000Z")
    )
    session.user(f"Which tests fail in part {n}?", permissionMode="default")
    for part in range(1 + n % 3):
        todo = f"toolu_todo{n}_{part}"
        todos = [{"content": f"look at {part}", "status": "pending", "activeForm": "looking"}]
        session.assistant(tool_use("TodoWrite", {"todos": todos}, id=todo), tokens=usage(given=900, said=30 + part))
        session.tool_result(todo, "Todos have been modified")
        call = f"toolu_bash{n}_{part}"
        session.assistant(
            "I run them.",
            tool_use("Bash", {"command": f"pytest tests/{part}"}, id=call),
            tokens=usage(given=1200, said=75, cache_read=800),
            stop="tool_use",
        )
        session.tool_result(call, f"{part} failed", structured={"stdout": f"{part} failed", "stderr": ""})
    asked = f"toolu_agent{n}"
    session.assistant(tool_use("Agent", {"prompt": "Look around", "description": "Look"}, id=asked))
    agent = session.agent(f"a{n:07d}", asked)
    agent.user("Look around")
    agent.assistant("Nothing here.", stop="end_turn", tokens=usage(given=50, said=7))
    session.tool_result(asked, "Nothing here.", structured={"agentId": agent.agent_id, "status": "completed"})
    session.assistant("One test fails.", stop="end_turn", tokens=usage(given=2000, said=44))
    session.title("Failing tests")
    return session, (Layout.BELOW, Layout.BESIDE)[n % 2]


def forge(honest: Session, config: Path, elsewhere: Path, chance: random.Random, kind: str | None = None) -> Forgery:
    """Returns a random forgery of the session that is laid out below `config`."""
    kind = kind or chance.choice(KINDS)
    lines = [copy.deepcopy(line) for line in honest.lines if chance.random() < 0.8] or [
        *map(copy.deepcopy, honest.lines)
    ]
    is_session = kind.startswith("other session")
    shift = timedelta(hours=chance.choice([-48, -1, 0, 0, 1, 48]) if not is_session else -chance.randint(1, 500))
    keeps = {name: chance.random() < 0.8 for name in ("uuid", "message", "tool")}
    if kind.startswith("agent"):
        # A file with only its own ids cannot be distinguished from one more sub-agent.
        keeps["message"] = keeps["tool"] = True
    tokens = chance.choice([10**12, 10**15, 4_000_000, 55, -7])
    own_lines = kind.startswith("agent") and chance.random() < 0.5
    forged = [_changed(line, chance, keeps, shift, tokens) for line in lines]
    forged += _additions(honest, chance, shift)
    forged += _facts(honest, chance)
    if own_lines:
        for line in forged if chance.random() < 0.7 else forged[::2]:
            line |= {"isSidechain": True, "agentId": EVIL}
    if kind == "other session":
        for line in forged:
            line["sessionId"] = OTHER
    project = next((config / "projects").iterdir())
    path = {
        "log": elsewhere / "run.jsonl",
        "agent beside": project / f"agent-{EVIL}.jsonl",
        "agent below": project / honest.id / "subagents" / f"agent-{EVIL}.jsonl",
        "copy elsewhere": elsewhere / f"{honest.id}.jsonl",
        "copy in another project": config / "projects" / "-home-dev-other" / f"{honest.id}.jsonl",
        "other session": project / f"{OTHER}.jsonl",
        "other session of this id": project / f"{OTHER}.jsonl",
    }[kind]
    return Forgery(kind, path, encode_all(forged))


def _changed(line: Line, chance: random.Random, keeps: dict[str, bool], shift: timedelta, tokens: int) -> Line:
    """Returns a line with different content under the same ids, or under some of them."""
    if "uuid" in line and not keeps["uuid"]:
        line["uuid"] = line["uuid"].replace("-0000-", "-ffff-")
    if "timestamp" in line:
        line["timestamp"] = f"{datetime.fromisoformat(line['timestamp']) + shift:%Y-%m-%dT%H:%M:%S}.000Z"
    message = line.get("message")
    if not message:
        return line
    if "usage" in message:
        message["usage"] = {**message["usage"], "output_tokens": tokens, "input_tokens": tokens}
        message["stop_reason"] = chance.choice([None, "end_turn", message["stop_reason"]])
        if not keeps["message"]:
            message["id"] += "x"
    if chance.random() < 0.3:
        # The words stay, and only times and usage change: it claims to be a copy.
        return line
    if isinstance(message["content"], str):
        message["content"] = "FORGED " + message["content"]
        return line
    for block in message["content"]:
        match block["type"]:
            case "text":
                block["text"] = "FORGED " + block["text"]
            case "tool_use":
                block["input"] = {"command": "rm -rf /", "todos": [{"content": "FORGED", "status": "completed"}]}
                if not keeps["tool"]:
                    block["id"] += "x"
            case "tool_result":
                block["content"] = "FORGED result"
                block["is_error"] = chance.choice([True, False, None])
                if not keeps["tool"]:
                    block["tool_use_id"] += "x"
    return line


def _additions(honest: Session, chance: random.Random, shift: timedelta) -> list[Line]:
    """Returns results for honest calls under new uuids."""
    base = {"sessionId": honest.id, "isSidechain": False, "cwd": honest.cwd}
    stamp = f"{datetime.fromisoformat('2026-01-05T09:30:00.000Z') + shift:%Y-%m-%dT%H:%M:%S}.000Z"
    calls = [
        block["id"]
        for line in honest.lines
        for block in (line.get("message") or {}).get("content") or ()
        if isinstance(block, dict) and block["type"] == "tool_use"
    ]
    return [
        {
            **base,
            "type": "user",
            "uuid": f"{n:08x}-eeee-4000-8000-00000000eeee",
            "timestamp": stamp,
            "message": {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call, "content": "FORGED late result"}],
            },
        }
        for n, call in enumerate(calls)
        if chance.random() < 0.3
    ]


def _facts(honest: Session, chance: random.Random) -> list[Line]:
    """Returns titles, totals and ends, which would describe the whole conversation."""
    found: list[Line] = [
        {"type": "custom-title", "customTitle": "FORGED title", "sessionId": honest.id},
        {"type": "ai-title", "aiTitle": "FORGED title", "sessionId": honest.id},
        {"type": "summary", "summary": "FORGED summary", "leafUuid": honest.leaf},
        {"type": "permission-mode", "permissionMode": "bypassPermissions", "sessionId": honest.id},
        {"type": "cost-state", "totalCostUSD": chance.choice([9_000.0, 25_000_000.0]), "sessionId": honest.id},
        {"type": "last-prompt", "lastPrompt": "FORGED", "leafUuid": honest.leaf, "explicit": True},
        {
            "type": "result",
            "subtype": "error",
            "is_error": True,
            "session_id": honest.id,
            "uuid": "00000000-aaaa-4000-8000-000000000001",
            "total_cost_usd": chance.choice([25_000_000.0, 12.5]),
            "result": "FORGED",
            "usage": usage(given=10**6, said=10**6),
        },
    ]
    return [line for line in found if chance.random() < 0.6]


def lay_out_honest(config: Path, session: Session, layout: Layout) -> None:
    lay_out(config, session, layout)


def write(forgery: Forgery) -> None:
    forgery.path.parent.mkdir(parents=True, exist_ok=True)
    forgery.path.write_bytes(forgery.data)
