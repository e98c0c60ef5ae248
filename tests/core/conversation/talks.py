"""Random conversations over several streams, for the properties of the fold."""

from collections.abc import Iterator
from random import Random
from typing import Any

from chorus.core.conversation.conversation import Conversation
from chorus.core.conversation.fold import Fold
from chorus.core.records.model.session import AgentMetadata
from chorus.core.records.place import StreamId
from chorus.core.records.record import Dialect, Record
from chorus.core.records.split import Splitter
from chorus.testing.builders import Flat, Run, Session, encode_all, text, thinking, tool_use

TOOLS = ("Bash", "Read", "Edit", "Write", "Grep", "TodoWrite", "ExitPlanMode", "mcp__box__open")

REFUSAL = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)
"""What the client tells the model when a person said no."""


class Talk:
    """A random session: a session file, the stdout of its runs, a host's stdin, and files of sub-agents."""

    def __init__(self, seed: int, steps: int = 12) -> None:
        self.random = Random(seed)
        self.file = Session()
        self.stdout = Run(ids=self.file.ids)
        self.stdin = Run(ids=self.file.ids)
        self.flat = Flat()
        self.noise: list[bytes] = []
        self.cost = 0.0
        if self.random.random() < 0.8:
            self.stdout.init()
        for _ in range(steps):
            self.random.choice(STEPS)(self)

    def mirror(self, line: dict[str, Any], *, timed: bool = True, **more: Any) -> None:
        """Adds the same line to stdout in most cases, with the same uuid and provisional values, but without links."""
        if self.random.random() < 0.2:
            return
        shown = {"type": line["type"], "session_id": self.file.id, "uuid": line["uuid"], "message": line["message"]}
        message = shown["message"]
        if line["type"] == "assistant":
            shown["message"] = {**message, "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
        if "toolUseResult" in line:
            shown["tool_use_result"] = line["toolUseResult"]
        if timed:
            shown["timestamp"] = line["timestamp"]
        self.stdout.add({**shown, "parent_tool_use_id": None, **more})

    def streams(self) -> dict[str, list[Record]]:
        """Returns the records of every stream, in the order of the stream."""
        found = {
            "main.jsonl": read("main.jsonl", bytes(self.file)),
            "stdout.jsonl": read("stdout.jsonl", bytes(self.stdout) + b"".join(self.noise)),
            "stdin.jsonl": read("stdin.jsonl", bytes(self.stdin)),
            "wrapper.jsonl": read("wrapper.jsonl", bytes(self.flat)),
        }
        for agent in self.file.agents:
            name = f"agent-{agent.agent_id}.jsonl"
            found[name] = read(name, encode_all(agent.lines))
            if self.random.random() < 0.7:
                finished = self.random.choice((None, True, False))
                value = AgentMetadata(
                    agentId=agent.agent_id, toolUseId=agent.call, description="from the sidecar", finished=finished
                )
                stream = StreamId(name.replace(".jsonl", ".meta.json"))
                found[stream] = [Record(stream, 0, b"{}", b"", value, "agent_metadata", "", Dialect.SESSION)]
        return {name: records for name, records in found.items() if records}


def read(stream: str, data: bytes) -> list[Record]:
    splitter = Splitter(StreamId(stream))
    return [piece for piece in (*splitter.feed(data), *splitter.close()) if isinstance(piece, Record)]


def folded(records: list[Record], *, cuts: frozenset[int] = frozenset()) -> Conversation:
    """Returns the conversation of the records; at each cut, the fold is written to bytes and read back."""
    fold = Fold("s")
    conversation = Conversation("s")
    for n, record in enumerate(records):
        if n in cuts:
            restored = Fold.restore(fold.dump())
            assert restored is not None
            assert restored.dump() == fold.dump()
            fold = restored
        conversation.apply(fold.feed(record))
    return conversation


def interleaved(streams: dict[str, list[Record]], random: Random) -> Iterator[Record]:
    """Yields all records in a random order that keeps the order of each stream."""
    left = {name: list(reversed(records)) for name, records in streams.items()}
    while left:
        name = random.choice(sorted(left))
        for _ in range(random.choice((1, 1, 1, 5, 50))):
            if left[name]:
                yield left[name].pop()
        if not left[name]:
            del left[name]


def _prompt(talk: Talk) -> None:
    words = talk.random.choice(
        ("fix it", "<command-name>/cost</command-name>", "and now?", "[Request interrupted by user]")
    )
    line = talk.file.user(words, permissionMode=talk.random.choice(("default", "plan", "acceptEdits")))
    if talk.random.random() < 0.3:
        talk.mirror(line, isReplay=True)


def _answer(talk: Talk) -> None:
    content = [thinking("hm"), text("Let me see."), text("More.")][: talk.random.randint(1, 3)]
    stop = talk.random.choice((None, "end_turn"))
    talk.file.model = talk.stdout.model = talk.random.choice(("claude-test-1", "claude-test-2"))
    for line in talk.file.assistant(*content, stop=stop):
        talk.mirror(line, timed=talk.random.random() < 0.8)


def _stream(talk: Talk) -> None:
    """Adds a message that is seen while it is written; its full lines may follow in either stream."""
    message_id = talk.file.ids.message()
    events = talk.stdout.streamed("Wor", "king", message_id=message_id)
    if talk.random.random() < 0.7:
        for line in talk.file.assistant("Working", message_id=message_id, stop="end_turn"):
            talk.mirror(line)
    if talk.random.random() < 0.5 and events:
        talk.stdout.event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 33})


