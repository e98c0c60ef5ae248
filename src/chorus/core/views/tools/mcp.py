"""The view of MCP tools: `mcp__server__tool`. Each server defines its own inputs and results."""

from chorus.core.conversation.tool_facts import MCP_PREFIX
from chorus.core.views.tools.call import MadeCall, View
from chorus.core.views.tools.fallback import fallback


def mcp(call: MadeCall) -> View:
    """Shows the names of the server and the tool, and the rest like the fallback view."""
    server, _, tool = call.name.removeprefix(MCP_PREFIX).partition("__")
    shown = fallback(call)
    return View(shown.title, shown.asked, shown.given, label=f"{server} › {tool}" if tool else server)
