"""Converts tool calls to view blocks: one module per family of tools, and this table of all views."""

from msgspec import Raw

from chorus.core.conversation.items import ToolResult
from chorus.core.conversation.tool_facts import MCP_PREFIX
from chorus.core.records.model import tools as known
from chorus.core.records.model.base import is_present
from chorus.core.views import content
from chorus.core.views.blocks import SideFile
from chorus.core.views.tools import agent, ask, bash, edit, fallback, mcp, read, search, todo, web
from chorus.core.views.tools.call import MadeCall, Result, View, Viewer

VIEWS: dict[str, Viewer] = {
    "Bash": bash.bash,
    "PowerShell": bash.powershell,
    "BashOutput": bash.shell_output,
    "KillShell": bash.shell_output,
    "TaskOutput": bash.task_output,
    "TaskStop": bash.task_output,
    "Read": read.read,
    "Edit": edit.edit,
    "MultiEdit": edit.multi_edit,
    "Write": edit.write,
    "NotebookEdit": edit.notebook,
    "Grep": search.grep,
    "Glob": search.glob,
    "LS": search.listing,
    "ToolSearch": search.tool_search,
    "TodoWrite": todo.todo_write,
    "TaskCreate": todo.task_create,
    "TaskUpdate": todo.task_update,
    "TaskGet": todo.task_list,
    "TaskList": todo.task_list,
    "Agent": agent.agent,
    "Task": agent.agent,
    "SendMessage": agent.send_message,
    "Skill": agent.skill,
    "AskUserQuestion": ask.ask,
    "ExitPlanMode": ask.exit_plan_mode,
    "exit_plan_mode": ask.exit_plan_mode,
    "WebFetch": web.fetch,
    "WebSearch": web.search,
}
"""Maps the name of a tool to its view."""


def view(name: str, raw: Raw, result: ToolResult | None, side_file: SideFile | None) -> View:
    """Returns the view of a call with its result. Any tool name and any bytes have a view."""
    call = MadeCall(name=name, raw=raw, input=known.decode_input(name, raw), result=_result(name, result, side_file))
    viewer = VIEWS.get(name) or (mcp.mcp if name.startswith(MCP_PREFIX) else fallback.fallback)
    return viewer(call) or fallback.fallback(call)


def _result(name: str, found: ToolResult | None, side_file: SideFile | None) -> Result | None:
    if found is None:
        return None
    parts = content.parts_of(found.content)
    structured = known.decode_output(name, found.structured) if is_present(found.structured) else None
    return Result(
        text=content.text_of(parts), parts=parts, structured=structured, is_error=found.is_error, side_file=side_file
    )
