"""Which shell commands surely change no file. The list is short on purpose: what is not on it may change any file."""

import re
import shlex

_READERS = frozenset(
    [
        "basename",
        "cat",
        "cd",
        "cksum",
        "cmp",
        "comm",
        "cut",
        "date",
        "df",
        "diff",
        "dirname",
        "du",
        "echo",
        "false",
        "file",
        "fold",
        "grep",
        "head",
        "hexdump",
        "id",
        "ls",
        "md5sum",
        "nl",
        "od",
        "printf",
        "ps",
        "pwd",
        "readlink",
        "realpath",
        "sha1sum",
        "sha256sum",
        "sleep",
        "stat",
        "tail",
        "tr",
        "true",
        "uname",
        "wc",
        "which",
        "whoami",
    ]
)
_GIT_READERS = frozenset(["blame", "describe", "diff", "log", "ls-files", "rev-parse", "show", "status"])
_GIT_WRITERS = ("--output", "--ext", "--textconv", "-o")
"""Options of these that name a file for output, or run a program."""
_HARMLESS = re.compile(r"(?:2>&1|[12]?> ?/dev/null)(?=\s|$|[;&|])")
_ACTIVE = re.compile(r"[<>`$(){}!\\\n\r#]")
"""Redirections, substitutions, groups, comments: a command with one of these is not understood here."""
_BETWEEN = frozenset({"&&", "||", ";", "|"})


def changes_nothing(command: str) -> bool:
    """Returns whether a command consists only of programs that read, called in a plain way."""
    plain = _HARMLESS.sub(" ", command.strip())
    if not plain or _ACTIVE.search(plain):
        return False
    try:
        words = list(shlex.shlex(plain, posix=True, punctuation_chars=";&|"))
    except ValueError:
        return False
    part: list[str] = []
    parts = [part]
    for word in words:
        if word in _BETWEEN:
            part = []
            parts.append(part)
        elif set(word) <= set(";&|"):
            return False
        else:
            part.append(word)
    if not parts[-1] and words[-1] == ";":
        parts.pop()
    return all(_only_reads(each) for each in parts)


def _only_reads(words: list[str]) -> bool:
    if not words:
        return False
    program, *rest = words
    if program == "git":
        return bool(rest) and rest[0] in _GIT_READERS and not any(word.startswith(_GIT_WRITERS) for word in rest)
    return program in _READERS and not (program == "file" and any(word.startswith(("-C", "--com")) for word in rest))
