"""Inputs and outputs of the client's built-in tools.

A tool defines its own format and may change it. Use `decode_input` and `decode_output`, and be able to show the bytes
if they return None.
"""

from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from chorus.core.records.model.base import ABSENT
from chorus.core.records.model.prompt import Todo
from chorus.core.records.model.tool_results import OUTPUTS as OUTPUTS
from chorus.core.records.model.tool_results import AskUserQuestion


class Bash(Struct, kw_only=True):
    """Input of `Bash` and `PowerShell`."""

    command: str | None = None
    description: str | None = None
    timeout: float | None = None
    run_in_background: bool | None = None
    dangerouslyDisableSandbox: bool | None = None


class Read(Struct, kw_only=True):
    file_path: str | None = None
    offset: int | None = None
    limit: int | None = None
    pages: str | None = None
    allow_large: bool | None = None


class Edit(Struct, kw_only=True):
    file_path: str | None = None
    old_string: str | None = None
    new_string: str | None = None
    replace_all: bool | None = None


class MultiEdit(Struct, kw_only=True):
    file_path: str | None = None
    edits: list[Edit] | None = None


class Write(Struct, kw_only=True):
    file_path: str | None = None
    content: str | None = None


class NotebookEdit(Struct, kw_only=True):
    notebook_path: str | None = None
    cell_id: str | None = None
    new_source: str | None = None
    cell_type: str | None = None
    edit_mode: str | None = None


class Glob(Struct, kw_only=True):
    pattern: str | None = None
    path: str | None = None


class Grep(Struct, kw_only=True):
    pattern: str | None = None
    path: str | None = None
    glob: str | None = None
    type: str | None = None
    output_mode: str | None = None
    head_limit: int | None = None
    offset: int | None = None
    multiline: bool | None = None
    context: int | None = None
    before: int | None = field(name="-B", default=None)
    after: int | None = field(name="-A", default=None)
    around: int | None = field(name="-C", default=None)
    line_numbers: bool | None = field(name="-n", default=None)
    ignore_case: bool | None = field(name="-i", default=None)


class Path(Struct, kw_only=True):
    """Input of `LS`."""

    path: str | None = None
    ignore: list[str] | None = None


class Agent(Struct, kw_only=True):
    """Input of `Agent`, which older clients call `Task`."""

    description: str | None = None
    prompt: str | None = None
    subagent_type: str | None = None
    model: str | None = None
    run_in_background: bool | None = None
    effort: str | None = None
    isolation: str | None = None
    name: str | None = None


class TodoWrite(Struct, kw_only=True):
    todos: list[Todo] | None = None


class TaskCreate(Struct, kw_only=True):
    subject: str | None = None
    description: str | None = None
    activeForm: str | None = None
    metadata: Raw = ABSENT


class TaskUpdate(Struct, kw_only=True):
    taskId: str | None = None
    status: str | None = None
    subject: str | None = None
    description: str | None = None
    activeForm: str | None = None
    owner: str | None = None
    addBlocks: list[str] | None = None
    addBlockedBy: list[str] | None = None
    metadata: Raw = ABSENT


class TaskRef(Struct, kw_only=True):
    """Input of `TaskGet`, `TaskOutput`, `TaskStop` and `TaskList`."""

    taskId: str | None = None
    task_id: str | None = None
    block: bool | None = None
    timeout: float | None = None


class Shell(Struct, kw_only=True):
    """Input of `BashOutput` and `KillShell`."""

    bash_id: str | None = None
    shell_id: str | None = None
    filter: str | None = None


class WebFetch(Struct, kw_only=True):
    url: str | None = None
    prompt: str | None = None


class WebSearch(Struct, kw_only=True):
    query: str | None = None
    allowed_domains: list[str] | None = None
    blocked_domains: list[str] | None = None


class AllowedPrompt(Struct, kw_only=True):
    tool: str | None = None
    prompt: str | None = None


