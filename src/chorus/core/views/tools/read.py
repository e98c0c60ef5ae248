"""The view of the tool that reads files."""

import re

from chorus.core.records.model import file_results, tools
from chorus.core.views.blocks import Block, Code, Image
from chorus.core.views.content import decoded_size
from chorus.core.views.languages import language_of
from chorus.core.views.tools.call import MadeCall, View

_NUMBERED = re.compile(r"^ *(\d+)(?:→|\t)", re.MULTILINE)


def read(call: MadeCall) -> View | None:
    """Shows the file and which part of it was read; the text itself is marked as bulk."""
    if not isinstance(call.input, tools.Read) or call.input.file_path is None:
        return None
    return View(_title(call.input), (), call.failure or _text(call, call.input.file_path))


def _title(asked: tools.Read) -> str:
    if asked.pages:
        return f"{asked.file_path} pages {asked.pages}"
    if asked.offset is None and asked.limit is None:
        return asked.file_path or ""
    first = asked.offset or 1
    return f"{asked.file_path}:{first}-" + (str(first + asked.limit - 1) if asked.limit else "")


def _text(call: MadeCall, path: str) -> tuple[Block, ...]:
    result = call.result
    if result is None:
        return ()
    output = result.structured
    if isinstance(output, file_results.ReadResult) and output.file is not None:
        if output.file.content is not None:
            first = output.file.startLine or 1
            code = Code(text=output.file.content, language=language_of(path), first_line=first, is_bulk=True)
            return (code, *result.others())
        if output.file.base64 is not None:
            kind = output.file.type or output.type or "image"
            return (Image(media_type=kind, size_bytes=decoded_size(output.file.base64), source=path),)
    first = _NUMBERED.match(result.text)
    if first is None:
        return result.blocks(is_bulk=True)
    text = _NUMBERED.sub("", result.text)
    number = int(first.group(1)) if len(first.group(1)) < 10 else 1
    return (Code(text=text, language=language_of(path), first_line=number, is_bulk=True), *result.others())
