"""Lines of session files: a chain of user, assistant, system and attachment lines, and facts outside the chain."""

from typing import Any

from chorus.testing.builders import blocks
from chorus.testing.builders.blocks import Block
from chorus.testing.builders.lines import CWD, MODEL, SESSION_ID, Clock, Ids, Line, Script, model_message, usage


class Session(Script):
    """One session file. Chain lines get `uuid`, `parentUuid` and an advancing time; `**more` adds or replaces fields.

    `version` only sets the version field of the lines: a test chooses the shape of lines by the methods that it calls.
    """

    def __init__(
        self,
        session_id: str = SESSION_ID,
        *,
        version: str = "2.1.150",
        cwd: str = CWD,
        branch: str = "main",
        slug: str | None = None,
        model: str = MODEL,
        clock: Clock | None = None,
        ids: Ids | None = None,
    ) -> None:
        super().__init__()
        self.id = session_id
        self.version = version
        self.cwd = cwd
        self.branch = branch
        self.slug = slug
        self.model = model
        self.clock = clock or Clock()
        self.ids = ids or Ids(session_id)
        self.leaf: str | None = None
        """The uuid that becomes the parent of the next chain line; set it to start a branch."""
        self.agents: list[Agent] = []
        """The sub-agents, in the order in which they were started."""

    def user(self, content: str | list[Block], **more: Any) -> Line:
        """Adds a user line: what a person typed, or any other `content`."""
        return self.chain("user", message={"role": "user", "content": content}, **more)

    def assistant(
        self,
        *content: str | Block,
        stop: str | None = None,
        message_id: str | None = None,
        tokens: dict[str, Any] | None = None,
        **more: Any,
    ) -> list[Line]:
        """Adds a message of the model: one line for each block, all with the same id and usage."""
        message = model_message(self.model, message_id or self.ids.message(), stop, tokens or usage())
        request = self.ids.request()
        return [
            self.chain("assistant", message={**message, "content": [block]}, **{"requestId": request, **more})
            for block in blocks.blocks_of(content)
        ]

    def tool_result(
        self, call: str, content: Any = "", *, is_error: bool | None = None, structured: Any = None, **more: Any
    ) -> Line:
        """Adds the result of `call`: the content for the model and, if given, the tool's structured result."""
        if structured is not None:
            more = {"toolUseResult": structured, **more}
        return self.user([blocks.tool_result(call, content, is_error=is_error)], **more)

    def attachment(self, kind: str, **fields: Any) -> Line:
        """Adds information that the client gave to the model outside the messages."""
        return self.chain("attachment", attachment={"type": kind, **fields})

    def progress(self, kind: str, call: str, **data: Any) -> Line:
        """Adds the progress of a tool or hook (clients 2.1.12 to 2.1.69)."""
        return self.chain("progress", data={"type": kind, **data}, toolUseID=f"{kind}_{call}", parentToolUseID=call)

    def progress_agent(self, agent: str, call: str, line: Line, *, prompt: str = "") -> Line:
        """Adds a sub-agent's line that is embedded in the main file."""
        embedded = {name: line[name] for name in ("type", "message", "uuid", "timestamp", "requestId") if name in line}
        return self.progress("agent_progress", call, agentId=agent, prompt=prompt, message=embedded)

    def system(self, subtype: str, **fields: Any) -> Line:
        return self.chain("system", subtype=subtype, **fields)

    def compact(self, summary: str, *, trigger: str = "auto", pre_tokens: int = 150_000) -> Line:
        """Adds a compaction: the boundary (a new root), then the summary that replaces everything before it."""
        before, self.leaf = self.leaf, None
        boundary = self.system(
            "compact_boundary",
            content="Context was compacted",
            level="info",
            isMeta=False,
            logicalParentUuid=before,
            compactMetadata={"trigger": trigger, "preTokens": pre_tokens},
        )
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        return boundary

    def summary(self, words: str, *, leaf: str | None = None) -> Line:
        """Adds a title as old clients wrote it, for the thread that ends at `leaf`."""
        return self.add({"type": "summary", "summary": words, "leafUuid": leaf or self.leaf})

    def title(self, words: str) -> Line:
        return self.fact("custom-title", customTitle=words)

    def queue(self, operation: str, content: str | list[Block] | None = None, **more: Any) -> Line:
        """Adds a step of the input queue: `enqueue`, `dequeue`, `remove` or `popAll`."""
        fields = {"operation": operation, "timestamp": self.clock.tick(), **more}
        return self.fact("queue-operation", **(fields if content is None else {**fields, "content": content}))

    def notified(
        self, task: str, status: str = "completed", *, call: str | None = None, words: str = "It ended"
    ) -> str:
        """Returns the text with which a client reports that a background task ended."""
        named = f"<tool-use-id>{call}</tool-use-id>\n" if call else ""
        return (
            f"<task-notification>\n<task-id>{task}</task-id>\n{named}<output-file>/tmp/{task}.output</output-file>\n"
            f"<status>{status}</status>\n<summary>{words}</summary>\n</task-notification>"
        )

    def exit(self, cost: float = 0.25) -> Line:
        """Adds the totals that newer clients write when they exit."""
        return self.fact("cost-state", totalCostUSD=cost, modelUsage={})

    def snapshot(self, files: dict[str, Any] | None = None, *, is_update: bool = False) -> Line:
        """Adds a `file-history-snapshot` for the message at the leaf."""
        message = self.leaf or self.ids.uuid()
        content = {"messageId": message, "trackedFileBackups": files or {}, "timestamp": self.clock.tick()}
        return self.add(
            {"type": "file-history-snapshot", "messageId": message, "snapshot": content, "isSnapshotUpdate": is_update}
        )

    def fact(self, kind: str, **fields: Any) -> Line:
        """Adds a line outside the chain, without uuid and parent."""
        return self.add({"type": kind, **fields, "sessionId": self.id})

    def chain(self, kind: str, **fields: Any) -> Line:
        """Adds a line of the chain; its parent is the leaf."""
        line: Line = {
            "parentUuid": self.leaf,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": self.version,
            "gitBranch": self.branch,
            **({"slug": self.slug} if self.slug else {}),
            "type": kind,
            **fields,
        }
        line.setdefault("uuid", self.ids.uuid())
        line.setdefault("timestamp", self.clock.tick())
        self.leaf = line["uuid"]
        return self.add(line)

    def agent(self, agent_id: str, call: str, *, kind: str = "general-purpose", description: str = "Look") -> "Agent":
        """Returns a builder for a sub-agent started by `call`; `lay_out` writes its lines too."""
        started = Agent(self, agent_id, call, kind=kind, description=description)
        self.agents.append(started)
        return started


class Agent(Session):
    """The thread of a sub-agent: has the session's id, clock and ids, but its own chain."""

    def __init__(self, of: Session, agent_id: str, call: str, *, kind: str, description: str) -> None:
        super().__init__(
            of.id,
            version=of.version,
            cwd=of.cwd,
            branch=of.branch,
            slug=of.slug,
            model=of.model,
            clock=of.clock,
            ids=of.ids,
        )
        self.agent_id = agent_id
        self.call = call
        self.kind = kind
        self.description = description

    @property
    def meta(self) -> dict[str, Any]:
        """The content of the `.meta.json` file that newer clients write next to the thread."""
        return {"agentType": self.kind, "description": self.description, "toolUseId": self.call, "spawnDepth": 1}

    def chain(self, kind: str, **fields: Any) -> Line:
        return super().chain(kind, **{"isSidechain": True, "agentId": self.agent_id, **fields})
