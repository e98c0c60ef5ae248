"""What was true at one moment of a conversation, and how it differs from the moment before.

`panel_of` in `panel_of_fold.py` says what a panel is. A `PanelChange` has only the groups that changed, so that the
states of a long conversation take little room.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, structs

from chorus.core.conversation.tokens import Tokens

_GROUPS = ("work", "spent", "calls", "agents", "waits")
"""The groups that a change replaces as a whole."""


class PanelWork(Struct, frozen=True, kw_only=True):
    """What the main agent is doing, and how it is set."""

    status: str
    """The value of a `Status`."""
    model: str | None = None
    """The model of the main agent's last answer."""
    permission_mode: str | None = None


class PanelSpent(Struct, frozen=True, kw_only=True):
    """What was used so far. History that a fork copied is included."""

    tokens: Tokens
    is_lower_bound: bool = False
    """Whether the real tokens and cost may be higher."""
    cost_usd: float | None = None
    """The computed cost of everything that has a price; None if nothing has."""
    why_no_cost: str | None = None
    """Why the cost, or a part of it, is unknown."""
    context_tokens: int | None = None
    """How many tokens the context of the main agent's last answer had; None if that is not known."""
    context_window: int | None = None
    """How many tokens fit into the context window of the model."""


class PanelTodo(Struct, frozen=True, kw_only=True):
    """An entry of the to-do list or of the task list."""

    text: str
    status: str
    """`pending`, `in_progress`, `completed`, or another word of the client."""


class PanelFile(Struct, frozen=True, kw_only=True):
    """A file that calls wrote."""

    path: str
    versions: int
    """How many finished calls wrote it. In a change, 0 removes the file from the list."""
    call: str
    """The id of the last of these calls."""
    time: str | None
    """When that call ended."""


class PanelCall(Struct, frozen=True, kw_only=True):
    """A call without its result."""

    id: str
    name: str
    thread: str
    """The sub-agent that made the call; "" for the main agent."""
    time: str | None
    """When it began."""


class PanelAgent(Struct, frozen=True, kw_only=True):
    """A sub-agent at work."""

    id: str
    kind: str
    description: str
    call: str | None
    """The call that started it."""


class PanelWait(Struct, frozen=True, kw_only=True):
    """Somebody who waits for somebody else."""

    kind: Literal["permission", "question", "plan", "prompt", "agent"]
    """What is awaited: a decision, an answer, a verdict about a plan, the next prompt, or the end of a sub-agent."""
    who: str
    """The thread that waits; "" for the main agent."""
    whom: str
    """"person", or the id of a sub-agent."""
    what: str
    """The name of the tool, or of the sub-agent; "" for a prompt."""
    call: str | None
    """The call that waits."""
    since: str | None
    """Since when."""


class Panel(Struct, frozen=True, kw_only=True):
    """The state of a conversation at one moment."""

    work: PanelWork = PanelWork(status="idle")
    spent: PanelSpent = PanelSpent(tokens=Tokens())
    todos: tuple[PanelTodo, ...] = ()
    todos_left_out: int = 0
    """How many further entries the list has."""
    files: tuple[PanelFile, ...] = ()
    """Sorted by path."""
    calls: tuple[PanelCall, ...] = ()
    agents: tuple[PanelAgent, ...] = ()
    waits: tuple[PanelWait, ...] = ()


class PanelChange(Struct, frozen=True, kw_only=True):
    """The groups of a panel that changed at a moment; None for a group that did not."""

    moment: int
    """The number of the moment."""
    work: PanelWork | None = None
    spent: PanelSpent | None = None
    todos: tuple[PanelTodo, ...] | None = None
    todos_left_out: int = 0
    """Belongs to `todos`."""
    files: tuple[PanelFile, ...] | None = None
    """Only the files that changed. The others stay as they were."""
    calls: tuple[PanelCall, ...] | None = None
    agents: tuple[PanelAgent, ...] | None = None
    waits: tuple[PanelWait, ...] | None = None


def changed(panel: Panel, changes: Iterable[PanelChange]) -> Panel:
    """Returns the panel after changes, given in order."""
    values: dict[str, object] = {}
    files = {file.path: file for file in panel.files}
    for change in changes:
        for name in _GROUPS:
            if (value := getattr(change, name)) is not None:
                values[name] = value
        if change.todos is not None:
            values |= {"todos": change.todos, "todos_left_out": change.todos_left_out}
        for file in change.files or ():
            files[file.path] = file
    shown = tuple(files[path] for path in sorted(files) if files[path].versions)
    return structs.replace(panel, **values, files=shown)