def _tools(talk: Talk) -> None:
    """Adds parallel calls, which get results in any order, and some of which get none."""
    ids = [talk.file.ids.tool() for _ in range(talk.random.randint(1, 3))]
    uses = [tool_use(talk.random.choice(TOOLS), {"file_path": f"/w/{call[-2:]}.py"}, id=call) for call in ids]
    for line in talk.file.assistant(*uses, stop=talk.random.choice((None, "tool_use"))):
        talk.mirror(line)
    for call in ids:
        if talk.random.random() < 0.3:
            talk.stdout.ask(call, "Bash", request="r" + call)
            if talk.random.random() < 0.7:
                talk.stdin.answer(talk.random.choice(("allow", "deny")), request="r" + call)
    talk.random.shuffle(ids)
    for call in ids[talk.random.randint(0, 1) :]:
        if talk.random.random() < 0.3:
            _decided(talk, call)
            continue
        line = talk.file.tool_result(call, "ok", is_error=talk.random.random() < 0.2, structured={"stdout": "ok"})
        talk.mirror(line)


def _decided(talk: Talk, call: str) -> None:
    """Adds a result with the decision about its call, in one of the forms that clients write."""
    source = talk.random.choice(("user_temporary", "user_reject", "hook", "config"))
    is_refused = talk.random.random() < 0.7
    decision = {"decision": "reject" if is_refused else "accept", "source": source}
    more: dict[str, Any] = talk.random.choice(
        (
            {"permissionDecision": decision},
            {"toolDenialKind": "user-rejected"} if is_refused else {},
            {"tool_result_meta": [{"id": call, "permission_decision": decision}]},
            {},
        )
    )
    words = REFUSAL if is_refused else "ok"
    line = talk.file.tool_result(call, words, is_error=is_refused, structured=f"Error: {words}", **more)
    talk.mirror(line)
    if talk.random.random() < 0.2:
        talk.stdout.system("permission_denied", tool_name="Bash", tool_use_id=call, message="no")
    elif talk.random.random() < 0.2:
        talk.stdout.result("Done.", permission_denials=[{"tool_name": "Bash", "tool_use_id": call}])


