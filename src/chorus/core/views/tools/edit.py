"""Views of tools that write files, as diffs."""

from chorus.core.records.model import file_results, tools
from chorus.core.views.blocks import Block, Code, Diff, Hunk, Note
from chorus.core.views.languages import language_of
from chorus.core.views.tools.call import MadeCall, View
from chorus.core.views.tools.patch import compared, hunks_of


def edit(call: MadeCall) -> View | None:
    """Shows the change as the client applied it; if that is not recorded, as it was requested."""
    if not isinstance(call.input, tools.Edit) or call.input.file_path is None:
        return None
    return _changed(call, call.input.file_path, compared(call.input.old_string or "", call.input.new_string or ""))


def multi_edit(call: MadeCall) -> View | None:
    if not isinstance(call.input, tools.MultiEdit) or call.input.file_path is None:
        return None
    asked = (compared(one.old_string or "", one.new_string or "") for one in call.input.edits or ())
    return _changed(call, call.input.file_path, tuple(hunk for hunks in asked for hunk in hunks))


def write(call: MadeCall) -> View | None:
    """Shows the text of a new file, or the changes in an existing one."""
    if not isinstance(call.input, tools.Write) or call.input.file_path is None:
        return None
    path, text = call.input.file_path, call.input.content or ""
    output = call.result.structured if call.result else None
    if isinstance(output, file_results.EditResult) and output.structuredPatch:
        return _changed(call, path, ())
    code = Code(text=text, language=language_of(path))
    return View(path, (code,), call.failure or ())


def notebook(call: MadeCall) -> View | None:
    if not isinstance(call.input, tools.NotebookEdit) or call.input.notebook_path is None:
        return None
    asked = call.input
    cell = f" cell {asked.cell_id}" if asked.cell_id else ""
    mode = f" ({asked.edit_mode})" if asked.edit_mode else ""
    language = "markdown" if asked.cell_type == "markdown" else "python"
    code: tuple[Block, ...] = (Code(text=asked.new_source, language=language),) if asked.new_source else ()
    return View(f"{asked.notebook_path}{cell}{mode}", code, call.failure or ())


def _changed(call: MadeCall, path: str, asked: tuple[Hunk, ...]) -> View:
    output = call.result.structured if call.result else None
    hunks, notes = asked, list[Block]()
    if isinstance(output, file_results.EditResult):
        hunks = hunks_of(output.structuredPatch) or asked
        if output.userModified:
            notes.append(Note(text="changed by the person before it was applied"))
    return View(path, (Diff(path=path, hunks=hunks),), (*notes, *(call.failure or ())))
