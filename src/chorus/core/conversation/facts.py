"""Facts about the whole session in single records: folder, branch, versions, mode, tools, titles, totals."""

import msgspec

from chorus.core.conversation import agents, calls, lifecycle, messages, naming, notices, status, threads, turns
from chorus.core.conversation.fold_context import FoldContext
from chorus.core.conversation.items import MAIN, McpServer, ModeChange
from chorus.core.conversation.plausibility import doubt_cost
from chorus.core.records.model import Value, session, system
from chorus.core.records.model.base import is_present
from chorus.core.records.model.turns import User

_NO_BRANCH = "HEAD"
"""What clients write where no branch is checked out, also in folders without git."""
_patch = msgspec.json.Decoder(system.TaskPatch)


def envelope(context: FoldContext) -> None:
    """Reads the facts that every line repeats. Only changes within a stream are processed."""
    value, stream = context.value, context.stream
    if value.version and value.version != stream.version:
        stream.version = value.version
        if not context.is_beside:
            naming.add_version(context, value.version)
    if value.cwd and value.cwd != stream.cwd:
        stream.cwd = value.cwd
        if context.agent == MAIN and context.keep_first("cwd", value.cwd):
            context.state.session.cwd = value.cwd
            context.session_changed = True
    if value.gitBranch and value.gitBranch != stream.branch:
        stream.branch = value.gitBranch
        if context.agent == MAIN:
            _set_latest(context, "git_branch", None if value.gitBranch == _NO_BRANCH else value.gitBranch)
    if value.slug and value.slug != stream.slug:
        stream.slug = value.slug
        if not context.is_beside:
            _set_latest(context, "slug", value.slug)
    if isinstance(value, User) and value.permissionMode:
        mode(context, value.permissionMode)
    if context.state.summaries and value.uuid in context.state.summaries:
        for _, text in context.state.summaries.pop(value.uuid):
            naming.title(context, "summary", text)


def mode(context: FoldContext, permission_mode: str | None) -> None:
    """Sets the permission mode. Each change within a stream is an item."""
    if permission_mode and permission_mode != context.stream.mode:
        context.stream.mode = permission_mode
        if context.agent == MAIN:
            _set_latest(context, "permission_mode", permission_mode)
        name = "mode:" + context.id
        if context.is_first(name):
            context.changes.append(
                ModeChange(id=name, order=context.order, agent=context.agent, mode=permission_mode, time=context.time)
            )


def system_line(context: FoldContext, value: system.System) -> None:
    """Folds a `system` line of any subtype."""
    match value.subtype:
        case "init":
            _init(context, value)
        case "compact_boundary":
            notices.compaction(context, value)
            return
        case "turn_duration":
            if messages.claim(context, 0, None):
                turns.duration(context, value)
                threads.add_other_line(context)
            return
        case "status":
            mode(context, value.permissionMode)
        case "session_state_changed":
            status.client_reported(context, value.state)
        case "permission_denied":
            calls.denied(context, value.tool_use_id)
        case "session_title_changed":
            naming.title(context, "ai", value.title)
        case "api_error" | "api_retry":
            if context.agent == MAIN:
                status.set_thinking(context)
                if value.subtype == "api_retry":
                    context.stream.retried = context.stream.retried or context.order
        case "hook_started" | "hook_response":
            if value.hook_event == status.END_EVENT:
                status.client_left(context)
        case "worker_shutting_down":
            status.client_left(context)
        case "task_started" | "task_progress" | "task_notification" | "task_updated":
            _task(context, value)
    notices.note(context)


def _init(context: FoldContext, value: system.System) -> None:
    if value.tools is not None:
        _set_latest(context, "tools", tuple(value.tools))
    if value.mcp_servers is not None:
        servers = [_server(server) for server in value.mcp_servers]
        _set_latest(context, "mcp_servers", tuple(servers))
    if value.apiKeySource:
        _set_latest(context, "api_key_source", value.apiKeySource)
    if value.claude_code_version and value.claude_code_version != context.stream.version:
        context.stream.version = value.claude_code_version
        naming.add_version(context, value.claude_code_version)
    if value.model:
        naming.add_model(context, value.model)
    mode(context, value.permissionMode)


def _server(server: system.McpServer | str) -> McpServer:
    """Converts a server: clients list it as an object, the oldest ones as a name."""
    return McpServer(server) if isinstance(server, str) else McpServer(server.name or "", server.status)


def _task(context: FoldContext, value: system.System) -> None:
    """Registers the state of a sub-agent. Background commands have task lines as well, but are not agents."""
    task = value.task_id
    if task is None or value.task_type not in (None, "local_agent"):
        return
    if value.subtype == "task_started":
        agents.describe(
            context,
            task,
            type=value.subagent_type,
            description=value.description,
            depth=value.spawn_depth,
            is_background=value.is_backgrounded or None,
        )
        if value.tool_use_id:
            agents.link(context, task, value.tool_use_id)
        lifecycle.report_status(context, task, lifecycle.RUNNING)
    elif value.subtype == "task_notification":
        lifecycle.report_status(context, task, value.status)
    elif value.subtype == "task_updated" and is_present(value.patch):
        try:
            lifecycle.report_status(context, task, _patch.decode(value.patch).status)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return


def summary(context: FoldContext, value: session.Summary) -> None:
    """Registers a title for the thread that ends at `leafUuid`, which may be part of another conversation."""
    if not value.summary:
        return
    text, leaf = naming.plain(value.summary)[: naming.TITLE_CHARS], value.leafUuid
    if leaf is None or leaf in context.state.lines or leaf in context.state.anchors:
        naming.title(context, "summary", text)
    else:
        context.state.summaries.setdefault(leaf, []).append((context.order, text))
    notices.note(context)


def session_record(context: FoldContext, value: Value) -> None:
    """Folds a line of a session file that states one fact."""
    match value:
        case session.CustomTitle():
            naming.title(context, "custom", value.customTitle)
        case session.AiTitle():
            naming.title(context, "ai", value.aiTitle)
        case session.PermissionMode():
            mode(context, value.permissionMode)
        case session.CostState():
            if value.totalCostUSD is not None and not doubt_cost(value.totalCostUSD):
                _set_latest(context, "state_cost_usd", value.totalCostUSD)
            status.client_left(context)
    notices.note(context)


def _set_latest(context: FoldContext, fact: str, value: object) -> None:
    """Sets a fact of the session to its latest statement in the order."""
    if context.keep_latest(fact, value):
        setattr(context.state.session, fact, value)
        context.session_changed = True
