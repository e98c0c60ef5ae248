"""Views of tools that search for files, text and tools."""

from chorus.core.records.model import file_results, tool_results, tools
from chorus.core.views.blocks import Block, Note, Output
from chorus.core.views.tools.call import MadeCall, View


def grep(call: MadeCall) -> View | None:
    """Shows the pattern, where it was searched for, and the matches."""
    asked = call.input
    if not isinstance(asked, tools.Grep) or asked.pattern is None:
        return None
    where = " ".join(part for part in (asked.path, asked.glob, asked.type) if part)
    title = f"{asked.pattern}  in {where}" if where else asked.pattern
    return View(title, (), call.failure or _found(call))


def glob(call: MadeCall) -> View | None:
    if not isinstance(call.input, tools.Glob) or call.input.pattern is None:
        return None
    where = f"  in {call.input.path}" if call.input.path else ""
    return View(call.input.pattern + where, (), call.failure or _found(call))


def listing(call: MadeCall) -> View | None:
    """Shows `LS`."""
    if not isinstance(call.input, tools.Path):
        return None
    return View(call.input.path or "", (), call.results(is_bulk=True))


def _tools_found(names: list[str]) -> tuple[Block, ...]:
    return (Note(text="found " + ", ".join(names) if names else "found nothing"),)


def tool_search(call: MadeCall) -> View | None:
    """Shows `ToolSearch`: which tools the model may call from now on."""
    if not isinstance(call.input, tools.ToolSearch):
        return None
    output = call.result.structured if call.result else None
    if isinstance(output, tool_results.ToolSearchResult) and output.matches is not None:
        return View(call.input.query or "", (), _tools_found(output.matches))
    return View(call.input.query or "", (), call.results())


def _found(call: MadeCall) -> tuple[Block, ...]:
    result = call.result
    if result is None:
        return ()
    output = result.structured
    if not isinstance(output, file_results.SearchResult):
        return result.blocks(is_bulk=True)
    text = (output.content or "").strip("\n") or "\n".join(output.filenames or ())
    if not text:
        return result.blocks(is_bulk=True)
    more = (Note(text="there are more: the list was cut"),) if output.truncated else ()
    return (Output(text=text, is_bulk=True, side_file=result.side_file), *more)
