"""Results of the client's built-in tools, as found in `toolUseResult` after a successful call."""

from msgspec import Raw, Struct, field

from chorus.core.records.model.base import ABSENT
from chorus.core.records.model.blocks import Block, Usage
from chorus.core.records.model.file_results import BashResult, EditResult, NotebookResult, ReadResult, SearchResult
from chorus.core.records.model.prompt import Todo


class ToolStats(Struct, kw_only=True):
    readCount: int | None = None
    searchCount: int | None = None
    bashCount: int | None = None
    editFileCount: int | None = None
    linesAdded: int | None = None
    linesRemoved: int | None = None
    otherToolCount: int | None = None


class AgentResult(Struct, kw_only=True):
    """The result of a sub-agent, or a reference to one that continues in the background (`isAsync`)."""

    status: str | None = None
    prompt: str | None = None
    agentId: str | None = None
    agentType: str | None = None
    description: str | None = None
    content: list[Block] | None = None
    resolvedModel: str | None = None
    toolsUsed: list[str] | None = None
    totalDurationMs: float | None = None
    totalTokens: int | None = None
    totalToolUseCount: int | None = None
    usage: Usage | None = None
    toolStats: ToolStats | None = None
    harnessNoteCount: int | None = None
    harnessTailCount: int | None = None
    harnessSectionHash: str | None = None
    canContinueAgent: bool | None = None
    isAsync: bool | None = None
    outputFile: str | None = None
    canReadOutputFile: bool | None = None


class TodoResult(Struct, kw_only=True):
    oldTodos: list[Todo] | None = None
    newTodos: list[Todo] | None = None


class TaskItem(Struct, kw_only=True):
    """A task of the list, or (with `task_id`) a background task."""

    id: str | None = None
    subject: str | None = None
    description: str | None = None
    status: str | None = None
    owner: str | None = None
    blocks: list[str] | None = None
    blockedBy: list[str] | None = None
    task_id: str | None = None
    task_type: str | None = None
    output: str | None = None
    exitCode: int | None = None


class StatusChange(Struct, kw_only=True):
    before: str | None = field(name="from", default=None)
    after: str | None = field(name="to", default=None)


class TaskResult(Struct, kw_only=True):
    """Result of all `Task…` tools, for the list and for background tasks."""

    task: TaskItem | None = None
    tasks: list[TaskItem] | None = None
    success: bool | None = None
    taskId: str | None = None
    updatedFields: list[str] | None = None
    statusChange: StatusChange | None = None
    error: str | None = None
    retrieval_status: str | None = None
    message: str | None = None
    task_id: str | None = None
    task_type: str | None = None
    command: str | None = None


class ShellResult(Struct, kw_only=True):
    """Result of `BashOutput` and `KillShell`."""

    shellId: str | None = None
    shell_id: str | None = None
    command: str | None = None
    status: str | None = None
    exitCode: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    stdoutLines: int | None = None
    stderrLines: int | None = None
    timestamp: str | None = None
    message: str | None = None


class FetchResult(Struct, kw_only=True):
    url: str | None = None
    code: int | None = None
    codeText: str | None = None
    bytes: int | None = None
    result: str | None = None
    durationMs: float | None = None


class Link(Struct, kw_only=True):
    title: str | None = None
    url: str | None = None


class LinkList(Struct, kw_only=True):
    tool_use_id: str | None = None
    content: list[Link] | None = None


class WebSearchResult(Struct, kw_only=True):
    query: str | None = None
    results: list[LinkList | str] | None = None
    durationSeconds: float | None = None


class Option(Struct, kw_only=True):
    label: str | None = None
    description: str | None = None
    preview: str | None = None


class Question(Struct, kw_only=True):
    question: str | None = None
    header: str | None = None
    options: list[Option] | None = None
    multiSelect: bool | None = None


class AskUserQuestion(Struct, kw_only=True):
    """The questions and their answers. The keys of `answers` are the texts of the questions."""

    questions: list[Question] | None = None
    answers: dict[str, str] | None = None
    annotations: Raw = ABSENT
    metadata: Raw = ABSENT


class PlanResult(Struct, kw_only=True):
    plan: str | None = None
    isAgent: bool | None = None
    filePath: str | None = None


class SkillResult(Struct, kw_only=True):
    success: bool | None = None
    commandName: str | None = None


class ToolSearchResult(Struct, kw_only=True):
    matches: list[str] | None = None
    query: str | None = None
    total_deferred_tools: int | None = None


class Pin(Struct, kw_only=True):
    id: str | None = None
    name: str | None = None
    ref: str | None = None


class MessageResult(Struct, kw_only=True):
    success: bool | None = None
    message: str | None = None
    resumedAgentId: str | None = None
    revivedAgentId: str | None = None
    pin: Pin | None = None


class LspResult(Struct, kw_only=True):
    operation: str | None = None
    result: str | None = None
    filePath: str | None = None
    resultCount: int | None = None
    fileCount: int | None = None


OUTPUTS: dict[str, type[Struct]] = {
    "Bash": BashResult,
    "PowerShell": BashResult,
    "Read": ReadResult,
    **dict.fromkeys(("Edit", "MultiEdit", "Write"), EditResult),
    "NotebookEdit": NotebookResult,
    **dict.fromkeys(("Glob", "Grep"), SearchResult),
    **dict.fromkeys(("Agent", "Task"), AgentResult),
    "TodoWrite": TodoResult,
    **dict.fromkeys(("TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "TaskOutput", "TaskStop"), TaskResult),
    **dict.fromkeys(("BashOutput", "KillShell"), ShellResult),
    "WebFetch": FetchResult,
    "WebSearch": WebSearchResult,
    "AskUserQuestion": AskUserQuestion,
    **dict.fromkeys(("ExitPlanMode", "exit_plan_mode"), PlanResult),
    "Skill": SkillResult,
    "ToolSearch": ToolSearchResult,
    "SendMessage": MessageResult,
    "LSP": LspResult,
}
"""The output of each tool, by the name that the model uses."""
