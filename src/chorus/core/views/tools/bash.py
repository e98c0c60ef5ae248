"""Views of commands in the foreground and in the background."""

from chorus.core.records.model import file_results, tool_results, tools
from chorus.core.views import figures
from chorus.core.views.blocks import Block, Diff, Note, Output, Shell
from chorus.core.views.tools.call import MadeCall, View
from chorus.core.views.tools.patch import hunks_of


def bash(call: MadeCall) -> View | None:
    """Shows the command, its output, and the files that it changed."""
    return _command(call, "bash")


def powershell(call: MadeCall) -> View | None:
    return _command(call, "powershell")


def _command(call: MadeCall, language: str) -> View | None:
    if not isinstance(call.input, tools.Bash) or call.input.command is None:
        return None
    title = call.input.description or ""
    if call.input.run_in_background:
        title = f"{title} (in the background)".strip()
    return View(title, (Shell(command=call.input.command, language=language),), _printed(call))


def _printed(call: MadeCall) -> tuple[Block, ...]:
    result = call.result
    if result is None:
        return ()
    output = result.structured
    if result.is_error or not isinstance(output, file_results.BashResult):
        return result.blocks()
    found: list[Block] = []
    for text, is_error in ((output.stdout, False), (output.stderr, True)):
        if text and text.strip():
            side_file = result.side_file if not found else None
            found.append(Output(text=text.strip("\n"), is_error=is_error, side_file=side_file))
    if not found:
        found.extend(block for block in result.blocks() if not output.noOutputExpected or result.side_file)
    else:
        found.extend(result.others())
    if output.interrupted:
        found.append(Note(text="interrupted", level="warning"))
    if output.returnCodeInterpretation:
        found.append(Note(text=output.returnCodeInterpretation))
    if output.backgroundTaskId:
        found.append(Note(text=f"runs on as task {output.backgroundTaskId}"))
    found.extend(
        Diff(path=file.filePath or "", hunks=hunks_of(file.hunks), is_new=bool(file.created))
        for file in (output.bashEditDiff.files if output.bashEditDiff else None) or ()
    )
    return tuple(found)


def shell_output(call: MadeCall) -> View | None:
    """Shows `BashOutput` and `KillShell`: the shell, and its output since the last call."""
    if not isinstance(call.input, tools.Shell):
        return None
    shell = call.input.bash_id or call.input.shell_id or ""
    about = shell or None
    output = call.result.structured if call.result else None
    if not isinstance(output, tool_results.ShellResult) or (output.stdout is None and output.message is None):
        return View(shell, (), call.results(), refers=about)
    found: list[Block] = [Shell(command=output.command)] if output.command else []
    found.extend(
        Output(text=text.strip("\n"), is_error=is_error)
        for text, is_error in ((output.stdout, False), (output.stderr, True))
        if text and text.strip()
    )
    status = output.message or _ended(output.status, output.exitCode)
    return View(shell, (), (*found, Note(text=status)) if status else tuple(found), refers=about)


def task_output(call: MadeCall) -> View | None:
    """Shows `TaskOutput` and `TaskStop`: the background task, its output and its state."""
    if not isinstance(call.input, tools.TaskRef):
        return None
    title = call.input.task_id or call.input.taskId or ""
    about = title or None
    output = call.result.structured if call.result else None
    if not isinstance(output, tool_results.TaskResult) or (output.task is None and output.message is None):
        return View(title, (), call.results(), refers=about)
    found: list[Block] = []
    status = output.message or figures.in_words(output.retrieval_status or "")
    if output.task is not None:
        status = _ended(output.task.status, output.task.exitCode) or status
        title = output.task.description or title
        if output.task.output and output.task.output.strip():
            found.append(Output(text=output.task.output.strip("\n")))
    return View(title, (), (*found, Note(text=status)) if status else tuple(found), refers=about)


def _ended(status: str | None, exit_code: int | None) -> str:
    code = f"exit code {exit_code}" if exit_code is not None else ""
    return ", ".join(part for part in (figures.in_words(status or ""), code) if part)
