"""Which version each line of a file comes from."""

from collections.abc import Iterator

from msgspec import Struct

from chorus.core.file_versions.lines import lines_of, opcodes
from chorus.core.file_versions.model import FileVersions, Version


class BlamedLines(Struct, frozen=True):
    """Neighbouring lines that came with the same version."""

    first: int
    """The number of the first line, from 1."""
    lines: tuple[str, ...]
    version: Version


def blame(file: FileVersions, version: Version) -> list[BlamedLines]:
    """Returns the lines of a version with the versions they came with; an empty list if its content is not known.

    A line that was there when the conversation found the file comes with that version.
    """
    known: list[bytes] = []
    owners: list[Version] = []
    for each in file.versions[: version.number]:
        content = file.content(each)
        if content is None and not each.is_absent:
            continue
        now = lines_of(content or b"")
        merged: list[Version] = []
        for is_equal, a, b, c, d in opcodes(known, now):
            merged += owners[a:b] if is_equal else [each] * (d - c)
        known, owners = now, merged
    if file.content(version) is None:
        return []
    return list(_grouped(known, owners))


def _grouped(lines: list[bytes], owners: list[Version]) -> Iterator[BlamedLines]:
    start = 0
    for at in range(1, len(lines) + 1):
        if at == len(lines) or owners[at] is not owners[start]:
            shown = tuple(line.decode("utf-8", "replace").removesuffix("\n") for line in lines[start:at])
            yield BlamedLines(start + 1, shown, owners[start])
            start = at
