"""The digest of what the index contains for a fixed corpus, so that a change of it without a new `SCHEMA` is noticed.

An index with another `SCHEMA` is rebuilt. If the content changes and the number stays, people keep an index that is
half old and half new. The corpus has a line of every record type, every kind of entry and every mark.
"""

import hashlib
import json
from pathlib import Path

import msgspec

from chorus.find.index.rows import Writing
from chorus.find.index.sqlite import schema
from chorus.keep.archive.decision_stream import DECISIONS_STREAM
from chorus.keep.vault.keys import StreamKey
from chorus.keep.vault.memory import MemoryVault
from chorus.testing.builders import Flat, Run, Session
from chorus.testing.builders.blocks import image, thinking, tool_use
from chorus.testing.builders.lines import encode
from chorus.testing.builders.samples import sample_lines
from chorus.testing.indexes import SEEN_AT, WORKSPACE, keep, whole

FILE = "tools/index_content.json"
SCHEMA_FILE = "src/chorus/find/index/sqlite/schema.py"
_ROOT = Path(__file__).resolve().parent.parent
_ENVELOPE = frozenset(
    {"sessionId", "session_id", "agentId", "agent_id", "parent_tool_use_id", "parentUuid", "isSidechain", "forkedFrom"}
)
_IDS = [f"1de00000-0000-4000-8000-00000000000{number}" for number in range(5)]


class SchemaOutdated(Exception):  # noqa: N818 - the name says what is wrong
    """The content of the index changed, and `SCHEMA` did not."""


def document() -> str:
    """Returns the content of the generated file. Raises SchemaOutdated if its digest changed and `SCHEMA` did not."""
    digest = digest_of(writings())
    held = _held()
    if held.get("schema") == schema.SCHEMA and held.get("digest") != digest:
        raise SchemaOutdated(
            f"what the index contains has changed: raise SCHEMA in {SCHEMA_FILE} from {schema.SCHEMA} to "
            f"{schema.SCHEMA + 1}, then run `./dev generate`; if {schema.SCHEMA} is not on the main branch yet, "
            f"delete {FILE} instead"
        )
    return json.dumps({"schema": schema.SCHEMA, "digest": digest}, indent=1) + "\n"


def digest_of(found: list[Writing]) -> str:
    """Returns a digest of writings that is the same on every system; it leaves out the state for continued reading."""
    kept = [msgspec.structs.replace(each, positions={}, state=None) for each in found]
    data = msgspec.json.encode((schema.TABLES, kept), order="deterministic")
    return hashlib.sha256(data).hexdigest()


def writings() -> list[Writing]:
    """Returns everything that is written to the index for the corpus."""
    vault = MemoryVault()
    for session in (_conversation(), _samples()):
        keep(vault, session)
    _append(vault, _IDS[0], "copy-1", _contradiction())
    _append(vault, _IDS[0], DECISIONS_STREAM, _decisions())
    for session_id, data in ((_IDS[2], bytes(_run())), (_IDS[3], bytes(_flat()))):
        _append(vault, session_id, "session", data)
        _append(vault, session_id, "main-log", b'{"type":"main-log","path":"x.jsonl"}\n')
    vault.flush()
    return list(whole(vault))


def _contradiction() -> bytes:
    """Returns a copy of the session that says something else, and ends in bytes that are no record."""
    return bytes(_conversation()).replace(b"The end.", b"The start.") + b'{"type":"user","torn'


def _append(vault: MemoryVault, session: str, stream: str, data: bytes) -> None:
    vault.append(StreamKey(WORKSPACE, "main", session, stream), data, seen_at=SEEN_AT)


def _conversation() -> Session:
    """Builds a conversation with every kind of entry, and words of every kind."""
    session = Session(_IDS[0], slug="a-plan")
    session.title("A title")
    session.user("Find HTTPServer in src/a_file.py, v2.1.325, Łódź 搜索 🚀 and ~/.claude --flag")
    session.assistant(thinking("Let me think"), "I look", tool_use("Bash", {"command": "ls"}, id="t1"))
    session.tool_result("t1", "no such file", is_error=True)
    session.assistant(tool_use("Edit", {"file_path": "/p/a.py", "old_string": "a", "new_string": "b"}, id="t2"))
    session.tool_result("t2", "done", permissionDecision={"decision": "accept", "source": "user"})
    session.assistant(tool_use("Write", {"file_path": "/p/b.py", "content": "x"}, id="t3"))
    session.tool_result("t3", "refused", is_error=True, toolDenialKind="user-rejected")
    session.assistant(tool_use("Task", {"prompt": "look", "description": "Look"}, id="t4"))
    agent = session.agent("a1", "t4")
    agent.user("look")
    agent.assistant("found")
    session.tool_result("t4", "found", structured={"agentId": "a1", "status": "completed"})
    session.user([image("iVBORw0KGgo=")])
    session.queue("enqueue", "and then this")
    session.system("api_error", level="error", error={"message": "overloaded", "status": 529})
    session.compact("what was said")
    session.assistant("The end.", stop="end_turn", isApiErrorMessage=True, error="overloaded")
    session.exit()
    return session


def _samples() -> Session:
    """Builds a session with a line of every record type, each with an id and a time of its own."""
    session = Session(_IDS[1])
    for line in sample_lines():
        known = {name: value for name, value in line.items() if name not in _ENVELOPE}
        own = {"uuid": session.ids.uuid(), "timestamp": session.clock.tick(), "sessionId": session.id}
        session.add({**known, **own})
    return session


def _run() -> Run:
    run = Run(_IDS[2])
    run.init()
    run.user("go")
    run.assistant(tool_use("Bash", {"command": "make"}, id="t1"))
    run.ask("t1", "Bash", {"command": "make"})
    run.answer("deny")
    run.assistant("done")
    run.event("message_start", message={"id": "m"})
    run.result("failed", subtype="error_during_execution", is_error=True)
    return run


def _flat() -> Flat:
    flat = Flat()
    flat.start(_IDS[3])
    flat.text("flat words")
    flat.tool_use("t1", "Bash", {"command": "ls"})
    flat.tool_result("t1", "a.py")
    flat.permission_request("May I?", tool="Bash")
    flat.error("overloaded", "try again")
    flat.result(_IDS[3])
    return flat


def _decisions() -> bytes:
    states = (("approved", "Ann"), ("denied", None))
    return b"".join(
        encode({"type": "decision", "request": state, "state": state, "tool": "Bash", "title": "ls", "approver": who})
        for state, who in states
    )


def _held() -> dict[str, object]:
    try:
        return json.loads((_ROOT / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
