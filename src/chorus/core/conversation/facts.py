"""What single records say about the whole session: folder, branch, versions, mode, tools, titles, totals."""

import msgspec

from chorus.core.conversation import agents, calls, lifecycle, messages, naming, notices, status, threads, turns
from chorus.core.conversation.fold_context import Line
from chorus.core.conversation.items import MAIN, McpServer, ModeChange
from chorus.core.conversation.plausibility import doubt_cost
from chorus.core.records.model import Value, session, system
from chorus.core.records.model.base import is_present
from chorus.core.records.model.turns import User

_patch = msgspec.json.Decoder(system.TaskPatch)


def envelope(line: Line) -> None:
    """The facts that ride on every line. A stream repeats them endlessly, so only its changes are looked at."""
    value, stream = line.value, line.stream
    if value.version and value.version != stream.version:
        stream.version = value.version
        naming.saw_version(line, value.version)
    if value.cwd and value.cwd != stream.cwd:
        stream.cwd = value.cwd
        if line.agent == MAIN and line.first("cwd", value.cwd):
            line.state.session.cwd = value.cwd
            line.touched = True
    if value.gitBranch and value.gitBranch != stream.branch:
        stream.branch = value.gitBranch
        if line.agent == MAIN:
            _set_latest(line, "git_branch", value.gitBranch)
    if value.slug and value.slug != stream.slug:
        stream.slug = value.slug
        _set_latest(line, "slug", value.slug)
    if isinstance(value, User) and value.permissionMode:
        mode(line, value.permissionMode)
    if line.state.summaries and value.uuid in line.state.summaries:
        for _, text in line.state.summaries.pop(value.uuid):
            naming.title(line, "summary", text)


def mode(line: Line, permission_mode: str | None) -> None:
    """The permission mode; each change within a stream is an item."""
    if permission_mode and permission_mode != line.stream.mode:
        line.stream.mode = permission_mode
        _set_latest(line, "permission_mode", permission_mode)
        name = "mode:" + line.id
        if line.leads(name):
            line.changes.append(
                ModeChange(id=name, order=line.order, agent=line.agent, mode=permission_mode, time=line.time)
            )


def system_line(line: Line, value: system.System) -> None:
    """A `system` line of any subtype."""
    match value.subtype:
        case "init":
            _init(line, value)
        case "compact_boundary":
            notices.compaction(line, value)
            return
        case "turn_duration":
            if messages.claim(line, 0, None):
                turns.duration(line, value)
                threads.passes(line)
            return
        case "status":
            mode(line, value.permissionMode)
        case "session_state_changed":
            status.client_says(line, value.state)
        case "permission_denied":
            calls.denied(line, value.tool_use_id)
        case "session_title_changed":
            naming.title(line, "ai", value.title)
        case "api_error" | "api_retry":
            if line.agent == MAIN:
                status.is_thinking(line)
                if value.subtype == "api_retry":
                    line.stream.retried = line.stream.retried or line.order
        case "hook_started" | "hook_response":
            if value.hook_event == status.END_EVENT:
                status.client_left(line)
        case "worker_shutting_down":
            status.client_left(line)
        case "task_started" | "task_progress" | "task_notification" | "task_updated":
            _task(line, value)
    notices.note(line)


def _init(line: Line, value: system.System) -> None:
    if value.tools is not None:
        _set_latest(line, "tools", tuple(value.tools))
    if value.mcp_servers is not None:
        servers = [_server(server) for server in value.mcp_servers]
        _set_latest(line, "mcp_servers", tuple(servers))
    if value.apiKeySource:
        _set_latest(line, "api_key_source", value.apiKeySource)
    if value.claude_code_version and value.claude_code_version != line.stream.version:
        line.stream.version = value.claude_code_version
        naming.saw_version(line, value.claude_code_version)
    if value.model:
        naming.saw_model(line, value.model)
    mode(line, value.permissionMode)


def _server(server: system.McpServer | str) -> McpServer:
    """Clients list a server as an object; the oldest descriptions as a name."""
    return McpServer(server) if isinstance(server, str) else McpServer(server.name or "", server.status)


def _task(line: Line, value: system.System) -> None:
    """A sub-agent at work; background commands have task lines as well, and are not agents."""
    task = value.task_id
    if task is None or value.task_type not in (None, "local_agent"):
        return
    if value.subtype == "task_started":
        agents.describe(
            line,
            task,
            type=value.subagent_type,
            description=value.description,
            depth=value.spawn_depth,
            is_background=value.is_backgrounded or None,
        )
        if value.tool_use_id:
            agents.link(line, task, value.tool_use_id)
        lifecycle.say(line, task, lifecycle.RUNNING)
    elif value.subtype == "task_notification":
        lifecycle.say(line, task, value.status)
    elif value.subtype == "task_updated" and is_present(value.patch):
        try:
            lifecycle.say(line, task, _patch.decode(value.patch).status)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return


def summary(line: Line, value: session.Summary) -> None:
    """A title for the thread that ends at `leafUuid`, which may be part of another conversation."""
    if not value.summary:
        return
    text, leaf = value.summary[: naming.TITLE_CHARS], value.leafUuid
    if leaf is None or leaf in line.state.lines or leaf in line.state.anchors:
        naming.title(line, "summary", text)
    else:
        line.state.summaries.setdefault(leaf, []).append((line.order, text))
    notices.note(line)


def session_record(line: Line, value: Value) -> None:
    """Lines of session files that state one fact."""
    match value:
        case session.CustomTitle():
            naming.title(line, "custom", value.customTitle)
        case session.AiTitle():
            naming.title(line, "ai", value.aiTitle)
        case session.PermissionMode():
            mode(line, value.permissionMode)
        case session.CostState():
            if value.totalCostUSD is not None and not doubt_cost(value.totalCostUSD):
                _set_latest(line, "state_cost_usd", value.totalCostUSD)
            status.client_left(line)
    notices.note(line)


def _set_latest(line: Line, fact: str, value: object) -> None:
    """The session's `fact` is what the latest statement in the order says."""
    if line.latest(fact, value):
        setattr(line.state.session, fact, value)
        line.touched = True
