"""The first lines of prompts, found in the vault by the ids that hooks report."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress

import msgspec
from msgspec import Struct

from chorus.errors import ChorusError
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
    return {name: text for name, _, text in _found(vault, kept, prompts)}


def messages_of(vault: Vault, kept: Kept, prompts: AbstractSet[str]) -> dict[str, str]:
    """Returns prompt → the id of its message in the records, as far as these can be read."""
    found: dict[str, str] = {}
    with suppress(ChorusError):
        found.update((name, message) for name, message, _ in _found(vault, kept, prompts) if message)
    return found


def _found(vault: Vault, kept: Kept, prompts: AbstractSet[str]) -> Iterator[tuple[str, str, str]]:
    """Yields each prompt once, with the id of its message and its first line."""
    left = {each.encode(): each for each in prompts}
    for record in records_of(vault, kept):
        if not left:
            break
        if not any(each in record.json for each in left):
            continue
        try:
            line = _line.decode(record.json)
        except _REFUSALS:
            continue
        name = next((each for each in (line.promptId, line.uuid) if each in left.values()), None)
        if line.type != "user" or line.isMeta or name is None or line.message is None:
            continue
        if text := _first_line(line.message.content):
            del left[name.encode()]
            yield name, line.uuid or "", text


def _first_line(content: str | list[_Block]) -> str:
    if isinstance(content, list):
        content = next((each.text for each in content if each.type == "text" and each.text), "") or ""
    return next((line.strip() for line in content.splitlines() if line.strip()), "")
