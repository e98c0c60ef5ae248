"""Tools of MCP servers: `mcp__server__tool`, whose inputs and results are their own."""

from chorus.core.conversation.tool_facts import MCP_PREFIX
from chorus.core.views.tools.call import Made, View
from chorus.core.views.tools.fallback import fallback


def mcp(call: Made) -> View:
    """The server and its tool by name, then what any tool shows."""
    server, _, tool = call.name.removeprefix(MCP_PREFIX).partition("__")
    shown = fallback(call)
    return View(shown.title, shown.asked, shown.given, label=f"{server} › {tool}" if tool else server)