class ExitPlanMode(Struct, kw_only=True):
    plan: str | None = None
    planFilePath: str | None = None
    allowedPrompts: list[AllowedPrompt] | None = None


class Skill(Struct, kw_only=True):
    skill: str | None = None
    command: str | None = None
    args: str | None = None


class ToolSearch(Struct, kw_only=True):
    query: str | None = None
    max_results: int | None = None


class SendMessage(Struct, kw_only=True):
    to: str | None = None
    message: str | None = None
    summary: str | None = None
    type: str | None = None
    recipient: str | None = None
    recipient_kind: str | None = None
    content: str | None = None


class Lsp(Struct, kw_only=True):
    operation: str | None = None
    filePath: str | None = None
    line: int | None = None
    character: int | None = None


class ListAgents(Struct, kw_only=True):
    channel: str | None = None
    q: str | None = None


class ReportedFinding(Struct, kw_only=True):
    file: str | None = None
    line: int | None = None
    summary: str | None = None
    short_summary: str | None = None
    failure_scenario: str | None = None
    category: str | None = None
    verdict: str | None = None
    outcome: str | None = None


class ReportFindings(Struct, kw_only=True):
    level: str | None = None
    findings: list[ReportedFinding] | None = None


class ScheduleWakeup(Struct, kw_only=True):
    delaySeconds: float | None = None
    reason: str | None = None
    prompt: str | None = None
    stop: bool | None = None
    noop: bool | None = None


class Workflow(Struct, kw_only=True):
    script: str | None = None
    scriptPath: str | None = None
    name: str | None = None
    title: str | None = None
    description: str | None = None
    args: Raw = ABSENT
    resumeFromRunId: str | None = None


INPUTS: dict[str, type[Struct]] = {
    "Bash": Bash,
    "PowerShell": Bash,
    "Read": Read,
    "Edit": Edit,
    "MultiEdit": MultiEdit,
    "Write": Write,
    "NotebookEdit": NotebookEdit,
    "Glob": Glob,
    "Grep": Grep,
    "LS": Path,
    "Agent": Agent,
    "Task": Agent,
    "TodoWrite": TodoWrite,
    "TaskCreate": TaskCreate,
    "TaskUpdate": TaskUpdate,
    "TaskGet": TaskRef,
    "TaskList": TaskRef,
    "TaskOutput": TaskRef,
    "TaskStop": TaskRef,
    "BashOutput": Shell,
    "KillShell": Shell,
    "WebFetch": WebFetch,
    "WebSearch": WebSearch,
    "AskUserQuestion": AskUserQuestion,
    "ExitPlanMode": ExitPlanMode,
    "exit_plan_mode": ExitPlanMode,
    "Skill": Skill,
    "ToolSearch": ToolSearch,
    "SendMessage": SendMessage,
    "LSP": Lsp,
    "ListAgents": ListAgents,
    "ReportFindings": ReportFindings,
    "ScheduleWakeup": ScheduleWakeup,
    "Workflow": Workflow,
}
"""The input of each tool, by the name that the model uses."""

_decoders: dict[type[Struct], msgspec.json.Decoder[Any]] = {}


def decode_input(name: str, raw: Raw | bytes) -> Struct | None:
    """Returns the typed input of a call of `name`; None for an unknown tool or for bytes that do not fit."""
    return _decoded(INPUTS.get(name), raw)


def decode_output(name: str, raw: Raw | bytes) -> Struct | None:
    """Returns the typed output of `name`; None as above, and for the text or blocks of a failed call or an MCP call."""
    return _decoded(OUTPUTS.get(name), raw)


def _decoded(struct: type[Struct] | None, raw: Raw | bytes) -> Struct | None:
    if struct is None:
        return None
    if struct not in _decoders:
        _decoders[struct] = msgspec.json.Decoder(struct)
    try:
        return _decoders[struct].decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
