"""What Chorus knows about each tool of the client, in one table.

Only this table and the view of a tool know it by its name. The facts travel with the call (`core/views/rows.py`), so
the page needs no table of its own. A tool that is not listed gets `UNKNOWN`, a tool of an MCP server `MCP`.
"""

from typing import Literal

from msgspec import Struct

ToolKind = Literal["reader", "editor", "command", "question", "plan", "agent", "todo", "other"]
"""What a tool does: reads, changes files, runs a command, asks a person, proposes a plan, starts a sub-agent, …"""
ToolIcon = Literal[
    "agent", "command", "edit", "file", "files", "list", "map", "output", "plug", "question", "search", "send", "skill",
    "tool", "web",
]  # fmt: skip
"""The picture in front of a call. The page maps each of these to one of its icons."""
MCP_PREFIX = "mcp__"
PLAN_TOOL = "ExitPlanMode"
"""The tool by which the present client proposes a plan."""


class ToolFacts(Struct, frozen=True):
    """What is known about a tool, whatever it was called with."""

    kind: ToolKind = "other"
    icon: ToolIcon = "tool"
    title_is_path: bool = False
    """Whether the title of its calls is a path or a pattern, and no prose."""
    starts_work: bool = False
    """Whether a call may start something that continues in the background."""
    reaches_network: bool = False
    """Whether a call reaches the network by its nature. A command may as well, depending on what it runs."""
    path_fields: tuple[str, ...] = ("file_path", "notebook_path", "path")
    """The fields of its input that name files."""
    works_in_folder: bool = False
    """Whether a call without a path is about the whole folder that the agent works in."""
    names_agent: bool = False
    """Whether the title of a call may be the name of a sub-agent, which the call only knows by its id."""

    @property
    def waits_for_person(self) -> bool:
        """Whether a call waits for a person by its nature."""
        return self.kind in ("question", "plan")

    @property
    def opens_by_itself(self) -> bool:
        """Whether a reader sees the call unfolded: it is words to or from a person, and no work to look into."""
        return self.kind in ("question", "plan")


TOOLS: dict[str, ToolFacts] = {
    "Agent": ToolFacts("agent", "agent", starts_work=True),
    "AskUserQuestion": ToolFacts("question", "question"),
    "Bash": ToolFacts("command", "command", starts_work=True),
    "BashOutput": ToolFacts("reader", "output", names_agent=True),
    "Edit": ToolFacts("editor", "edit", title_is_path=True),
    PLAN_TOOL: ToolFacts("plan", "map"),
    "Glob": ToolFacts("reader", "files", title_is_path=True, path_fields=("path", "pattern"), works_in_folder=True),
    "Grep": ToolFacts("reader", "search", title_is_path=True, path_fields=("path", "glob"), works_in_folder=True),
    "KillShell": ToolFacts(icon="output", names_agent=True),
    "LS": ToolFacts("reader", "files", title_is_path=True, works_in_folder=True),
    "LSP": ToolFacts("reader"),
    "Monitor": ToolFacts(starts_work=True),
    "MultiEdit": ToolFacts("editor", "edit", title_is_path=True),
    "NotebookEdit": ToolFacts("editor", "edit", title_is_path=True),
    "NotebookRead": ToolFacts("reader", "file"),
    "PowerShell": ToolFacts("command", "command", starts_work=True),
    "Read": ToolFacts("reader", "file", title_is_path=True),
    "SendMessage": ToolFacts(icon="send", names_agent=True),
    "Skill": ToolFacts(icon="skill"),
    "Task": ToolFacts("agent", "agent", starts_work=True),
    "TaskCreate": ToolFacts("todo", "list"),
    "TaskGet": ToolFacts("todo", "list"),
    "TaskList": ToolFacts("todo", "list"),
    "TaskOutput": ToolFacts("reader", "output", names_agent=True),
    "TaskStop": ToolFacts(icon="output", names_agent=True),
    "TaskUpdate": ToolFacts("todo", "list"),
    "TodoWrite": ToolFacts("todo", "list"),
    "ToolSearch": ToolFacts("reader", "search"),
    "WebFetch": ToolFacts("reader", "web", reaches_network=True),
    "WebSearch": ToolFacts("reader", "web", reaches_network=True),
    "Workflow": ToolFacts(starts_work=True),
    "Write": ToolFacts("editor", "edit", title_is_path=True),
    "exit_plan_mode": ToolFacts("plan", "map"),
}
"""The tools of all clients that were seen, by the name with which the model calls them."""
UNKNOWN = ToolFacts()
MCP = ToolFacts(icon="plug", reaches_network=True)


def facts_of(name: str) -> ToolFacts:
    """The facts about the tool of this name; every name has some."""
    return TOOLS.get(name) or (MCP if name.startswith(MCP_PREFIX) else UNKNOWN)


def is_foreign(name: str) -> bool:
    """Whether a server that a person connected carries the call out: it may do anything."""
    return name.startswith(MCP_PREFIX)


def kind_of(name: str) -> ToolKind:
    """What the tool of this name does."""
    return facts_of(name).kind
