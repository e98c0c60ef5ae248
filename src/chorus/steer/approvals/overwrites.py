"""Finds the part of a shell command that replaces the content of a file: a redirection, or a program that does it.
Pure.

It reads text and does not parse shell: it knows quotes, here-documents and the forms of redirection, and in doubt it
reports a match.
"""

import re
from collections.abc import Iterator

_QUOTED = re.compile(r"\\.|'[^']*+'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"", re.DOTALL)
_HERE = re.compile(r"<<-?[ \t]*(?P<quote>['\"]?)(?P<end>[A-Za-z_]\w{0,100})(?P=quote)[^\n]*\n")
_RUNS_TEXT = re.compile(
    r"(?<![\w-])(?:(?:ba|z|da|k|fi|c|tc)?sh|eval|ssh|su|sudo|doas|env|xargs|watch|parallel|trap)(?![\w-])"
)
"""Programs that run a text which they receive: for these, quoted text is a command too."""
_REDIRECTION = re.compile(r"(?<![<>&])(?:&>|\d{0,4}>(?:\||&(?![\d-]))?)(?![>(&|])[ \t]{0,50}[^\s;|&<>()]{1,200}")
_HARMLESS = re.compile(r"[>|&\s\d]*[\"']?/dev/(?:null|stdin|stdout|stderr|tty|fd/\d+)[\"']?")
_PROGRAM = re.compile(
    r"(?<![\w./-])(?:[\w./-]{0,200}/)?"
    r"(?:tee(?![\w-])(?![^\n;|&]{0,200}?\s(?:-\w*a\w*|--append)(?!\S))(?=[ \t]+(?!/dev/null)[^\s;|&])"
    r"|(?:mv|cp)(?=\s+\S)"
    r"|(?:sed|perl)\s[^\n;|&]{0,200}?-\w*i(?![\w-])|(?:sed|perl)\s[^\n;|&]{0,200}?--in-place"
    r"|Set-Content|Out-File(?![^\n;|]{0,200}-Append))",
    re.IGNORECASE,
)


def overwrites(command: str) -> str | None:
    """Returns the part of the command that may replace the content of a file, as it is written; else None."""
    masked = command if _RUNS_TEXT.search(command) else _masked(_without_here_documents(command))
    found = next(_redirections(command, masked), None)
    if found is not None:
        return found
    program = _PROGRAM.search(masked)
    return None if program is None else command[program.start() : program.end() + 60].split("\n", 1)[0].strip()


def _redirections(command: str, masked: str) -> Iterator[str]:
    for found in _REDIRECTION.finditer(masked):
        text = command[found.start() : found.end()]
        if not _HARMLESS.fullmatch(text):
            yield text


def _masked(command: str) -> str:
    """Returns the command with quoted text replaced by letters, except what a shell evaluates in double quotes."""

    def plain(found: re.Match[str]) -> str:
        text = found.group()
        is_run = text[0] == '"' and ("$(" in text or "`" in text)
        return text if is_run else "q" * len(text)

    return _QUOTED.sub(plain, command)


def _without_here_documents(command: str) -> str:
    """Returns the command with the bodies of its here-documents replaced by letters: they are data."""
    parts, at = [], 0
    while (found := _HERE.search(command, at)) is not None:
        end = re.compile(rf"^\t*{found['end']}$", re.MULTILINE).search(command, found.end())
        if end is None:
            break
        body = command[found.end() : end.start()]
        parts += [command[at : found.end()], "q" * len(body) if body else ""]
        at = end.start()
    return "".join([*parts, command[at:]])
