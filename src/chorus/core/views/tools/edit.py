"""Tools that write files, as diffs."""

from chorus.core.records.model import file_results, tools
from chorus.core.views.blocks import Block, Code, Diff, Hunk, Note
from chorus.core.views.languages import language_of
from chorus.core.views.tools.call import Made, View
from chorus.core.views.tools.patch import compared, hunks_of


def edit(call: Made) -> View | None:
    """The change: as the client applied it, else as it was asked for."""
    if not isinstance(call.input, tools.Edit) or call.input.file_path is None:
        return None
    return _changed(call, call.input.file_path, compared(call.input.old_string or "", call.input.new_string or ""))


def multi_edit(call: Made) -> View | None:
    if not isinstance(call.input, tools.MultiEdit) or call.input.file_path is None:
        return None
    asked = (compared(one.old_string or "", one.new_string or "") for one in call.input.edits or ())
    return _changed(call, call.input.file_path, tuple(hunk for hunks in asked for hunk in hunks))


def write(call: Made) -> View | None:
    """A new file is its text; one that was there is what changed in it."""
    if not isinstance(call.input, tools.Write) or call.input.file_path is None:
        return None
    path, text = call.input.file_path, call.input.content or ""
    told = call.result.structured if call.result else None
    if isinstance(told, file_results.EditResult) and told.structuredPatch:
        return _changed(call, path, ())
    code = Code(text=text, language=language_of(path))
    return View(path, (code,), call.failure or ())


def notebook(call: Made) -> View | None:
    if not isinstance(call.input, tools.NotebookEdit) or call.input.notebook_path is None:
        return None
    asked = call.input
    cell = f" cell {asked.cell_id}" if asked.cell_id else ""
    mode = f" ({asked.edit_mode})" if asked.edit_mode else ""
    language = "markdown" if asked.cell_type == "markdown" else "python"
    code: tuple[Block, ...] = (Code(text=asked.new_source, language=language),) if asked.new_source else ()
    return View(f"{asked.notebook_path}{cell}{mode}", code, call.failure or ())


def _changed(call: Made, path: str, asked: tuple[Hunk, ...]) -> View:
    told = call.result.structured if call.result else None
    hunks, notes = asked, list[Block]()
    if isinstance(told, file_results.EditResult):
        hunks = hunks_of(told.structuredPatch) or asked
        if told.userModified:
            notes.append(Note(text="changed by the person before it was applied"))
    return View(path, (Diff(path=path, hunks=hunks),), (*notes, *(call.failure or ())))