def _agent(talk: Talk) -> None:
    """Adds a sub-agent: its file, its lines in progress records, and its lines on stdout by call or by id."""
    call, agent_id = talk.file.ids.tool(), f"a{talk.random.randrange(10**6):06d}"
    name = talk.random.choice(("Agent", "Task"))
    for line in talk.file.assistant(tool_use(name, {"prompt": f"look {agent_id}", "description": "d"}, id=call)):
        talk.mirror(line)
    if talk.random.random() < 0.6:
        talk.stdout.task("started", agent_id, call)
    agent = talk.file.agent(agent_id, call)
    lines = [agent.user(f"look {agent_id}"), *agent.assistant(thinking("t"), tool_use("Read", {}, id=call + "r"))]
    lines += [agent.tool_result(call + "r", "seen"), *agent.assistant("found", stop="end_turn")]
    known_by_id = talk.random.random() < 0.5
    for line in lines:
        by_id = {"agent_id": agent_id} if known_by_id else {}
        talk.mirror(line, timed=True, parent_tool_use_id=call, **by_id)
        if talk.random.random() < 0.3:
            talk.file.progress_agent(agent_id, call, line)
    if talk.random.random() < 0.3:
        agent.lines.clear()
    if talk.random.random() < 0.8:
        line = talk.file.tool_result(call, "report", structured={"agentId": agent_id, "status": "completed"})
        talk.mirror(line)
        talk.stdout.task("notification", agent_id, call, status="completed")


def _background_agent(talk: Talk) -> None:
    """Adds a sub-agent in the background; one of several kinds of records reports its end, or none does."""
    call, agent_id = talk.file.ids.tool(), f"b{talk.random.randrange(10**6):06d}"
    for line in talk.file.assistant(tool_use("Agent", {"prompt": f"watch {agent_id}"}, id=call)):
        talk.mirror(line)
    agent = talk.file.agent(agent_id, call)
    agent.user(f"watch {agent_id}")
    agent.assistant("watched", stop="end_turn")
    launched = {"agentId": agent_id, "status": "async_launched", "isAsync": True}
    talk.mirror(talk.file.tool_result(call, "Async agent launched successfully.", structured=launched))
    if talk.random.random() < 0.3:
        talk.stdout.task("started", agent_id, call, is_backgrounded=True)
    if talk.random.random() < 0.3:
        _resume(talk, agent_id)
    status = talk.random.choice(("completed", "failed", "killed", "stopped"))
    words = talk.file.notified(agent_id, status, call=talk.random.choice((None, call)))
    talk.random.choice(
        (
            lambda: talk.mirror(talk.file.user(words, origin={"kind": "task-notification"})),
            lambda: talk.file.queue("enqueue", words),
            lambda: talk.file.attachment("queued_command", prompt=words, commandMode="task-notification"),
            lambda: talk.stdout.task("notification", agent_id, call, status=status),
            lambda: talk.stdout.system("task_updated", task_id=agent_id, patch={"status": status}),
            lambda: talk.file.attachment("task_status", taskId=agent_id, status=status),
            lambda: None,
        )
    )()


def _resume(talk: Talk, agent_id: str) -> None:
    """Adds a message that wakes a sub-agent; the later lines of the sub-agent belong to this message."""
    call = talk.file.ids.tool()
    for line in talk.file.assistant(tool_use("SendMessage", {"to": agent_id, "message": "go on"}, id=call)):
        talk.mirror(line)
    told = {"success": True, "resumedAgentId": agent_id}
    talk.mirror(talk.file.tool_result(call, "Resuming agent", structured=told))
    for agent in talk.file.agents:
        if agent.agent_id == agent_id:
            agent.user("The coordinator sent a message: go on")
            agent.assistant("went on", stop="end_turn")


