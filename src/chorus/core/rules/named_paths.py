"""The paths in the words of a command: every part of a word that some program may take for one."""

import re
from collections.abc import Iterable, Sequence

from chorus.core.rules.shell_words import Word

_PARTS = re.compile(r"[^\w./~-]+")
"""What may stand before a path in a word: `--file=/etc/x`, `@/etc/x`, `a:/etc/x`."""
_CLUSTER = re.compile(r"-[A-Za-z0-9]+?(\.\.(?:/.*)?|/.*)", re.DOTALL)
"""Short options with a path glued to them: `-rf/etc/x`, `-rf../x`."""
_WINDOWS = re.compile(r"(?:^|[^A-Za-z0-9])[A-Za-z]:[\\/]|(?:^|[=:,@])\\\\")
_FILE_LISTS = re.compile(r"--?files0?-from.*")
_LEAVES = {
    "cp": re.compile(r"-[a-zA-Z]*[LH].*|--deref.*"),
    "fd": re.compile(r"-[a-zA-Z]*L.*|--follow"),
    "find": re.compile(r"-[LH]|-follow"),
    "grep": re.compile(r"-[a-zA-Z0-9]*R.*|--deref.*"),
    "rg": re.compile(r"-[a-zA-Z0-9]*L.*|--follow"),
    "rsync": re.compile(r"-[a-zA-Z0-9]*[LkK].*|--copy-.*links|--keep-dirlinks"),
    "tar": re.compile(r"\A-?[a-zA-Z0-9]*[hP].*|--deref.*|--absolute-names"),
    "tree": re.compile(r"-[a-zA-Z]*l.*"),
}
"""Options by which a program follows the links that it finds, or writes wherever an archive says."""


def paths_of(words: Sequence[Word]) -> tuple[bool, list[str]]:
    """Returns whether all paths of a command are known, and those that are."""
    is_sure = True
    found: list[str] = []
    leaves = _LEAVES.get(words[0].text.rpartition("/")[2])
    for word in words[1:]:
        if word.kind == "dynamic" or (word.kind == "glob" and _may_climb(word.text)):
            is_sure = False
            continue
        is_sure = is_sure and not _FILE_LISTS.fullmatch(word.text) and not (leaves and leaves.fullmatch(word.text))
        found += _paths_in(word.text)
    program = words[0].text
    return is_sure, [*found, *([program] if program.startswith(".") else [])]


def is_windows_path(path: str) -> bool:
    """Returns whether a path would lead somewhere else on Windows: a drive, a server, or a step up."""
    return _WINDOWS.search(path) is not None or ("\\" in path and ".." in re.split(r"[\\/=:,@]", path))


def _paths_in(text: str) -> Iterable[str]:
    """Yields every part of a word that may be a path that leads somewhere else: `-I/etc`, `--file=../x`, `a:/b`."""
    parts = [text, *_PARTS.split(text)]
    if text.startswith("-"):
        parts.append(text[2:])
        if (glued := _CLUSTER.fullmatch(text)) is not None:
            parts.append(glued.group(1))
    for part in parts:
        if part.startswith(("/", "~")) or ".." in part.split("/") or is_windows_path(part):
            yield part
    if not text.startswith("-"):
        yield text


def _may_climb(pattern: str) -> bool:
    return any(
        part.startswith(".") and part not in (".", "..") and re.search(r"[*?\[]", part) for part in pattern.split("/")
    )
