"""The first lines of prompts, found in the vault by the ids that hooks report."""

from collections.abc import Set as AbstractSet

import msgspec
from msgspec import Struct

from chorus.keep.archive.listing import Kept
from chorus.keep.archive.opening import records_of
from chorus.keep.vault.port import Vault

_REFUSALS = (msgspec.DecodeError, UnicodeError, RecursionError)


class _Block(Struct):
    type: str = ""
    text: str | None = None


class _Message(Struct):
    content: str | list[_Block] = ""


class _Line(Struct):
    type: str
    promptId: str | None = None  # noqa: N815 - as the client writes it
    uuid: str | None = None
    isMeta: bool | None = None  # noqa: N815
    message: _Message | None = None


_line = msgspec.json.Decoder(_Line)


def first_lines(vault: Vault, kept: Kept, prompts: AbstractSet[str]) -> dict[str, str]:
    """Returns the first line of each of these prompts that the vault has. What cannot be read is left out."""
    found: dict[str, str] = {}
    left = {each.encode() for each in prompts}
    for record in records_of(vault, kept):
        if not left:
            break
        if not any(each in record.json for each in left):
            continue
        try:
            line = _line.decode(record.json)
        except _REFUSALS:
            continue
        name = next((each for each in (line.promptId, line.uuid) if each in prompts), None)
        if line.type != "user" or line.isMeta or name is None or name in found or line.message is None:
            continue
        if text := _first_line(line.message.content):
            found[name] = text
            left.discard(name.encode())
    return found


def _first_line(content: str | list[_Block]) -> str:
    if isinstance(content, list):
        content = next((each.text for each in content if each.type == "text" and each.text), "") or ""
    return next((line.strip() for line in content.splitlines() if line.strip()), "")