def _queue(talk: Talk) -> None:
    """Adds queued words and what becomes of them; the client may or may not record each step."""
    words = talk.random.choice(("and then?", "go on", '{"task_id":"b1","task_type":"local_bash"}'))
    talk.file.queue("enqueue", words)
    if talk.random.random() < 0.5:
        talk.file.queue(talk.random.choice(("dequeue", "remove", "popAll")))
    if talk.random.random() < 0.4:
        talk.mirror(talk.file.user(words), isReplay=True)
    elif talk.random.random() < 0.4:
        talk.file.attachment("queued_command", prompt=words, commandMode="prompt")


def _wrapper(talk: Talk) -> None:
    """Adds flat events of a wrapper: an answer in fragments, other events between them, and perhaps the whole text."""
    call = talk.file.ids.tool()
    talk.flat.text("Let me ")
    talk.flat.tool_use(call, "Read", {"file_path": "/w/flat.py"})
    talk.random.choice(
        (
            lambda: talk.flat.event("permission_request", prompt="May I?", metadata={"tool": "Read"}),
            lambda: talk.flat.event("error", error={"type": "x", "message": "y"}),
            lambda: talk.flat.event("system", content="hm", level="error"),
        )
    )()
    talk.flat.tool_result(call, "read", is_error=talk.random.random() < 0.3)
    talk.flat.text("see.")
    if talk.random.random() < 0.6:
        talk.flat.assistant(talk.random.choice(("Let me see.", "see.", "Something else.")))
    if talk.random.random() < 0.3:
        talk.flat.event("result", sessionId="another", result={"stopReason": "end_turn"})


def _leave(talk: Talk) -> None:
    """Adds the end of the client; the session may continue later."""
    talk.random.choice(
        (
            talk.file.exit,
            lambda: talk.mirror(talk.file.user("<command-name>/exit</command-name>")),
            lambda: talk.stdout.system("hook_started", hook_event="SessionEnd"),
        )
    )()


def _turn(talk: Talk) -> None:
    talk.cost += 0.25
    talk.stdout.result("Done.", cost=talk.cost, subtype=talk.random.choice(("success", "error_max_turns")))


def _facts(talk: Talk) -> None:
    talk.random.choice(
        (
            lambda: talk.file.title("a name"),
            lambda: talk.file.summary("an old name"),
            lambda: talk.file.fact("permission-mode", permissionMode="plan"),
            lambda: talk.file.fact("cost-state", totalCostUSD=talk.cost),
            lambda: talk.file.fact("never-seen-before", depth={"a": 1}),
            lambda: talk.file.attachment("skill_listing", content="x"),
            lambda: talk.file.compact("what was said"),
            lambda: talk.file.system("microcompact_boundary", microcompactMetadata={"trigger": "auto", "preTokens": 9}),
            lambda: talk.file.assistant("cut of", isAbortedMidStream=True),
            lambda: talk.file.queue("enqueue", "next"),
            lambda: talk.file.queue("dequeue"),
            lambda: talk.file.system("turn_duration", durationMs=5),
            lambda: [talk.file.system("api_error", error={"status": 529}, retryAttempt=n) for n in (1, 2)],
            lambda: talk.stdout.system("api_retry", error="overloaded", attempt=1),
            lambda: talk.stdout.init(permissionMode="acceptEdits"),
            lambda: talk.stdout.system("session_state_changed", state="running"),
            lambda: talk.noise.append(b"not json at all\n"),
        )
    )()


def _rewind(talk: Talk) -> None:
    """Links the next line to an earlier one; the client may record this before the next line exists."""
    chain = [line["uuid"] for line in talk.file.lines if "parentUuid" in line]
    if chain:
        talk.file.leaf = talk.random.choice((None, *chain))
        if talk.random.random() < 0.5:
            talk.file.fact("last-prompt", lastPrompt="said", leafUuid=talk.file.leaf, explicit=True)


STEPS = (
    _prompt,
    _answer,
    _answer,
    _stream,
    _tools,
    _tools,
    _agent,
    _background_agent,
    _queue,
    _wrapper,
    _leave,
    _turn,
    _facts,
    _facts,
    _rewind,
)
